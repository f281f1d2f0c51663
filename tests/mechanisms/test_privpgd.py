"""PrivPGD: its queries, their costs, and its estimated time."""

from itertools import combinations

import numpy as np

from synth.core.domain import Domain
from synth.core.graphs.workload import Workload
from synth.mechanisms.privpgd import PrivPGD
from synth.mechanisms.shared.base import Fitted
from synth.models.copula.copula import CopulaRecords
from synth.models.particles.particles import Particles
from tests.mechanisms.examples import fit, problem_about

DOMAIN = Domain(tuple("abcd"), (2, 3, 5, 4))


def fitted(workload: Workload) -> Fitted:
    table = np.random.default_rng(0).integers(0, DOMAIN.sizes, size=(300, 4))
    problem = problem_about(DOMAIN, workload=workload, generator=Particles(epochs=2))
    return fit(PrivPGD(), table, DOMAIN, 1.0, problem)


def test_all_pairs_are_measured_alike_in_their_own_codes_and_no_column() -> None:
    measured = fitted(Workload.all_kway(DOMAIN, 3)).evidence.measurements
    assert {m.clique for m in measured} == set(combinations("abcd", 2))
    assert max(m.units for m in measured) - min(m.units for m in measured) <= 6
    assert all(not m.groups for m in measured)


def test_particles_and_the_copula_are_foretold_to_take_seconds() -> None:
    domain = Domain(tuple(f"c{i}" for i in range(11)), (32,) * 11)
    fast = PrivPGD().outlook_by(Particles(), domain, k=2)
    assert fast is not None and fast == PrivPGD().outlook(domain, k=2) and fast.slowest < 60
    copula = PrivPGD().outlook_by(CopulaRecords(), domain, k=2)
    assert copula is not None, "the copula is fitted in place of the particles, not after them"
    assert (copula.fastest, copula.slowest) == CopulaRecords().seconds(domain)

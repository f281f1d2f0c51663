import numpy as np
import pytest

from synth.core.domain import Clique, Domain
from synth.core.graphs.workload import Workload
from synth.core.zeros import Zero
from synth.mechanisms.gaussian import Gaussian
from synth.mechanisms.shared.base import Fitted
from tests.mechanisms.examples import fit, problem_about

DOMAIN = Domain(tuple("abcd"), (2, 3, 10, 40))


def fitted(workload: Workload, *, seed: int = 0, zeros: tuple[Zero, ...] = (), **options: float) -> Fitted:
    rng = np.random.default_rng(seed)
    table = rng.integers(0, rng.integers(1, DOMAIN.sizes, endpoint=True), size=(200 * seed + 50, 4))
    return fit(Gaussian(**options), table, DOMAIN, 1.0, problem_about(DOMAIN, workload=workload, zeros=zeros))


def measured(fitted: Fitted) -> dict[Clique, int]:
    return {m.clique: m.units for m in fitted.evidence.measurements}


def test_what_is_measured_at_which_price_does_not_depend_on_the_table() -> None:
    pairs = Workload.all_kway(DOMAIN, 2)
    assert measured(fitted(pairs, seed=1)) == measured(fitted(pairs, seed=2))


def test_the_price_is_split_by_weight_and_size() -> None:
    workload = Workload.all_kway(DOMAIN, 2, column_weights={"a": 0.5})
    units = measured(fitted(workload))
    assert len(units) == 4 + 6 and sum(units.values()) == pytest.approx(10**12)
    assert units["c", "d"] / units["b", "c"] == pytest.approx((400 / 30) ** (2 / 3), rel=1e-6)
    assert units["a", "c"] / units["b", "c"] == pytest.approx((0.5 * 20 / 30) ** (2 / 3), rel=1e-6)
    assert units["a",] / units["b",] == pytest.approx((0.5 * 2 / 3) ** (2 / 3), rel=1e-6)


def test_the_smaller_tables_are_kept_and_the_heavier_before_them() -> None:
    even, tilted = Workload.all_kway(DOMAIN, 2), Workload.of([(("c", "d"), 2.0), (("a", "b"), 1.0)])
    small = fitted(even, capacity_mb=8 * 130 / 2**20)
    assert [r for r in measured(small) if len(r) == 2] == [("a", "b"), ("a", "c"), ("b", "c")]
    assert small.model.cells == 60 + 40
    heavy = fitted(tilted, capacity_mb=8 * 405 / 2**20)
    assert [r for r in measured(heavy) if len(r) == 2] == [("c", "d")]


def test_zeros_take_their_part_of_the_capacity() -> None:
    zero = Zero(("c", "d"), np.eye(10, 40, dtype=bool))
    room = 8 * 470 / 2**20
    pairs = Workload.all_kway(DOMAIN, 2)
    assert ("b", "c") not in measured(fitted(pairs, zeros=(zero,), capacity_mb=8 * 430 / 2**20))
    held = fitted(pairs, zeros=(zero,), capacity_mb=room)
    assert held.model.cells <= 470 and ("c", "d") in measured(held)

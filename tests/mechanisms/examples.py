"""Short helpers that create sources without noise, and problems."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pytest

from synth.core.codebook import Codebook
from synth.core.domain import Domain
from synth.core.graphs.workload import Workload
from synth.core.zeros import Zero
from synth.mechanisms.shared.base import Fitted, Mechanism, Problem
from synth.private.counting.codes import Codes
from synth.private.scores import InDif
from tests.exact import Exact


def exact(rows: np.ndarray, domain: Domain, *, rho: float) -> Exact:
    """Return a source with exact answers. Privacy costs are the same as for a noisy source."""
    return Exact(Codes.of(rows, domain), domain, rho=rho)


def problem_about(
    domain: Domain,
    k: int = 2,
    *,
    workload: Workload | None = None,
    zeros: Iterable[Zero] = (),
    ordered: Mapping[str, int] | None = None,
    **more: Any,
) -> Problem:
    """Return a problem with all tables of `k` columns, or with the given workload."""
    book = Codebook.plain(domain, zeros=zeros, ordered=ordered)
    return Problem(workload=workload or Workload.all_kway(domain, k), codebook=book, **more)


def fit(
    mechanism: Mechanism, rows: np.ndarray, domain: Domain, rho: float, problem: Problem | None = None
) -> Fitted:
    """Run a mechanism on rows whose tables are measured without noise."""
    problem = problem or problem_about(domain)
    return mechanism.run(exact(rows, domain, rho=rho), problem, rng=np.random.default_rng(0))


def chain(tie: float) -> np.ndarray:
    """Return rows in which a determines b, and b determines c, with the probability `tie`. Column d is
    independent, and e has one value.
    """
    rng = np.random.default_rng(0)
    a = rng.integers(0, 4, 4000)
    b = np.where(rng.random(4000) < tie, a, rng.integers(0, 4, 4000))
    c = np.where(rng.random(4000) < tie, b, rng.integers(0, 4, 4000))
    return np.stack([a, b, c, rng.integers(0, 3, 4000), np.zeros_like(a)], axis=1)


def is_divided_in_tenths(fitted: Fitted, rho: float) -> None:
    """Check that a tenth of the budget is spent on columns, a tenth on one scoring of all pairs, and the rest
    on tables.
    """
    stated = fitted.evidence
    assert [m.clique for m in stated.measurements[:5]] == [(c,) for c in "abcde"]
    assert sum(m.rho for m in stated.measurements[:5]) == pytest.approx(0.1 * rho)
    (scores,) = stated.scores
    assert isinstance(scores.score, InDif) and len(scores.score.cliques) == 6
    assert scores.units * 1e-12 == pytest.approx(0.1 * rho)
    assert scores.sigma == pytest.approx(4 * (6 / (2 * 0.1 * rho)) ** 0.5)
    assert sum(m.rho for m in stated.measurements[5:]) == pytest.approx(0.8 * rho)

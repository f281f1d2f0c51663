"""Propagation compared with the reference, on probabilities and on logarithms."""

import math
from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from synth.core.domain import Clique, Domain
from synth.models.pgm.propagation import Propagation
from synth.models.pgm.schedule import Schedule
from tests.models.pgm import brute_force


def in_layout(plan: Schedule, mask: int) -> Clique:
    return tuple(plan.tree.domain.names[i] for i in plan.tree.layout(mask))


def plan_for(domain: Domain, cliques: Sequence[Clique]) -> Schedule:
    masks = [sum(1 << i for i in domain.axes(clique)) for clique in cliques]
    return Schedule.of(domain, masks, len(masks))


def random_factors(
    plan: Schedule, seed: int, *, scale: float, impossible: float = 0.0
) -> list[NDArray[np.float64]]:
    rng = np.random.default_rng(seed)
    tables = []
    for mask in plan.factors:
        table = rng.normal(0, scale, plan.tree.shape(mask))
        table[rng.random(table.shape) < impossible] = -math.inf
        tables.append(table)
    return tables


def flat(tables: Sequence[NDArray[np.float64]]) -> NDArray[np.float64]:
    return np.concatenate([t.reshape(-1) for t in tables]) if tables else np.empty(0)


def check(
    plan: Schedule, tables: list[NDArray[np.float64]], propagation: Propagation, log_partition: float
) -> None:
    domain = plan.tree.domain
    factors = [(in_layout(plan, m), t) for m, t in zip(plan.factors, tables, strict=True)]
    joint = brute_force.distribution(domain, factors)
    assert log_partition == pytest.approx(brute_force.log_partition(domain, factors), rel=1e-12, abs=1e-12)
    ends = np.cumsum([table.size for table in tables[: plan.measured]])
    parts = np.split(propagation.marginals, ends)
    for mask, found in zip(plan.factors[: plan.measured], parts, strict=False):
        expected = brute_force.project(domain, joint, in_layout(plan, mask)).reshape(-1)
        assert np.allclose(found, expected, rtol=1e-9, atol=1e-14)
        assert (found[expected == 0] < 1e-300).all()
    for mask, belief in zip(plan.tree.masks, propagation.beliefs, strict=True):
        expected = brute_force.project(domain, joint, in_layout(plan, mask))
        assert np.allclose(belief, expected, rtol=1e-9, atol=1e-14)


@pytest.mark.parametrize("scale", [1.0, 30.0, 3000.0])
@pytest.mark.parametrize("impossible", [0.0, 0.15])
def test_sums_are_the_oracles(domain: Domain, cliques: list[Clique], scale: float, impossible: float) -> None:
    plan = plan_for(domain, cliques)
    for seed in range(6):
        tables = random_factors(plan, seed, scale=scale, impossible=impossible)
        propagation = Propagation(plan)
        log_partition = propagation.sweep(flat(tables))
        factors = [(in_layout(plan, m), t) for m, t in zip(plan.factors, tables, strict=True)]
        if brute_force.log_joint(domain, factors).max() == -math.inf:
            assert log_partition == -math.inf
        else:
            check(plan, tables, propagation, log_partition)


def test_what_only_the_logarithms_can_hold_is_exact() -> None:
    # the child says b=0 is e^900 times likelier, the parent says the opposite: the plain sum of b=1 is lost
    domain = Domain(("a", "b", "c"), (2, 2, 2))
    plan = plan_for(domain, [("a", "b"), ("b", "c")])
    one_way = [np.array([[0.0, -900.0], [0.5, -900.0]]), np.array([[-900.0, -900.0], [0.0, 1.0]])]
    propagation = Propagation(plan)
    assert propagation._sweep_linear(flat(one_way)) is None
    check(plan, one_way, propagation, propagation.sweep(flat(one_way)))


def test_support_knows_what_follows_from_zeros_in_two_tables() -> None:
    domain = Domain(("a", "b", "c"), (2, 2, 2))
    plan = plan_for(domain, [("a", "b"), ("b", "c"), ("a", "c")])
    only_equal = np.where(np.eye(2), 0.0, -math.inf)
    support = Propagation(plan).learn_support(flat([only_equal, only_equal, np.zeros((2, 2))]))
    assert support.reshape(3, 2, 2)[2].tolist() == [[True, False], [False, True]]


def test_zeros_that_leave_nothing_are_refused() -> None:
    domain = Domain(("a", "b"), (2, 2))
    plan = plan_for(domain, [("a",), ("a", "b")])
    tables = [np.array([0.0, -math.inf]), np.array([[-math.inf, -math.inf], [0.0, 0.0]])]
    with pytest.raises(ValueError, match="no possible record"):
        Propagation(plan).learn_support(flat(tables))
    assert Propagation(plan).sweep(flat(tables)) == -math.inf


def test_many_strong_factors_do_not_underflow() -> None:
    names = tuple("abcdefgh")
    domain = Domain(names, (2,) * 8)
    pairs = [(x, y) for i, x in enumerate(names) for y in names[i + 1 :]]
    plan = plan_for(domain, pairs)
    tables = random_factors(plan, 4, scale=120.0)
    propagation = Propagation(plan)
    check(plan, tables, propagation, propagation.sweep(flat(tables)))

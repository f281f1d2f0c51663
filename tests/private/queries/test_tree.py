"""Trees over a range: their exact privacy loss on small cases, and their law."""

import itertools
import json
import math
from fractions import Fraction

import numpy as np
import pytest

from synth.core.axis import Axis
from synth.core.schema import Column, Kind, Outside, Schema, Unit
from synth.private.entropy import Rehearsal
from synth.private.queries import (
    TreeQuery,
)
from synth.private.queries.tree import LN2_ABOVE
from synth.private.table import PrivateTable


def grid(cells: int) -> Axis:
    column = Column(name="x", kind=Kind.INTEGER, outside=Outside.OTHER)
    return Axis(column=column, edges=tuple(float(e) for e in range(cells + 1)), other="Other")


def tree(cells: int, *, epsilon: float, change: int = 1) -> TreeQuery:
    return TreeQuery(axis=grid(cells), change=change, units=math.ceil(epsilon**2 / 2 * 10**12))


def chances(query: TreeQuery, count: int, depth: int) -> tuple[float, float]:
    """Pr[b + Laplace > 0] and its complement in floats, written independently of the coin."""
    scale, decay = float(query.scale), float(query.decay)
    biased = max(count - depth * decay, -decay)
    tail = 0.5 * math.exp(-abs(biased) / scale)
    return (tail, 1 - tail) if biased <= 0 else (1 - tail, tail)


def law(query: TreeQuery, counts: tuple[int, ...]) -> dict[tuple[int, ...], float]:
    """The exact probability of every set of leaves."""

    def below(first: int, end: int, depth: int) -> dict[tuple[int, ...], float]:
        if end - first == 1:
            return {(first,): 1.0}
        splits, stays = chances(query, sum(counts[first:end]), depth)
        middle = (first + end) // 2
        found = {(first,): stays}
        left, right = below(first, middle, depth + 1), below(middle, end, depth + 1)
        for a, b in itertools.product(left, right):
            found[a + b] = found.get(a + b, 0.0) + splits * left[a] * right[b]
        return found

    return below(0, query.cells, 0)


def loss(query: TreeQuery, counts: tuple[int, ...], other: tuple[int, ...]) -> float:
    p, q = law(query, counts), law(query, other)
    assert math.isclose(sum(p.values()), 1)
    return max(abs(math.log(p[t] / q[t])) for t in p if min(p[t], q[t]) > 1e-290)


@pytest.mark.parametrize("epsilon", [0.05, 0.5, 1.0, 3.0, 10.0])
@pytest.mark.parametrize("cells", [4, 7, 8])
def test_a_tree_loses_at_most_epsilon_per_row(cells: int, epsilon: float) -> None:
    query = tree(cells, epsilon=epsilon)
    rng = np.random.default_rng(cells)
    worst = 0.0
    shapes = [(0,) * cells, (1,) * cells, (40,) + (0,) * (cells - 1)]
    shapes += [tuple(rng.integers(0, top, cells).tolist()) for top in (2, 4, 12, 60) for _ in range(6)]
    shapes += [(round(k * float(query.decay)),) + (0,) * (cells - 1) for k in range(5)]
    for counts in shapes:
        for j in range(cells):
            more = tuple(c + (i == j) for i, c in enumerate(counts))
            worst = max(worst, loss(query, more, counts))
    assert worst <= epsilon * (1 + 1e-9)
    assert worst > epsilon / 4


def test_a_tree_loses_at_most_epsilon_per_unit_of_several_rows() -> None:
    query = tree(4, epsilon=1.0, change=3)
    for counts in itertools.product((0, 1, 5), repeat=4):
        for places in itertools.combinations_with_replacement(range(4), 3):
            more = tuple(c + places.count(i) for i, c in enumerate(counts))
            assert loss(query, more, counts) <= 1 + 1e-9


def test_one_row_of_a_larger_unit_needs_the_larger_scale() -> None:
    """The check above has power: with the scale for one row, three rows lose more than epsilon."""
    query = tree(8, epsilon=1.0, change=1)
    assert loss(query, (3,) + (0,) * 7, (0,) * 8) > 1.5


def test_price_and_parameters_are_on_the_safe_side() -> None:
    assert Fraction(LN2_ABOVE) > Fraction(math.log(2))
    for units in (1, 7, 10**9, 123456789012):
        query = TreeQuery(axis=grid(4), change=2, units=units)
        assert query.epsilon**2 / 2 <= Fraction(units, 10**12)
        assert float(query.epsilon) == pytest.approx(math.sqrt(2 * units * 1e-12), rel=1e-5)
        assert query.scale == 6 / query.epsilon
        assert query.decay > query.scale * Fraction(math.log(2))


@pytest.mark.parametrize(("count", "depth"), [(0, 0), (0, 3), (5, 0), (5, 1), (9, 2), (30, 1)])
def test_coins_follow_their_law(count: int, depth: int) -> None:
    query = tree(64, epsilon=1.0)
    p, _ = chances(query, count, depth)
    entropy = Rehearsal(count * 10 + depth)
    draws = 8000
    heads = sum(query.splits(count, depth, entropy=entropy) for _ in range(draws))
    assert abs(heads - draws * p) < 6.2 * math.sqrt(draws * p * (1 - p))


def test_drawn_trees_follow_the_exact_law() -> None:
    query, counts, draws = tree(4, epsilon=2.0), (6, 0, 1, 0), 6000
    expected = law(query, counts)
    found: dict[tuple[int, ...], int] = {}
    entropy = Rehearsal(5)
    for _ in range(draws):
        leaves = tuple(query.leaves(np.array(counts), entropy=entropy))
        found[leaves] = found.get(leaves, 0) + 1
    assert set(found) <= set(expected)
    statistic = sum((found.get(t, 0) - draws * p) ** 2 / (draws * p) for t, p in expected.items())
    assert statistic < 50  # chi-square with 4 degrees of freedom: 4e-10


def test_other_and_missing_codes_do_not_grow_a_tree() -> None:
    column = Column(name="x", kind=Kind.INTEGER)
    schema = Schema(name="t", population="t", unit=Unit(max_rows=1), columns=(column,))
    table = PrivateTable.of({"x": ["", "77"] * 10**4}, schema)
    answers = [json.loads(tree(4, epsilon=1.0).answer(table, entropy=Rehearsal(s))) for s in range(40)]
    assert sum(len(a) > 1 for a in answers) < 35

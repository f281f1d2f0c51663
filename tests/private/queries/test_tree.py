"""Trees over a range: their parameters and coins; the law: `tests/contracts/test_trees_on_neighbours.py`."""

import json
import math
from fractions import Fraction

import pytest

from synth.core.accounting import GAUSSIAN, ZCDP, Law
from synth.core.axis import Axis
from synth.core.schema import Column, Kind, Outside, Schema, Unit
from synth.private.entropy import Rehearsal
from synth.private.queries import TreeQuery
from synth.private.queries.tree import LN2_ABOVE
from synth.private.table import PrivateTable


def grid(cells: int) -> Axis:
    column = Column(name="x", kind=Kind.INTEGER, outside=Outside.OTHER)
    return Axis(column=column, edges=tuple(float(e) for e in range(cells + 1)), other="Other")


def tree(cells: int, *, epsilon: float) -> TreeQuery:
    return TreeQuery(axis=grid(cells), change=1, units=math.ceil(epsilon**2 / 2 * 10**12))


def chances(query: TreeQuery, count: int, depth: int) -> tuple[float, float]:
    """Return Pr[b + Laplace > 0] and its complement in floats, implemented independently of the exact
    decision.
    """
    scale, decay = float(query.scale), float(query.decay)
    biased = max(count - depth * decay, -decay)
    tail = 0.5 * math.exp(-abs(biased) / scale)
    return (tail, 1 - tail) if biased <= 0 else (1 - tail, tail)


@pytest.mark.parametrize("law", [GAUSSIAN, ZCDP])
def test_price_and_parameters_are_on_the_safe_side(law: Law) -> None:
    assert Fraction(LN2_ABOVE) > Fraction(math.log(2))
    for units in (1, 7, 10**9, 123456789012):
        query = TreeQuery(axis=grid(4), change=2, units=units, law=law)
        assert query.scale * Fraction(law.range_within(units)) == 8
        assert query.decay > query.scale * Fraction(math.log(2))


@pytest.mark.parametrize(("count", "depth"), [(0, 0), (0, 3), (5, 0), (5, 1), (9, 2), (30, 1)])
def test_coins_follow_their_law(count: int, depth: int) -> None:
    query = tree(64, epsilon=1.0)
    p, _ = chances(query, count, depth)
    entropy = Rehearsal(count * 10 + depth)
    draws = 8000
    heads = sum(query.splits(count, depth, entropy=entropy) for _ in range(draws))
    assert abs(heads - draws * p) < 6.2 * math.sqrt(draws * p * (1 - p))


def test_other_and_missing_codes_do_not_grow_a_tree() -> None:
    column = Column(name="x", kind=Kind.INTEGER)
    schema = Schema(name="t", population="t", unit=Unit(max_rows=1), columns=(column,))
    table = PrivateTable.of({"x": ["", "77"] * 10**4}, schema)
    answers = [json.loads(tree(4, epsilon=1.0).answer(table, entropy=Rehearsal(s))) for s in range(40)]
    assert sum(len(a) > 1 for a in answers) < 35

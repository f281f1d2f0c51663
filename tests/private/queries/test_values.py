"""Test value lists: their exact privacy loss on small cases, and their probabilities."""

import itertools
import math
from dataclasses import replace

import pytest

from synth.core.accounting.zcdp import delta_from
from synth.core.schema import Neighbours
from synth.private.entropy import Rehearsal
from synth.private.queries import ValuesQuery
from synth.private.terms import Terms
from tests.private.queries.tables import tail


def values(delta: float = 1e-6, rows: int = 1, rho: float = 0.5) -> ValuesQuery:
    return ValuesQuery(column="sex", rows=rows, l2_squared=rows**2, units=round(rho * 10**12), delta=delta)


@pytest.mark.parametrize("rows", [1, 2, 5])
@pytest.mark.parametrize("rho", [0.005, 0.5, 20.0])
@pytest.mark.parametrize("delta", [0.1, 1e-4, 1e-9])
def test_a_lone_unit_appears_with_probability_below_delta(rows: int, rho: float, delta: float) -> None:
    query = values(delta, rows, rho)
    for texts in range(1, rows + 1):
        most = rows - texts + 1
        appears = tail(query.variance, query.threshold - most)
        assert 1 - (1 - appears) ** texts <= delta


def listings(query: ValuesQuery, counts: dict[str, int]) -> dict[tuple[str, ...], float]:
    """Return the exact probability of every list."""
    found = {(): 1.0}
    for text, count in sorted(counts.items()):
        p = tail(query.variance, query.threshold - count)
        found = {(*t, *new): q * (p if new else 1 - p) for t, q in found.items() for new in ((), (text,))}
    return found


@pytest.mark.parametrize("relation", list(Neighbours))
@pytest.mark.parametrize("rows", [1, 3])
@pytest.mark.parametrize("rho", [0.01, 0.1, 1.0])
def test_a_list_keeps_its_promise_on_neighbours(relation: Neighbours, rows: int, rho: float) -> None:
    """A unit's rows stand on a text of its own and on one that others hold; the list's delta comes on top of
    what rho amounts to, at every epsilon and either way round."""
    change = Terms(rows=rows, neighbours=relation)
    query = ValuesQuery(
        column="sex", rows=rows, l2_squared=change.l2_squared, units=round(rho * 10**12), delta=1e-3
    )
    replaces = relation is Neighbours.REPLACE
    for others, own in itertools.product((0, query.threshold - rows, query.threshold), range(rows + 1)):
        mine = {"a": others + rows - own, "b": own, "d": 7}
        without = {"a": others, "c": own, "d": 7 + rows - own} if replaces else {"a": others, "d": 7}
        p, q = listings(query, mine), listings(query, without)
        for epsilon, (x, y) in itertools.product((0.05, 0.5, 2.0), ((p, q), (q, p))):
            delta = sum(max(0.0, chance - math.exp(epsilon) * y.get(t, 0.0)) for t, chance in x.items())
            assert delta <= delta_from(rho, epsilon) + query.delta


def test_listing_has_the_odds_of_its_noise() -> None:
    query = values(1e-3, 1, 0.005)
    counts = {f"v{i:05}": query.threshold for i in range(20000)}
    shown = len(query.listed(counts, entropy=Rehearsal(1)))
    p = tail(query.variance, 0)
    assert abs(shown - 20000 * p) < 6.2 * math.sqrt(20000 * p * (1 - p))


def test_a_list_whose_threshold_forgets_the_rows_of_a_unit_breaks_its_promise() -> None:
    """The check above has power: at twenty rows the unit's own text is seen at a threshold made for one."""
    honest = values(1e-3, 20, 1.0)
    forgetful = replace(values(1e-3, 1, 1.0), l2_squared=400)
    assert tail(honest.variance, honest.threshold - 20) <= 1e-3
    assert tail(forgetful.variance, forgetful.threshold - 20) > 1e-2


def test_threshold_is_not_far_above_what_delta_needs() -> None:
    query = values(1e-6, 1, 0.005)
    assert tail(query.variance, query.threshold - 1 - 2) > 1e-6 / 2

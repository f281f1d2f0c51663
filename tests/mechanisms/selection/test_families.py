import math

import numpy as np
import pytest

from synth.core.domain import Clique, Domain, maximal
from synth.mechanisms.selection.families import Strength, families, r_score

DOMAIN = Domain(tuple("abcde"), (2, 3, 4, 5, 6))


def strength(**values: float) -> Strength:
    table = np.zeros((5, 5))
    for (x, y), value in values.items():
        i, j = DOMAIN.axes((x, y))
        table[i, j] = table[j, i] = value
    return table


def found(table: Strength, *, cells: int = 10**6, most: int = 5, cliques=(tuple("abcde"),)) -> list[Clique]:  # type: ignore[no-untyped-def]
    return families(DOMAIN, cliques, table, useful=lambda r: DOMAIN.size(r) <= cells, most=most)


def test_parents_that_tell_the_same_count_less_than_parents_that_do_not() -> None:
    apart, alike = strength(ab=0.5, ac=0.5), strength(ab=0.5, ac=0.5, bc=0.9)
    assert r_score(apart, 0, [1, 2]) == pytest.approx(1 / math.sqrt(2))
    assert r_score(alike, 0, [1, 2]) == pytest.approx(1 / math.sqrt(2.9))
    assert r_score(apart, 0, [1]) == 0.5
    assert r_score(apart, 0, []) == 0.0


def test_the_best_parent_is_taken_where_only_pairs_are_useful() -> None:
    table = strength(ab=0.9, bc=0.8, ac=0.7, cd=0.6, de=0.5)
    chosen = families(DOMAIN, [tuple("abcde")], table, useful=lambda r: len(r) <= 2, most=4)
    assert set(chosen) == {("a", "b"), ("b", "c"), ("c", "d"), ("d", "e")}


def test_families_grow_until_no_parent_can_be_added() -> None:
    chosen = found(strength(ab=0.9, bc=0.8), most=1)
    assert chosen == [tuple("abcde")]
    assert max(DOMAIN.size(r) for r in found(strength(ab=0.9, bc=0.8), cells=24)) <= 24


@pytest.mark.parametrize("cells", [1, 7, 24, 120])
def test_every_column_is_covered_and_none_lies_inside_another(cells: int) -> None:
    rng = np.random.default_rng(cells)
    table = np.triu(rng.random((5, 5)), 1)
    chosen = found(table + table.T, cells=cells, cliques=(("a", "b", "c"), ("c", "d")))
    assert {name for r in chosen for name in r} == set("abcde")
    assert len(maximal(chosen)) == len(chosen) <= 5


def test_further_families_fill_the_list_by_their_scores() -> None:
    """Both cliques contain a and b. The better family of b is kept first, and the other one fills the
    list.
    """
    table = strength(ab=0.9, bc=0.3, bd=0.5, ac=0.1, ad=0.2)
    cliques = (("a", "b", "c"), ("a", "b", "d"))
    few = found(table, cells=24, most=1, cliques=cliques)
    more = found(table, cells=24, most=5, cliques=cliques)
    assert set(few) <= set(more)
    assert ("e",) in few

from itertools import combinations
from math import comb

import pytest

from synth.core.domain import Clique, Domain
from synth.mechanisms.selection.network import MOST_ROWS_READ, families, most_parents

DOMAIN = Domain(tuple("abcdef"), (2, 3, 2, 9, 2, 2))


def test_a_child_gets_the_largest_parent_sets_that_are_allowed_and_no_part_of_them() -> None:
    found = families(DOMAIN, "abcd", "ef", parents=3, allowed=lambda r: DOMAIN.size(r) <= 24)
    for clique, child in found.items():
        assert child in "ef" and child in clique and "abcd".find(clique[0]) >= 0
    sets = {frozenset(r) - {child} for r, child in found.items() if child == "e"}
    assert sets == {frozenset("abc"), frozenset("d")}
    sets = {
        frozenset(r) - {c}
        for r, c in families(DOMAIN, "abcd", "e", parents=2, allowed=lambda r: DOMAIN.size(r) <= 36).items()
    }
    assert sets == {frozenset("ab"), frozenset("ac"), frozenset("bc"), frozenset("ad"), frozenset("cd")}


def test_the_first_family_is_any_pair() -> None:
    found = families(DOMAIN, "", "abc", parents=3, allowed=lambda r: r != ("a", "c"))
    assert found == {("a", "b"): "b", ("b", "c"): "c"}


def test_a_column_without_an_allowed_parent_stays_out() -> None:
    def allowed(clique: Clique) -> bool:
        return "d" not in clique

    assert set(families(DOMAIN, "ab", "cd", parents=1, allowed=allowed).values()) == {"c"}


@pytest.mark.parametrize("k", [1, 2, 3])
def test_the_number_of_families_is_known_beforehand(k: int) -> None:
    counted, names = 0, DOMAIN.names
    for v in range(1, len(names)):
        found = families(DOMAIN, names[:v], names[v:], parents=k, allowed=lambda r: len(r) == k + 1)
        assert len(found) == (len(names) - v) * len(list(combinations(names[:v], k)))
        counted += len(found)
    assert counted == comb(len(names) + 1, k + 2)


def test_more_columns_or_rows_make_fewer_parents_but_never_none() -> None:
    parents = [most_parents(d, wanted=3, rows=1e5) for d in (5, 15, 30, 100)]
    assert parents == [3, 3, 2, 1]
    assert most_parents(15, wanted=3, rows=1e7) == 1
    assert most_parents(5, wanted=2, rows=1.0) == 2
    assert comb(16, 5) * 1e5 <= MOST_ROWS_READ < comb(31, 5) * 1e5

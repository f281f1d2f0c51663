"""Many tables of a target, cut elsewhere every time; `test_target_look` tries how a run comes to them."""

from __future__ import annotations

import numpy as np

from synth.domain import Domain
from synth.measure.questions import Marginal
from synth.mechanisms.tilings import MOST_CELLS, TABLES, tilings

NAMES = (*"abcdef", "y")
DOMAIN = Domain(NAMES, (12, 12, 12, 12, 12, 12, 5))
EVEN = {name: np.full(12, 100.0) for name in "abcdef"} | {"y": np.full(5, 240.0)}


def asked(
    columns: dict[str, np.ndarray] = EVEN, *, names: str = "abcdef", ordered: str = "abcdef"
) -> list[Marginal]:
    sizes = dict.fromkeys(ordered, 12)
    return tilings(DOMAIN, names, columns, target="y", ordered=sizes, rng=np.random.default_rng(0))


def size(question: Marginal) -> int:
    coarse = DOMAIN.with_sizes({n: max(group_of) + 1 for n, group_of in question.groups.items()})
    return coarse.size(question.clique)


def test_every_table_has_the_target_in_its_own_codes_and_no_more_cells_than_may_be() -> None:
    found = asked()
    assert len(found) == TABLES
    assert all("y" in q.clique and "y" not in q.groups and len(q.clique) > 2 for q in found)
    assert MOST_CELLS / 4 < max(size(q) for q in found) <= MOST_CELLS
    assert all(q.fits(DOMAIN) for q in found)


def test_cuts_and_columns_differ_from_table_to_table() -> None:
    found = asked()
    assert len({q.clique for q in found}) > 5
    assert len({q.groups["a"] for q in found if "a" in q.groups}) > 3


def test_codes_in_order_fall_in_runs_and_others_do_not() -> None:
    for question in asked(ordered="abc"):
        for name, group_of in question.groups.items():
            if name in "abc":
                assert list(group_of) == sorted(group_of)
    mixed = [q.groups["d"] for q in asked(ordered="abc") if "d" in q.groups]
    assert any(list(group_of) != sorted(group_of) for group_of in mixed)


def test_groups_hold_a_part_of_the_records_however_these_lie() -> None:
    heavy = np.array([900.0, 50, 50, 50, 50, 50, 50, 0, 0, 0, 0, 0])
    for question in asked({**EVEN, "a": heavy}):
        if "a" in question.groups:
            assert max(question.groups["a"]) <= 2, "the tail holds less than half of the records"
    for question in asked():
        for group_of in question.groups.values():
            assert np.bincount(group_of).max() <= 7


def test_a_target_of_too_many_codes_or_one_column_beside_it_is_not_asked_about() -> None:
    assert asked(names="a") == []
    wide = Domain(("a", "b", "y"), (12, 12, 600))
    found = tilings(
        wide, "ab", {**EVEN, "y": np.ones(600)}, target="y", ordered={}, rng=np.random.default_rng(0)
    )
    assert found == []

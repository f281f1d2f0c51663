"""Many tables of a target with different groups of codes. `test_target` tests the runs that use them."""

from fractions import Fraction

import numpy as np
import pytest

from synth.core.codebook import Codebook
from synth.core.domain import Domain
from synth.core.evidence import Evidence
from synth.core.measurements.noisy import Measurement
from synth.mechanisms.blend.constants import MOST_TABLE_CELLS, TILINGS
from synth.mechanisms.blend.tilings import tilings
from synth.private.queries import Marginal

NAMES = (*"abcdef", "y")
DOMAIN = Domain(NAMES, (12, 12, 12, 12, 12, 12, 5))
EVEN = {name: np.full(12, 100.0) for name in "abcdef"} | {"y": np.full(5, 240.0)}


def requested(
    columns: dict[str, np.ndarray] = EVEN, *, names: str = "abcdef", ordered: str = "abcdef"
) -> list[Marginal]:
    sizes = dict.fromkeys(ordered, 12)
    return tilings(DOMAIN, names, columns, target="y", ordered=sizes, rng=np.random.default_rng(0))


def size(question: Marginal) -> int:
    coarse = DOMAIN.with_sizes({n: max(group_of) + 1 for n, group_of in question.groups.items()})
    return coarse.size(question.clique)


def test_every_table_has_the_target_in_its_own_codes_and_no_more_cells_than_may_be() -> None:
    found = requested()
    assert len(found) == TILINGS
    assert all("y" in q.clique and "y" not in q.groups and len(q.clique) > 2 for q in found)
    assert MOST_TABLE_CELLS / 4 < max(size(q) for q in found) <= MOST_TABLE_CELLS
    assert all(q.fits(DOMAIN) for q in found)
    assert len({q.clique for q in found}) > 5
    assert len({q.groups["a"] for q in found if "a" in q.groups}) > 3


def test_codes_in_order_fall_in_runs_and_others_do_not() -> None:
    for question in requested(ordered="abc"):
        for name, group_of in question.groups.items():
            if name in "abc":
                assert list(group_of) == sorted(group_of)
    mixed = [q.groups["d"] for q in requested(ordered="abc") if "d" in q.groups]
    assert any(list(group_of) != sorted(group_of) for group_of in mixed)


def test_groups_hold_a_part_of_the_records_however_these_lie() -> None:
    heavy = np.array([900.0, 50, 50, 50, 50, 50, 50, 0, 0, 0, 0, 0])
    for question in requested({**EVEN, "a": heavy}):
        if "a" in question.groups:
            assert max(question.groups["a"]) <= 2, "the tail holds less than half of the records"
    for question in requested():
        for group_of in question.groups.values():
            assert np.bincount(group_of).max() <= 7


def test_tables_that_are_alike_are_asked_once_and_all_are_tilings() -> None:
    """Columns of three codes can be cut in only a few ways."""
    names = ("a", "b", "y")
    domain = Domain(names, (3, 3, 2))
    even = {"a": np.full(3, 100.0), "b": np.full(3, 100.0), "y": np.full(2, 150.0)}
    ordered = {"a": 3, "b": 3}
    found = tilings(domain, "ab", even, target="y", ordered=ordered, rng=np.random.default_rng(0))
    asked_for = [(q.clique, tuple(sorted(q.groups.items()))) for q in found]
    assert 1 < len(set(asked_for)) == len(asked_for) < TILINGS
    answers = [
        Measurement(
            clique=q.clique,
            counts=np.zeros((2, 2, 2), dtype=np.int64),
            variance=Fraction(1),
            units=1,
            groups=dict(q.groups),
        )
        for q in found
    ]
    stated = Evidence(codebook=Codebook.plain(domain, ordered=ordered), answers=tuple(answers), total=300.0)
    assert stated.measurements == () and len(stated.tilings) == len(found)


@pytest.mark.parametrize("ordered", ["abcd", ""])
@pytest.mark.parametrize("counts", [(500.0, 500.0), (900.0, 100.0)])
def test_with_one_way_to_cut_there_are_no_tilings(ordered: str, counts: tuple[float, ...]) -> None:
    domain = Domain((*"abcd", "y"), (2, 2, 2, 2, 2))
    columns = dict.fromkeys(domain.names, np.array(counts))
    sizes, rng = dict.fromkeys(ordered, 2), np.random.default_rng(0)
    assert tilings(domain, "abcd", columns, target="y", ordered=sizes, rng=rng) == []


def test_a_target_of_too_many_codes_or_one_column_beside_it_is_not_asked_about() -> None:
    assert requested(names="a") == []
    wide = Domain(("a", "b", "y"), (12, 12, 600))
    found = tilings(
        wide, "ab", {**EVEN, "y": np.ones(600)}, target="y", ordered={}, rng=np.random.default_rng(0)
    )
    assert found == []

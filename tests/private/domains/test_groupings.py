"""Test groupings by the leaves of a tree and by rare values."""

import numpy as np
import pytest

from synth.core.axis import Axis, Grouping
from synth.core.discretisation import axis_of
from synth.core.schema import Binning, Column, Kind, Outside
from synth.private.domains.groupings import leaves_to_grouping, merge_rare
from tests.models.examples import measurement

AXIS = axis_of(
    Column(name="x", kind=Kind.INTEGER, min=0, max=9, binning=Binning.PRIVTREE, outside=Outside.OTHER)
)


def test_no_leaf_straddles_what_a_rule_needs() -> None:
    grouping = leaves_to_grouping(AXIS, b"[0]", cuts=[3.0, 8.0, 77.0])
    assert grouping.group_of == (0, 0, 0, 1, 1, 1, 1, 1, 2, 2, 3, 4)


AXIS_RARE = axis_of(Column(name="c", kind=Kind.CATEGORY, values=("a", "b", "c", "d"), outside=Outside.OTHER))


def merged(
    *counts: int, sigma: int = 1, protected: tuple[str, ...] = (), axis: Axis = AXIS_RARE
) -> Grouping | None:
    answer = measurement(("c",), np.array(counts, dtype=np.int64), sigma**2)
    return merge_rare(axis, answer, protected=protected)


def test_if_all_are_rare_the_largest_stays() -> None:
    grouping = merged(1, 2, 0, -1, 0, 0)
    assert grouping is not None
    assert grouping.group_of == (1, 0, 1, 1, 2, 3)


def test_other_and_missing_never_merge_and_missing_stays_last() -> None:
    grouping = merged(0, 0, 90, 90, -3, 0)
    assert grouping is not None
    assert grouping.group_of[AXIS_RARE.other_code or 0] == 3
    assert grouping.group_of[AXIS_RARE.missing_code] == grouping.size - 1


def test_what_a_rule_mentions_never_merges() -> None:
    assert merged(50, 0, 50, 0, 0, 0, protected=("b",)) is None
    grouping = merged(50, 0, 0, 0, 0, 0, protected=("b",))
    assert grouping is not None
    assert grouping.group_of == (0, 1, 2, 2, 3, 4)


def test_true_is_not_the_number_one() -> None:
    axis = axis_of(Column(name="c", kind=Kind.CATEGORY, values=(1, 2, True, "x")))
    assert merged(0, 0, 90, 90, 0, protected=(True,), axis=axis) is not None  # type: ignore[arg-type]


def test_a_measurement_of_something_else_is_refused() -> None:
    with pytest.raises(ValueError, match="single column"):
        merged(1, 2, 3)

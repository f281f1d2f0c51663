"""Groups of codes by the leaves of a tree, and of rare values."""

import json
from fractions import Fraction

import numpy as np
import pytest

from synth.core.axis import Axis, Grouping
from synth.core.discretisation import axis_of
from synth.core.measurements.noisy import Measurement
from synth.core.schema import Binning, Column, Kind, Outside
from synth.private.domains.groupings import leaves_to_grouping, merge_rare
from synth.release.decode import decode

AXIS = axis_of(
    Column(name="x", kind=Kind.INTEGER, min=0, max=9, binning=Binning.PRIVTREE, outside=Outside.OTHER)
)


def test_leaves_cover_their_cells_and_other_and_missing_stay_alone() -> None:
    grouping = leaves_to_grouping(AXIS, json.dumps([0, 5, 7]).encode())
    assert grouping.group_of == (0, 0, 0, 0, 0, 1, 1, 2, 2, 2, 3, 4)
    assert grouping.size == 5
    assert grouping.group_of[AXIS.missing_code] == grouping.size - 1


def test_no_leaf_straddles_what_a_rule_needs() -> None:
    grouping = leaves_to_grouping(AXIS, b"[0]", cuts=[3.0, 8.0, 77.0])
    assert grouping.group_of == (0, 0, 0, 1, 1, 1, 1, 1, 2, 2, 3, 4)


def test_a_leaf_of_unequal_cells_is_filled_evenly() -> None:
    column = Column(name="x", kind=Kind.INTEGER, min=0, max=1024 * 3 // 2 - 1, binning=Binning.PRIVTREE)
    axis = axis_of(column)
    assert set(np.diff(axis.edges)) == {1.0, 2.0}
    grouping = leaves_to_grouping(axis, b"[0]")
    rng = np.random.default_rng(1)
    rows = 60000
    fine = grouping.refine(np.zeros(rows, dtype=np.int64), rng)
    values = decode(fine[:, None], [axis], rng)["x"].to_numpy(dtype=np.int64)
    np.testing.assert_allclose(np.bincount(fine), rows / 1536 * np.diff(axis.edges), atol=1.01)
    counts = np.histogram(values, bins=12, range=(0, 1536))[0]
    assert np.all(np.abs(counts - rows / 12) < 6.5 * np.sqrt(rows / 12))


AXIS_RARE = axis_of(Column(name="c", kind=Kind.CATEGORY, values=("a", "b", "c", "d"), outside=Outside.OTHER))


def merged(
    *counts: int, sigma: int = 1, protected: tuple[str, ...] = (), axis: Axis = AXIS_RARE
) -> Grouping | None:
    answer = Measurement(
        clique=("c",), counts=np.array(counts, dtype=np.int64), variance=Fraction(sigma**2), units=1
    )
    return merge_rare(axis, answer, protected=protected)


def test_values_below_three_sigma_merge_and_keep_their_proportions() -> None:
    grouping = merged(50, 3, 40, -2, 0, 0)
    assert grouping is not None
    assert grouping.group_of == (0, 2, 1, 2, 3, 4)
    assert grouping.weights == (50, 3, 40, 0, 0, 0)


def test_the_second_threshold_is_a_share_of_the_noisy_total() -> None:
    assert merged(3000, 5, 6, 3000, 0, 0) is not None
    assert merged(2500, 12, 13, 2500, 0, 0) is None
    assert merged(7000, 12, 13, 7000, 0, 0) is not None


def test_one_rare_value_alone_is_kept() -> None:
    assert merged(50, 50, 50, 0, 0, 0) is None


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
    with pytest.raises(ValueError, match="own column"):
        merged(1, 2, 3)

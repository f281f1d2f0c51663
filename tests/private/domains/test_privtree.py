"""Leaves as groups of cells."""

import json

import numpy as np

from synth.core.discretisation import axis_of
from synth.core.schema import Binning, Column, Kind, Outside
from synth.private.domains.privtree import leaves_to_grouping
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

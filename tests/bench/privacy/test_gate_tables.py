from __future__ import annotations

import numpy as np
import pytest

from synth.bench.privacy.gate_tables import (
    ADDED,
    EXCHANGED,
    MIXED,
    REMOVED,
    YES_NO,
    GateTable,
    Neighbour,
)

pytestmark = pytest.mark.parametrize("table", [MIXED, YES_NO], ids=["mixed", "yes-no"])


def counted(table: GateTable) -> list[Neighbour]:
    return [one for one in table.neighbours() if one.how != EXCHANGED]


def test_a_neighbour_differs_by_one_row(table: GateTable) -> None:
    many = len(table.rows)
    lengths = {(one.how, len(one.rows)) for one in table.neighbours()}
    assert lengths == {(REMOVED, many - 1), (ADDED, many + 1), (EXCHANGED, many)}
    (exchanged,) = [one.rows for one in table.neighbours() if one.how == EXCHANGED]
    assert (exchanged != table.rows).any(axis=1).sum() == 1


def test_every_code_is_touched_by_a_neighbour_that_counts(table: GateTable) -> None:
    for place, size in enumerate(table.sizes.values()):
        here, *others = (
            np.bincount(rows[:, place], minlength=size)
            for rows in (table.rows, *(one.rows for one in counted(table)))
        )
        assert {int(code) for there in others for code in np.flatnonzero(there - here)} == {*range(size)}


def test_every_cell_is_touched_by_a_cheap_neighbour(table: GateTable) -> None:
    cells = {*np.ndindex(*table.sizes.values())}
    assert {tuple(one.rows[-1]) for one in table.of_cells()} == cells
    assert {tuple(one.rows[-1]) for one in table.of_pairs()} == cells
    assert {(one.how, len(one.rows)) for one in table.of_cells()} == {(ADDED, len(table.rows) + 1)}


def test_the_rows_elsewhere_are_others_and_have_every_code(table: GateTable) -> None:
    far, sizes = table.elsewhere(), [*table.sizes.values()]
    assert len(far) < len(table.rows) / 1.5 and [len(np.unique(column)) for column in far.T] == sizes
    bins = [np.arange(size + 1) for size in sizes]
    here, there = (np.histogramdd(rows, bins=bins)[0] for rows in (table.rows, far))
    assert (here != there).mean() > 0.8

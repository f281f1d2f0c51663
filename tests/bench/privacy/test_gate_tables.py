from __future__ import annotations

import numpy as np
import pytest

from synth.bench.privacy.gate_tables import (
    ADDED,
    EXCHANGED,
    MIXED,
    RARE,
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


def test_every_pair_of_codes_of_the_first_two_is_touched(table: GateTable) -> None:
    first, second, *_ = table.sizes.values()
    assert {row[:2] for row in table.covering} == {*np.ndindex(first, second)}


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


def test_a_unit_of_two_rows_moves_a_count_by_two(table: GateTable) -> None:
    assert {len(one.rows) - len(table.rows) for one in table.of_pairs()} == {2}
    assert all((one.rows[-1] == one.rows[-2]).all() for one in table.of_pairs())


def test_one_code_is_in_a_single_row_and_one_in_none(table: GateTable) -> None:
    counts = [
        np.bincount(codes, minlength=n) for codes, n in zip(table.rows.T, table.sizes.values(), strict=True)
    ]
    assert min(count[count > 0].min() for count in counts) == 1 and min(count.min() for count in counts) == 0
    rarest = [count[code] for count, code in zip(counts, table.rows[RARE], strict=True)]
    assert tuple(table.rows[RARE]) == table.covering[0] and min(rarest) == 1
    assert min(count[code] for count, code in zip(counts, table.covering[1], strict=True)) == 0


def test_the_swapped_declaration_has_more_codes_everywhere(table: GateTable) -> None:
    assert all(table.swapped()[name] > size for name, size in table.sizes.items())

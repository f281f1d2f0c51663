from __future__ import annotations

import numpy as np

from synth.bench.gate_tables import (
    ADDED,
    EXCHANGED,
    REMOVED,
    ROWS,
    SIZES,
    Neighbour,
    Rows,
    base,
    elsewhere,
    neighbours,
    of_cells,
    of_pairs,
    swapped,
)


def counted() -> list[Neighbour]:
    return [one for one in neighbours() if one.how != EXCHANGED]


def rows_of(one: Neighbour) -> Rows:
    return one.rows


def test_a_neighbour_differs_by_one_row() -> None:
    lengths = {(one.how, len(one.rows)) for one in neighbours()}
    assert lengths == {(REMOVED, ROWS - 1), (ADDED, ROWS + 1), (EXCHANGED, ROWS)}
    (exchanged,) = [one.rows for one in neighbours() if one.how == EXCHANGED]
    assert (exchanged != base()).any(axis=1).sum() == 1


def test_every_code_is_touched_by_a_neighbour_that_counts() -> None:
    counts = [
        [np.bincount(t[:, i], minlength=8) for i in range(3)] for t in (base(), *map(rows_of, counted()))
    ]
    touched = [
        {int(code) for table in counts[1:] for code in np.flatnonzero(table[i] - counts[0][i])}
        for i in range(3)
    ]
    assert touched == [set(range(size)) for size in SIZES.values()]


def test_every_cell_is_touched_by_a_cheap_neighbour() -> None:
    cells = set(np.ndindex(*SIZES.values()))
    assert {tuple(one.rows[-1]) for one in of_cells()} == cells == {tuple(one.rows[-1]) for one in of_pairs()}
    assert {(one.how, len(one.rows)) for one in of_cells()} == {(ADDED, ROWS + 1)}


def test_the_rows_elsewhere_are_others_and_have_every_code() -> None:
    far = elsewhere()
    assert len(far) < ROWS / 1.5 and [len(np.unique(column)) for column in far.T] == [*SIZES.values()]
    bins = [np.arange(size + 1) for size in SIZES.values()]
    here, there = (np.histogramdd(rows, bins=bins)[0] for rows in (base(), far))
    assert (here != there).mean() > 0.8


def test_a_unit_of_two_rows_moves_a_count_by_two() -> None:
    assert {len(one.rows) - ROWS for one in of_pairs()} == {2}
    assert all((one.rows[-1] == one.rows[-2]).all() for one in of_pairs())


def test_one_code_is_in_a_single_row_and_one_in_none() -> None:
    counts = np.bincount(base()[:, 2], minlength=SIZES["c"])
    assert counts[-2:].tolist() == [1, 0] and (counts[:-2] > 1).all()


def test_the_swapped_declaration_has_more_codes_everywhere() -> None:
    assert all(swapped()[name] > size for name, size in SIZES.items())

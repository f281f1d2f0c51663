from __future__ import annotations

import numpy as np

from synth.bench.gate_tables import ADDED, EXCHANGED, REMOVED, ROWS, SIZES, base, neighbours, swapped


def test_a_neighbour_differs_by_one_row() -> None:
    lengths = {one.how: len(one.rows) for one in neighbours()}
    assert lengths == {REMOVED: ROWS - 1, ADDED: ROWS + 1, EXCHANGED: ROWS}
    (exchanged,) = [one.rows for one in neighbours() if one.how == EXCHANGED]
    assert (exchanged != base()).any(axis=1).sum() == 1


def test_one_code_is_in_a_single_row_and_one_in_none() -> None:
    counts = np.bincount(base()[:, 2], minlength=SIZES["c"])
    assert counts[-2:].tolist() == [1, 0] and (counts[:-2] > 1).all()


def test_the_swapped_declaration_has_more_codes_everywhere() -> None:
    assert all(swapped()[name] > size for name, size in SIZES.items())

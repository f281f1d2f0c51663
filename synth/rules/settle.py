"""Comparisons inside a cell: a bin may hold right and wrong pairs, so the drawn values are put in order.

Structural zeros forbid the cells in which a comparison cannot hold. In the cells that stay, two values drawn
independently may still stand the wrong way round (a day of leaving before the day of joining, both in the
same month). Those two values are exchanged, as far as their cells allow. No value leaves its cell, so
anything else that was true of the codes stays true. Post-processing: reads synthetic values only.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from synth.core.axis import Axis
from synth.core.schema import Kind
from synth.rules.atoms import numbers_of
from synth.rules.rulebook import Rules
from synth.rules.tables import compare_rows
from synth.rules.terms import Compare

PASSES = 5
"""Rounds over all comparisons, for chains such as born, joined, left."""


def settle(rules: Rules, frame: Any, axes: Sequence[Axis]) -> None:
    """Put the compared values of a decoded table in order, in place, each within its cell.

    `frame` is a pandas DataFrame or a dict of numpy arrays. Rows whose cells admit no right pair, which the
    structural zeros exclude, are left as they are and counted by `Rules.violations`.
    """
    by_name = {axis.name: axis for axis in axes}
    comparisons = [p for rule in rules.rules for p in rule.parts if isinstance(p, Compare)]
    for _ in range(PASSES):
        moved = [_settle_one(part, frame, by_name, rules) for part in comparisons]
        if not any(moved):
            return


def _settle_one(part: Compare, frame: Any, axes: dict[str, Axis], rules: Rules) -> bool:
    """One comparison; whether anything had to be moved."""
    if part.operator not in ("at most", "below"):
        part = part.mirrored()
    low_axis, high_axis = axes[part.left], axes[part.right]
    rows = np.flatnonzero(compare_rows(part, frame, rules.atoms))
    if not low_axis.edges or not len(rows):
        return False
    kind = low_axis.column.kind
    small, large = (numbers_of(frame[n], kind)[0][rows] for n in (part.left, part.right))
    floor, ceiling = _cell(small, low_axis)[0], _cell(large, high_axis)[1]
    small, large = _ordered(small, large, floor, ceiling)
    if part.operator == "below":
        small, large = _parted(small, large, floor, ceiling, kind)
    for name, numbers in ((part.left, small), (part.right, large)):
        column = frame[name].copy()
        column[rows] = _written(numbers, kind)
        frame[name] = column
    return True


def _cell(numbers: NDArray[np.float64], axis: Axis) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Smallest and largest value of the cell that each number lies in."""
    edges = np.asarray(axis.edges)
    code = np.clip(np.searchsorted(edges, numbers, side="right") - 1, 0, axis.cells - 1)
    if axis.column.kind is Kind.DECIMAL:
        tops = np.nextafter(edges[1:], -np.inf)
        tops[-1] = edges[-1]
        return edges[:-1][code], tops[code]
    return edges[:-1][code], edges[1:][code] - 1


def _ordered(
    small: NDArray[np.float64],
    large: NDArray[np.float64],
    floor: NDArray[np.float64],
    ceiling: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Two values that stand the wrong way round, exchanged as far as their cells admit.

    `floor` is the smallest value of the first one's cell, `ceiling` the largest of the second one's. Where
    floor <= ceiling the results are in order; they lie in their cells always.
    """
    return np.maximum(floor, large), np.minimum(ceiling, small)


def _parted(
    small: NDArray[np.float64],
    large: NDArray[np.float64],
    floor: NDArray[np.float64],
    ceiling: NDArray[np.float64],
    kind: Kind,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Equal values moved apart within their cells: the second up if there is room, else the first down."""
    tied = small >= large
    up = large + 1 if kind is not Kind.DECIMAL else large + (ceiling - large) / 2
    down = small - 1 if kind is not Kind.DECIMAL else floor + (small - floor) / 2
    room = tied & (up > large) & (up <= ceiling)
    return np.where(tied & ~room & (down >= floor), down, small), np.where(room, up, large)


def _written(numbers: NDArray[np.float64], kind: Kind) -> Any:
    """Numbers back in the type a decoded column has."""
    if kind is Kind.DATE:
        return numbers.astype(np.int64).astype("datetime64[D]").astype(str).astype(object)
    return numbers.astype(np.int64) if kind is Kind.INTEGER else numbers

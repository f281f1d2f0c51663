"""Correct drawn values that violate a comparison of columns inside a cell.

Structural zeros forbid the cells in which a comparison is always false. In other cells, two values that are
drawn independently may still be in the wrong order. For example, the day of leaving may be before the day of
joining in the same month. Such values are exchanged, as far as their cells allow. No value leaves its cell,
so the codes do not change. This is post-processing, because it reads only synthetic values.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from synth.core.axis import PLACES, Axis
from synth.core.schema import Kind
from synth.rules.atoms import numbers_of
from synth.rules.rulebook import Rules
from synth.rules.tables import compare_rows
from synth.rules.terms import Compare

PASSES = 5
"""Number of passes over all comparisons, which is needed for chains such as born, joined, left."""


def settle(rules: Rules, frame: Any, axes: Sequence[Axis]) -> None:
    """Put the compared values of a decoded table in order, in place, each within its cell.

    `frame` is a pandas DataFrame or a dict of numpy arrays. Structural zeros exclude rows whose cells contain
    no pair in the right order. Such rows are left unchanged if they exist, and `Rules.violations` counts
    them.
    """
    by_name = {axis.name: axis for axis in axes}
    comparisons = [p for rule in rules.rules for p in rule.parts if isinstance(p, Compare)]
    for _ in range(PASSES):
        moved = [_settle_one(part, frame, by_name, rules) for part in comparisons]
        if not any(moved):
            return


def _settle_one(part: Compare, frame: Any, axes: dict[str, Axis], rules: Rules) -> bool:
    """Put the values of one comparison in order, and return whether any value has changed."""
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
    small, large = _multiple(small, low_axis, np.floor), _multiple(large, high_axis, np.ceil)
    for name, numbers in ((part.left, small), (part.right, large)):
        column = frame[name].copy()
        column[rows] = _written(numbers, kind)
        frame[name] = column
    return True


def _cell(numbers: NDArray[np.float64], axis: Axis) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the smallest and largest value of the cell that contains each number."""
    low, high = axis.ends
    code = np.clip(np.searchsorted(axis.edges, numbers, side="right") - 1, 0, axis.cells - 1)
    return low[code], high[code]


def _multiple(numbers: NDArray[np.float64], axis: Axis, towards: Any) -> NDArray[np.float64]:
    """Return the next declared multiples, where the ends of cells are multiples.

    Numbers in a cell without a multiple are unchanged.
    """
    size = axis.column.multiple
    if size is None or any(first > last for first, last in axis.multiples):
        return numbers
    return np.asarray(np.round(towards(np.round(numbers / size, PLACES)) * size, PLACES))


def _ordered(
    small: NDArray[np.float64],
    large: NDArray[np.float64],
    floor: NDArray[np.float64],
    ceiling: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Exchange two values that are in the wrong order, as far as their cells allow.

    `floor` is the smallest value in the cell of the first value, and `ceiling` is the largest value in the
    cell of the second value. If floor <= ceiling, the results are in order. They are always inside their
    cells.
    """
    return np.maximum(floor, large), np.minimum(ceiling, small)


def _parted(
    small: NDArray[np.float64],
    large: NDArray[np.float64],
    floor: NDArray[np.float64],
    ceiling: NDArray[np.float64],
    kind: Kind,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Separate equal values within their cells.

    The second value is increased if its cell allows this. Otherwise, the first value is decreased.
    """
    tied = small >= large
    up = large + 1 if kind is not Kind.DECIMAL else large + (ceiling - large) / 2
    down = small - 1 if kind is not Kind.DECIMAL else floor + (small - floor) / 2
    room = tied & (up > large) & (up <= ceiling)
    return np.where(tied & ~room & (down >= floor), down, small), np.where(room, up, large)


def _written(numbers: NDArray[np.float64], kind: Kind) -> Any:
    """Return numbers in the type of the decoded column."""
    if kind is Kind.DATE:
        return numbers.astype(np.int64).astype("datetime64[D]").astype(str).astype(object)
    return numbers.astype(np.int64) if kind is Kind.INTEGER else numbers

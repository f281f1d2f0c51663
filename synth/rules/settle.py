"""Draw the compared values of decoded records again if they violate a comparison.

Structural zeros forbid the cells in which a comparison is always false. In other cells, two values that are
drawn independently may still be in the wrong order. For example, the day of leaving may be before the day of
joining in the same month. `synth.rules.orders` draws such values again, all compared columns of a record
together. No value leaves its cell, so the codes do not change. This is post-processing, because it reads only
synthetic values.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from synth.core.axis import Axis
from synth.core.columns.lattice import Numbers
from synth.core.schema import Kind
from synth.rules.atoms import Atoms, numbers_of
from synth.rules.orders import Cells, Orders


def settle(
    orders: Orders,
    frame: Any,
    cells: Cells,
    rng: np.random.Generator,
    *,
    kept: Mapping[str, Numbers] | None = None,
) -> None:
    """Draw compared values of a decoded table again, in place, each within its cell, so that they are in
    order.

    `frame` is a pandas DataFrame or a dict of numpy arrays, and `cells` contains its codes on the axes of
    `orders`. A row is unchanged if its comparisons hold, or if its cells contain no values for which they
    hold; `Rules.broken` finds these rows. Numbers in `kept` (float64[rows], by compared column, nan for none)
    replace the values of the table and do not change.
    """
    if not orders.parts:
        return
    numbers = {name: _numbers(frame[name], orders.atoms[name]) for name in orders.lattices}
    for name, after in orders.drawn(cells, numbers, rng, kept or {}).items():
        rows = np.flatnonzero(~np.isnan(after) & (after != numbers[name]))
        if rows.size and orders.axes[name].edges:
            column = frame[name].copy()
            column[rows] = _written(after[rows], orders.axes[name].column.kind)
            frame[name] = column


def cells_of(codes: NDArray[np.integer[Any]], axes: tuple[Axis, ...]) -> dict[str, NDArray[np.integer[Any]]]:
    """Return encoded rows by column. Shapes: `codes: int[rows, axes]` to int[rows] each."""
    return {axis.name: codes[:, place] for place, axis in enumerate(axes)}


def _numbers(cells: Any, atoms: Atoms) -> Numbers:
    """Return the values as numbers that have their order, or nan for unknown values."""
    if atoms.column.kind.has_range:
        return numbers_of(cells, atoms.column.kind)[0]
    codes = atoms.of_values(cells)
    return np.where(codes < atoms.known, codes, np.nan)


def _written(numbers: Numbers, kind: Kind) -> Any:
    """Return numbers in the type of the decoded column."""
    if kind is Kind.DATE:
        return numbers.astype(np.int64).astype("datetime64[D]").astype(str).astype(object)
    return numbers.astype(np.int64) if kind is Kind.INTEGER else numbers

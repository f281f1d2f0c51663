"""Decode codes to values: draw a random value within the cell, in the type of the column.

Inside a cell of a range, values follow a linear density based on the released counts of the neighbouring
cells (`release.slopes`). If an outermost cell has a much lower density than its neighbour, its density is
exponential. Values are spread evenly: if a cell has n values, its mass is divided into n equal parts with one
value in each. Decoding cannot reveal anything beyond the codes: a code becomes a declared value, a number or
date inside its cell, the declared label for *other*, or a missing value. Encoding the result again with the
same axes returns the same codes.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from synth.core.axis import Axis
from synth.core.columns.lattice import Lattice
from synth.core.domain import smallest_dtype
from synth.core.schema import Kind, Value
from synth.release.slopes import are_points, falling, places, steepness, tilts


def decode(codes: NDArray[np.integer], axes: Sequence[Axis], rng: np.random.Generator) -> pd.DataFrame:
    """Return the table of values for rows in the original codes of the axes.

    Shapes: `codes` rows x axes. Types: Int64, Float64, boolean or string (all nullable), depending on the
    declared values, or object for a column with both text and numbers. Dates are strings in ISO format.
    Integers and dates are drawn from the whole numbers in a cell, and decimals from the multiples of
    10^-decimals in it (`decimals_of`).
    """
    columns = {axis.name: _column(codes[:, j], axis, rng) for j, axis in enumerate(axes)}
    return pd.DataFrame(columns, columns=pd.Index([axis.name for axis in axes]))


def _column(codes: NDArray[np.integer], axis: Axis, rng: np.random.Generator) -> pd.Series:
    """Return a decoded column.

    To save memory, equal strings share one object, and numbers are stored in an array.
    """
    if not axis.edges:
        shown = np.full(axis.missing_code + 1, pd.NA, dtype=object)
        shown[: axis.cells] = np.array(axis.labels, dtype=object)
        dtype = _dtype_of(axis.labels)
        if axis.other_code is not None:
            shown[axis.other_code] = axis.other
            dtype = dtype if dtype == "string" else "object"
        return pd.Series(pd.Series(shown, dtype=dtype).array.take(codes), dtype=dtype)
    is_declared = codes < axis.cells
    drawn = _drawn(codes[is_declared], axis, rng)
    if axis.other is None and axis.column.kind is not Kind.DATE:
        values = np.zeros(len(codes), dtype=drawn.dtype)
        values[is_declared] = drawn
        numbers = pd.arrays.FloatingArray if axis.column.kind is Kind.DECIMAL else pd.arrays.IntegerArray
        return pd.Series(numbers(values, ~is_declared))
    cells = np.full(len(codes), pd.NA, dtype=object)
    cells[is_declared] = drawn
    if axis.other is not None:
        cells[codes == axis.other_code] = axis.other
    return pd.Series(cells, dtype="string" if axis.column.kind is Kind.DATE else "object")


def _dtype_of(labels: Sequence[Value]) -> str:
    kinds = {type(v) for v in labels}
    if kinds <= {bool} and kinds:
        return "boolean"
    if kinds == {int} and all(abs(v) < 2**63 for v in labels if isinstance(v, int)):
        return "Int64"
    if kinds and kinds <= {int, float}:
        return "Float64"
    return "string" if kinds <= {str} else "object"


def _drawn(codes: NDArray[np.integer], axis: Axis, rng: np.random.Generator) -> NDArray[np.generic]:
    """Return a random value for each code, inside the cell of the code."""
    if axis.column.kind is Kind.INTEGER and axis.column.multiple is None and (np.diff(axis.edges) == 1).all():
        return np.asarray(np.array(axis.edges[:-1], dtype=np.int64)[codes])
    masses = np.bincount(codes, minlength=axis.cells).astype(np.float64)
    edges, alone, even = np.array(axis.edges), are_points(axis), _even(codes, masses, rng)
    place = places(even, tilts(masses, edges, alone)[codes])
    rate = steepness(masses, edges, alone)[codes]
    is_tail = rate != 0.0
    place[is_tail] = falling(even[is_tail], rate[is_tail])
    lattice = Lattice.of(axis)
    values = lattice.values(codes, _at(place, lattice.first[codes], lattice.last[codes]))
    if axis.column.kind is Kind.DECIMAL:
        return values
    values = values.astype(np.int64)
    if axis.column.kind is Kind.INTEGER:
        return values
    days, day_of = np.unique(values, return_inverse=True)
    texts = days.astype("datetime64[D]").astype(str).astype(object)
    return np.asarray(texts[day_of])


def _even(
    codes: NDArray[np.integer], masses: NDArray[np.float64], rng: np.random.Generator
) -> NDArray[np.float64]:
    """Return numbers from 0 to 1 in random order.

    For a code with n rows, each interval of length 1/n contains one number.
    """
    shuffled = rng.permutation(len(codes))
    order = shuffled[np.argsort(codes[shuffled].astype(smallest_dtype(len(masses))), kind="stable")]
    starts = np.cumsum(masses) - masses
    rank = np.empty(len(codes))
    rank[order] = np.arange(len(codes)) - starts[codes[order]]
    return np.asarray((rank + rng.random(len(codes))) / np.maximum(masses, 1.0)[codes])


def _at(place: NDArray[np.float64], first: NDArray[np.int64], last: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the whole number at a relative position between two whole numbers, including both."""
    return np.minimum(first + (place * (last - first + 1.0)).astype(np.int64), last)

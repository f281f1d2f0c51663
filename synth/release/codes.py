"""Encode a decoded synthetic table again, so that the report and the app can count it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from synth.core.axis import Axis, Grouping
from synth.core.codebook import Codebook
from synth.core.columns.published import SAME, limits
from synth.core.discretisation import decimals_of
from synth.core.domain import smallest_dtype
from synth.core.schema import Kind


class Columns(Protocol):
    """A table with access by column, such as a data frame."""

    def __getitem__(self, name: str, /) -> pd.Series[Any]: ...


def table_codes(
    table: Columns, axes: Sequence[Axis], groupings: Sequence[Grouping]
) -> NDArray[np.unsignedinteger[Any]]:
    """Return the rows in the codes of the released domain.

    Shapes: unsigned[rows, columns]. The type is the smallest one that can also store a missing value in a
    column that has no code for it.
    """
    coarser, columns = {g.column: g for g in groupings}, list[NDArray[np.unsignedinteger[Any]]]()
    kind = smallest_dtype(max(axis.missing_code for axis in axes) + 1)
    for axis in axes:
        codes, grouping = codes_of(table[axis.name], axis), coarser.get(axis.name)
        columns.append((codes if grouping is None else grouping.coarsen(codes)).astype(kind))
    return np.stack(columns).T


def columns_on(table: Columns, axes: Sequence[Axis]) -> dict[str, NDArray[np.int64]]:
    """Return the codes of some columns on other axes, such as a lattice. Shapes: int64[rows] each."""
    return {axis.name: codes_of(table[axis.name], axis) for axis in axes}


def lower(table: pd.DataFrame, codes: NDArray[np.unsignedinteger[Any]], codebook: Codebook) -> None:
    """Lower drawn values that are above the limit of their column, in place, and adjust their codes.

    Shapes: `codes: unsigned[rows, columns]` of the codebook.
    """
    axes = {axis.name: (place, axis) for place, axis in enumerate(codebook.axes)}
    groupings = {g.column: g for g in codebook.groupings}
    for column, over, limit in limits(table, codebook.schema):
        place, axis = axes[column.name]
        scale = 10.0 ** (decimals_of(axis) if column.kind is Kind.DECIMAL else 0)
        values = table[column.name].copy()
        lowered = np.floor(limit[over] * scale + SAME) / scale
        values[over] = lowered if column.kind is Kind.DECIMAL else lowered.astype(np.int64)
        table[column.name] = values
        fine = codes_of(values[over], axis)
        grouping = groupings.get(column.name)
        codes[over, place] = fine if grouping is None else grouping.coarsen(fine)


def codes_of(series: pd.Series[Any], axis: Axis) -> NDArray[np.int64]:
    """Return the fine codes of values that were drawn from an axis. Shapes: int64[rows]."""
    blank = series.isna().to_numpy()
    if axis.labels:
        place = {str(label): code for code, label in enumerate(axis.labels)}
        if axis.other is not None:
            place[axis.other] = axis.cells
        places, values = pd.factorize(series)
        known = [place.get(text, axis.missing_code) for text in pd.Series(values).astype("string")]
        codes = np.array([*known, axis.missing_code])[places]
    else:
        places = np.searchsorted(axis.edges, numbers_of(series, axis), side="right") - 1
        codes = np.clip(places, 0, axis.cells - 1)
    return np.where(blank, axis.missing_code, codes).astype(np.int64)


def numbers_of(series: pd.Series[Any], axis: Axis) -> NDArray[np.float64]:
    """Return a column in the units of its edges, with missing values as zero."""
    if axis.column.kind is Kind.DATE:
        return pd.to_datetime(series).to_numpy(dtype="datetime64[D]").astype(np.int64).astype(np.float64)
    return series.to_numpy(dtype=np.float64, na_value=0.0)

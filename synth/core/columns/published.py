"""Build the published table, with the columns of the file in their order, from the modelled columns."""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterator, Mapping
from dataclasses import replace
from graphlib import CycleError, TopologicalSorter
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from synth.core.axis import Axis
from synth.core.codebook import Codebook
from synth.core.columns.choices import Table, gathered, joined, parted, spread
from synth.core.columns.formula import computed, has_result, names_in
from synth.core.errors import Mistake
from synth.core.schema import Column, Kind, Schema, in_units

if TYPE_CHECKING:
    import pandas as pd

UUID = "uuid"
_COUNTER = re.compile(r"\{(?::0?[1-9][0-9]?d?|:d)?\}")
_IDS = uuid.UUID("6b1f6a0e-5d0f-4b3c-9d55-0c2a8e7f4a11")
"""The namespace of generated UUIDs."""

LARGEST_WHOLE = 2**53
SAME = 1e-6
"""Maximum difference from a formula that is ignored, in the units of its result."""


def published_axes(codebook: Codebook) -> tuple[Axis, ...]:
    """Return an axis for each published column.

    It is the modelled axis, or an axis that only describes the format of the cells.

    A computed column has no smallest or largest value, and is blank only if its formula may have no result.
    A text column, such as generated IDs, has neither labels nor edges.
    """
    own = {axis.name: axis for axis in codebook.axes}
    return tuple(
        _written_axis(c, codebook.schema) if c.separator or c.name not in own else own[c.name]
        for c in codebook.schema.published
    )


def _written_axis(column: Column, schema: Schema) -> Axis:
    if column.id_format or column.separator:
        return Axis(column=column)
    if column.formula:
        column = replace(column, blank=_may_be_blank(column, schema))
        return Axis(column=column, edges=(-np.inf, np.inf))
    return Axis(column=column, labels=column.values)


def _may_be_blank(column: Column, schema: Schema) -> bool:
    if not column.formula:
        return column.blank
    used = map(schema.column, names_in(column.formula))
    return not has_result(column.formula) or any(_may_be_blank(one, schema) for one in used)


def published(table: pd.DataFrame, schema: Schema) -> pd.DataFrame:
    """Return the published columns of a table of decoded values.

    The index of the table has the position of each row in the whole release, which determines the generated
    IDs.
    """
    if schema.published == schema.modelled:
        return table
    made = {c.name: _ids(c.id_format, table.index) for c in schema.published if c.id_format}
    made |= {c.name: joined(c.choices, table) for c in schema.read if c.separator}
    for group in schema.groups:
        made |= spread(group, schema, table)
    table = table.assign(**made)
    return table.assign(**_computed(table, schema))[[c.name for c in schema.published]]


class Modelled:
    """The modelled columns of a published table, each computed on access. This is the inverse of `published`.

    Raises: KeyError if a column does not exist.
    """

    def __init__(self, table: Table, schema: Schema) -> None:
        self._table, self._schema = table, schema
        self._part_of = {
            part.name: (column.choices, place)
            for column in schema.read
            if column.separator
            for place, part in enumerate(column.choices.parts)
        }
        self._group_of = {c.name: group for group in schema.groups for c in schema.of_group(group)}

    def __getitem__(self, name: str, /) -> pd.Series[Any]:
        if name in self._part_of:
            return parted(*self._part_of[name], self._table)
        if name in self._group_of:
            return gathered(self._group_of[name], self._schema, self._table)[name]
        return self._table[name]

    def frame(self) -> pd.DataFrame:
        """Return all modelled columns."""
        import pandas as pd

        return pd.DataFrame({column.name: self[column.name] for column in self._schema.modelled})


def _computed(table: Table, schema: Schema) -> dict[str, Any]:
    """Return the computed columns of a table, and the columns in their formulas."""
    made: dict[str, Any] = {}
    numbers: dict[str, NDArray[np.float64]] = {}
    for name in in_order({c.name: c.formula for c in schema.published}):
        column = schema.column(name)
        if column.formula:
            result = computed(column.formula, numbers)
            made[name], numbers[name] = _rounded(result, column)
        else:
            numbers[name] = numbers_in(table[name], column)
    return made


def limits(table: Table, schema: Schema) -> Iterator[tuple[Column, NDArray[np.bool_], NDArray[np.float64]]]:
    """Yield each column with a limit, the rows that are above the limit, and the limit in each row.

    A column comes after the columns in its limit, so that those columns can be lowered first. A row without a
    limit is never above it. Shapes: bool[rows], float64[rows].
    """
    for name in in_order({c.name: c.limit for c in schema.modelled}):
        column = schema.column(name)
        if column.limit:
            used = {other: numbers_in(table[other], schema.column(other)) for other in names_in(column.limit)}
            limit = computed(column.limit, used)
            low = -np.inf if column.min is None else in_units(column.min)
            values = numbers_in(table[name], column)
            yield column, (values > limit + SAME) & (values > low), np.maximum(limit, low)


def in_order(formulas: Mapping[str, str]) -> list[str]:
    """Return the columns with a formula and the columns that they use, each after the columns it depends on.

    Raises: `Mistake` if columns are computed from each other.
    """
    needs = {name: list(names_in(formula)) for name, formula in formulas.items() if formula}
    try:
        return list(TopologicalSorter(needs).static_order())
    except CycleError as error:
        circle = " and ".join(map(repr, sorted(set(error.args[1]))))
        raise Mistake(
            f"The formulas of {circle} depend on each other. Change one so that it does not use the other."
        ) from None


def _rounded(result: NDArray[np.float64], column: Column) -> tuple[Any, NDArray[np.float64]]:
    """Return a result as a pandas array of the column's kind and as floats."""
    import pandas as pd

    is_missing = ~(np.abs(result) < LARGEST_WHOLE)
    known = np.where(is_missing, 0.0, result)
    if column.kind is Kind.INTEGER:
        whole = np.rint(known).astype(np.int64)
        return pd.arrays.IntegerArray(whole, is_missing), np.where(is_missing, np.nan, whole)
    scale = 10.0 ** (column.decimals or 0)
    places = np.rint(known * scale) / scale + 0.0
    return pd.arrays.FloatingArray(places, is_missing), np.where(is_missing, np.nan, places)


def numbers_in(series: pd.Series[Any], column: Column) -> NDArray[np.float64]:
    """Return a column as numbers or as days since 1970-01-01, with nan for all other values."""
    import pandas as pd

    if column.kind is Kind.DATE:
        days = pd.to_datetime(series, errors="coerce").to_numpy(dtype="datetime64[D]")
        return np.where(np.isnat(days), np.nan, days.astype(np.int64).astype(np.float64))
    numbers = pd.to_numeric(series.astype(object), errors="coerce")
    return np.asarray(numbers.astype("Float64").to_numpy(dtype=np.float64, na_value=np.nan))


def check_id_format(form: str) -> None:
    """Raise `Mistake` if a format does not generate a unique ID for each row."""
    plain = _COUNTER.sub("", form, count=1)
    if form != UUID and (plain == form or "{" in plain or "}" in plain):
        raise Mistake("write 'uuid', or a text with one counter such as P-{:06d}")


def _ids(form: str, places: pd.Index[Any]) -> Any:
    """Return the IDs of rows, which depend only on the positions of the rows (counted from 0)."""
    import pandas as pd

    numbers = (places.to_numpy() + 1).tolist()
    if form == UUID:
        made = [str(uuid.uuid5(_IDS, str(number))) for number in numbers]
    else:
        made = [form.format(number) for number in numbers]
    return pd.array(made, dtype="string")

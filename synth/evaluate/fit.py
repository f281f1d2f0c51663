"""Check how well a private file fits its declaration. NOT PRIVATE: for the steward only, in coarse bands.

Only a band is shown for a column, never a count or a value. A change of the declaration because of it is a
choice made after a private view, which no ledger records. So a program that shows the bands must log this.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from enum import StrEnum
from pathlib import Path

import numpy as np

from synth.core.axis import Axis
from synth.core.discretisation import resolve_axes
from synth.core.schema import Column, Kind, Outside, Schema, Unit
from synth.core.system.address import Address
from synth.dictionaries.check import cells_of
from synth.private.table import open_table
from synth.rules import parse_rules

MARK = "NOT PRIVATE: read from the private table. For the steward alone; do not publish."
OUTSIDE = "outside"
"""Label of the code for cells outside the domain. Released tables do not have this code."""


class Band(StrEnum):
    """The proportion of a column's cells that the declaration does not include."""

    FEW = "fits: at most one cell in a hundred is not as declared"
    SOME = "mostly fits: up to one cell in ten is not as declared"
    MANY = "does not fit: more than one cell in ten is not as declared"

    @property
    def is_good(self) -> bool:
        return self is not Band.MANY


def fit(schema: Schema, data: Address | Path) -> Iterator[tuple[str, Band]]:
    """Return the band of each column, in the order of the schema, without columns that are `to_be_bought`.

    A cell is not as declared if it is outside the list or the range (even if the release will clamp it), if
    it is a text in a column of numbers or dates, or if it is blank in a column declared as never blank. Rows
    are not capped. The ID column comes last. In it, only a blank is not as declared, because its row is
    removed. Raises: the errors of `private.table.open_table`.
    """
    schema = _declared_part(schema)
    axes = resolve_axes(schema, parse_rules([], schema))
    unit_id = schema.unit.id_column
    wide = [_with_outside(axis) for axis in axes]
    if unit_id is not None:
        wide.append(Axis(column=Column(name=unit_id, kind=Kind.CATEGORY, blank=False), other=OUTSIDE))
    codes = open_table(data, _without_unit(schema), axes=wide).codes(wide)
    for axis, column in zip(wide, codes.columns, strict=True):
        cells = np.asarray(column)
        strange = (cells == axis.other_code) & (axis.name != unit_id)
        if not axis.column.blank:
            strange |= cells == axis.missing_code
        share = float(np.mean(strange)) if codes.rows else 0.0
        yield axis.name, Band.FEW if share <= 0.01 else Band.SOME if share <= 0.1 else Band.MANY


def to_be_bought(schema: Schema) -> tuple[str, ...]:
    """Return the columns whose list or range is unknown, which cannot be checked."""
    return tuple(column.name for column in schema.modelled if cells_of(column) is None)


def _declared_part(schema: Schema) -> Schema:
    unknown = to_be_bought(schema)
    columns = [replace(c, kind=Kind.DROP, buy=False) if c.name in unknown else c for c in schema.columns]
    return replace(schema, columns=tuple(columns))


def _with_outside(axis: Axis) -> Axis:
    """Return the same cells, with an additional code for values outside them."""
    return replace(axis, column=replace(axis.column, outside=Outside.OTHER), other=OUTSIDE)


def _without_unit(schema: Schema) -> Schema:
    """Return the schema with every row kept: an ID column is treated like any other column."""
    columns = tuple(
        replace(c, kind=Kind.CATEGORY) if c.name == schema.unit.id_column else c for c in schema.columns
    )
    return replace(schema, columns=columns, unit=Unit(max_rows=1))

"""How well a private file fits its declaration. NOT PRIVATE: for the steward's eyes, in coarse bands only.

A band is all that is informed of a column, never a count and never a value. Changing the declaration because
of it is a choice made after a private view, which no ledger sees: anyone who shows it has to log it.
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
"""Label of the code that stands for cells outside the domain; no released table knows it."""


class Band(StrEnum):
    """The share of a column's cells that the declaration does not foresee."""

    FEW = "fits: at most one cell in a hundred is not as declared"
    SOME = "mostly fits: up to one cell in ten is not as declared"
    MANY = "does not fit: more than one cell in ten is not as declared"

    @property
    def is_good(self) -> bool:
        return self is not Band.MANY


def fit(schema: Schema, data: Address | Path) -> Iterator[tuple[str, Band]]:
    """Column by column, in the order of the schema; columns that are `to_be_bought` are left out.

    Not as declared is a cell outside the list or the range (also where the release will clamp it), a text
    where a number or a date should stand, and a blank in a column declared never blank. Rows are not capped.
    The column that says whose row it is comes last: there only a blank is strange, as its row is left out.

    Raises: what `private.table.open_table` raises.
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
    """The same cells, with a code for anything that lies outside them."""
    return replace(axis, column=replace(axis.column, outside=Outside.OTHER), other=OUTSIDE)


def _without_unit(schema: Schema) -> Schema:
    """The schema with every row kept: the id column, if there is one, is a column like any other."""
    columns = tuple(
        replace(c, kind=Kind.CATEGORY) if c.name == schema.unit.id_column else c for c in schema.columns
    )
    return replace(schema, columns=columns, unit=Unit(max_rows=1))

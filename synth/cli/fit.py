"""How well a private file fits its declaration. NOT PRIVATE: for the steward's eyes, in coarse bands only."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path

import numpy as np

from synth.measure.ingest import open_table
from synth.preprocess.axes import resolve_axes
from synth.rules import load_rules
from synth.schema import Schema

MARK = "NOT PRIVATE: read from the private table. For the steward alone; do not publish."


class Band(StrEnum):
    """The share of a column's cells that are blank or outside the declared domain."""

    FEW = "fits: at most one cell in a hundred is blank or outside"
    SOME = "mostly fits: up to one cell in ten is blank or outside"
    MANY = "does not fit: more than one cell in ten is blank or outside"

    @property
    def is_good(self) -> bool:
        return self is not Band.MANY


def fit(schema: Schema, data: Path) -> Iterator[tuple[str, Band]]:
    """Column by column, in the schema's order. Cells clamped to a range's ends do not count as outside.

    Raises: what `measure.ingest.open_table` raises; `Mistake` for columns that are still to be bought.
    """
    axes = resolve_axes(schema, load_rules([], schema))
    codes = open_table(data, schema).codes(axes)
    for axis, column in zip(axes, codes.columns, strict=True):
        strange = float(np.mean(np.asarray(column) >= axis.cells)) if codes.rows else 0.0
        yield axis.name, Band.FEW if strange <= 0.01 else Band.SOME if strange <= 0.1 else Band.MANY

"""Collect what all formats of the synthetic table contain: its cells, its types, and its labels."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.util import find_spec
from typing import Any

import pandas as pd

from synth.core.axis import Axis
from synth.core.columns.published import published_axes
from synth.core.errors import Mistake
from synth.core.schema import Column, FileFormat, Value
from synth.release import csv_text, parquet
from synth.release.layout import REHEARSAL, marked
from synth.release.opened import Bundle

LIBRARIES = "pip install 'marginalia[dictionaries]'"
"""The command that installs the libraries of these formats."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Content:
    """The published table: its values, one axis per column, a title with any watermark, and a day.

    `day` is the only time in a file, so that a file reveals no more than the documents. `sheet` is the name
    of the sheet with the data in a workbook.
    """

    frame: pd.DataFrame
    axes: Sequence[Axis]
    form: FileFormat
    title: str
    day: dt.date
    sheet: str = "data"

    @staticmethod
    def of(bundle: Bundle) -> Content:
        """Return the content of a release package."""
        release = bundle.statement["release"]
        return Content(
            frame=parquet.read(bundle.files[bundle.layout.parquet]),
            axes=published_axes(bundle.evidence.codebook),
            form=bundle.schema.file,
            title=marked(release, f"{release['title']}: synthetic rows"),
            day=dt.date.fromisoformat(release["date"]),
            sheet=f"{REHEARSAL} data" if release["rehearsal"] else "data",
        )

    @cached_property
    def shown(self) -> pd.DataFrame:
        """Return the table with labels and band names for the columns that have them in the CSV."""
        return csv_text.labelled(self.frame, self.axes)


def labels_of(axis: Axis) -> dict[Value, str]:
    """Return a label for each value of a column with a list of values, which is the value itself by default.

    The result is empty for all other columns.
    """
    column = axis.column
    if not column.kind.has_values or not axis.labels:
        return {}
    return {value: column.label_of(value) for value in csv_text.labels_of(axis)}


def heading(column: Column) -> str:
    """Return the label of a variable."""
    return column.heading


def names_for(columns: Sequence[str], *, longest: int) -> dict[str, str]:
    """Return a name for each column that statistics programs accept: ASCII letters, digits and underscores.

    >>> names_for(["birth year", "birth-year", "1st"], longest=32)
    {'birth year': 'birth_year', 'birth-year': 'birth_year_2', '1st': 'v_1st'}
    """
    found: dict[str, str] = {}
    taken: set[str] = set()
    for column in columns:
        plain = re.sub(r"[^A-Za-z0-9_]+", "_", column).strip("_") or "v"
        plain = (plain if plain[0].isalpha() else f"v_{plain}")[:longest]
        name, number = plain, 1
        while name.lower() in taken:
            number += 1
            name = f"{plain[: longest - len(str(number)) - 1]}_{number}"
        taken.add(name.lower())
        found[column] = name
    return found


def check_library(name: str, what: str) -> None:
    """Raise `Mistake` if an optional library is not installed."""
    if find_spec(name) is None:
        raise Mistake(
            f"{what} needs the library {name}, which is not installed. Install it with: {LIBRARIES}. "
            "No budget was spent."
        )


def is_blank(cell: Any) -> bool:
    """Whether a cell of the table is missing."""
    return cell is None or cell is pd.NA or cell != cell

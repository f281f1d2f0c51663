"""Read what a foreign descriptor states about a table, and leave the rest open.

Other formats describe kinds better than domains. A domain is never guessed: a draft leaves it open for a
person to fill in.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from synth.core.schema import Column, DateOrder, FileFormat, Kind, Provenance
from synth.dictionaries.check import show
from synth.dictionaries.document import dumped

Form = TypeVar("Form")
_IN_ANY_ORDER = (
    "default",
    "any",
    "%Y-%m-%d",
    "%Y/%m/%d",
    "%Y.%m.%d",
    "%Y%m%d",
    "%d %b %Y",
    "%d-%b-%Y",
    "%d%b%Y",
)
DATE_ORDERS = {
    **dict.fromkeys((*_IN_ANY_ORDER, "%d %B %Y", "%B %d, %Y"), DateOrder.YEAR_FIRST),
    **{f"%d{sign}%m{sign}%{year}": DateOrder.DAY_FIRST for sign in "./-" for year in "Yy"},
    **{f"%m{sign}%d{sign}%{year}": DateOrder.MONTH_FIRST for sign in "./-" for year in "Yy"},
}
"""The date formats that can be read, in the notation of other descriptors."""


def common(forms: list[Form], default: Form) -> Form:
    """Return the format that all columns share, or the default if they differ or there are none."""
    return forms[0] if len(set(forms)) == 1 else default


def common_order(found: Iterable[DateOrder | None]) -> DateOrder:
    """Return the common order of dates with the year last. Other dates can be read with any order."""
    last: list[DateOrder] = [
        order for order in found if order is not None and order is not DateOrder.YEAR_FIRST
    ]
    return common(last, DateOrder.YEAR_FIRST)


LACKS = {
    **dict.fromkeys((Kind.CATEGORY, Kind.ORDERED), "a list of values"),
    **dict.fromkeys((Kind.INTEGER, Kind.DECIMAL), "a smallest and a largest value"),
    Kind.DATE: "a first and a last day",
}
"""The missing part of a column without a domain, by kind."""


@dataclass(frozen=True, kw_only=True)
class Reading:
    """A column, as far as it could be read.

    If the kind of the column is not known, `unclear` contains a sentence with the reason.
    """

    column: Column
    unclear: str = ""

    @property
    def lacking(self) -> str:
        """Return a sentence about the missing part, or "" if nothing is missing."""
        column = self.column
        is_whole = bool(column.values) or None not in (column.min, column.max)
        if self.unclear or column.kind is Kind.DROP or is_whole:
            return self.unclear
        return f"Column {show(column.name)} lacks {LACKS[column.kind]}."


@dataclass(frozen=True, kw_only=True)
class ForeignTable:
    """A table of a foreign descriptor.

    `stated` contains the fields of `file` that the descriptor contains, including fields with default values.
    """

    name: str
    readings: Sequence[Reading]
    title: str = ""
    description: str = ""
    file: FileFormat = field(default_factory=FileFormat)
    stated: frozenset[str] = frozenset()

    def draft(self) -> tuple[dict[str, Any], tuple[str, ...]]:
        """Return a schema document like the one from `starter`, and a sentence for each incomplete column.

        A person completes the fields that are null or absent.
        """
        document: dict[str, Any] = {
            "name": self.name,
            "population": None,
            "unit": {"max_rows": None},
            "rows_public": False,
            "title": self.title,
            "description": self.description,
            "file": {name: getattr(self.file, name) for name in sorted(self.stated)} | dumped(self.file),
            "columns": [_entry(reading) for reading in self.readings],
        }
        kept = {key: value for key, value in document.items() if value not in ("", {})}
        return kept, tuple(r.lacking for r in self.readings if r.lacking)


def _entry(reading: Reading) -> dict[str, Any]:
    """Return a column of a draft.

    The source of an existing domain is the document. The source of a missing domain will be the steward.
    """
    entry = dumped(reading.column)
    if reading.lacking:
        entry["provenance"] = Provenance.STEWARD.value
    if reading.unclear:
        entry["kind"] = None
    return entry

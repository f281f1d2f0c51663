"""What a foreign descriptor says of a table, and what is done about what it leaves unsaid.

Other formats know kinds better than domains. A column without a domain is never guessed: a strict reading
refuses it, has it bought where the caller says so, and a draft leaves it open for a person to fill in.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from synth.core.errors import Mistake
from synth.core.schema import Column, DateOrder, FileFormat, Kind, Provenance, Schema, Unit
from synth.dictionaries.check import check_schema
from synth.dictionaries.document import dumped

Form = TypeVar("Form")
DATE_ORDERS = {
    **dict.fromkeys(("default", "any", "%Y-%m-%d"), DateOrder.YEAR_FIRST),
    **{f"%d{sign}%m{sign}%Y": DateOrder.DAY_FIRST for sign in "./-"},
    **{f"%m{sign}%d{sign}%Y": DateOrder.MONTH_FIRST for sign in "./-"},
}
"""The forms of dates that we read, in the words of other formats."""


def common(forms: list[Form], default: Form) -> Form:
    """The form in which all columns are written; the default where they differ or there are none."""
    return forms[0] if len(set(forms)) == 1 else default


@dataclass(frozen=True, kw_only=True)
class Reading:
    """A column as far as it could be read.

    `lacking` is a sentence about what is missing, empty if nothing is. `known` says that the kind itself is
    certain, so that the domain alone is open and may be bought.
    """

    column: Column
    lacking: str = ""
    known: bool = True


@dataclass(frozen=True, kw_only=True)
class ForeignTable:
    """One table of a foreign descriptor, read. `advice` ends the sentences of a strict reading; `told` are
    the fields of `file` that the descriptor states, also where they say what is the default here."""

    name: str
    readings: Sequence[Reading]
    advice: str = ""
    title: str = ""
    description: str = ""
    file: FileFormat = field(default_factory=FileFormat)
    told: frozenset[str] = frozenset()

    def schema(
        self,
        *,
        population: str,
        max_rows: int,
        name: str | None,
        id_column: str | None,
        rows_public: int | None,
        buy_missing: bool,
    ) -> Schema:
        """A strict reading. Raises: `Mistake` with one sentence per column that lacks something, and the
        advice; or as `check_schema`."""
        schema = Schema(
            name=name or self.name,
            population=population,
            unit=Unit(max_rows=max_rows, id_column=id_column),
            columns=self.columns(buy_missing=buy_missing),
            rows_public=rows_public,
            file=self.file,
            title=self.title,
            description=self.description,
        )
        check_schema(schema)
        return schema

    def columns(self, *, buy_missing: bool) -> tuple[Column, ...]:
        """The columns of a strict reading; where a domain alone is lacking it may be bought."""
        readings = [_bought(r) if buy_missing and r.known and r.lacking else r for r in self.readings]
        lacking = [r.lacking for r in readings if r.lacking]
        if lacking:
            raise Mistake("\n".join([*lacking, self.advice]))
        return tuple(r.column for r in readings)

    def draft(self) -> tuple[dict[str, Any], tuple[str, ...]]:
        """A schema document like `starter` makes, in which a person completes what is null or absent, and one
        sentence per column that lacks something."""
        document: dict[str, Any] = {
            "name": self.name,
            "population": None,
            "unit": {"max_rows": None},
            "rows_public": False,
            "title": self.title,
            "description": self.description,
            "file": {name: getattr(self.file, name) for name in sorted(self.told)} | dumped(self.file),
            "columns": [_entry(reading) for reading in self.readings],
        }
        kept = {key: value for key, value in document.items() if value not in ("", {})}
        return kept, tuple(r.lacking for r in self.readings if r.lacking)


def _bought(reading: Reading) -> Reading:
    column = replace(reading.column, buy=True, min=None, max=None, provenance=Provenance.BOUGHT)
    return Reading(column=column)


def _entry(reading: Reading) -> dict[str, Any]:
    """A column of a draft. A domain that is there keeps the provenance of the document; one that is still to
    be typed will be the steward's."""
    entry = dumped(reading.column)
    if reading.lacking:
        entry["provenance"] = Provenance.STEWARD.value
    if not reading.known:
        entry["kind"] = None
    return entry


def dropped(column: Column) -> Column:
    """The column left out of the synthetic table: ids, names and free text are never synthesised."""
    return Column(
        name=column.name,
        kind=Kind.DROP,
        provenance=column.provenance,
        title=column.title,
        description=column.description,
    )

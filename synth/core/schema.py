"""What the data holder declares about the table, before anything is read.

Everything here is public: it is typed, loaded from a document, or bought with budget, and never looked up
in the file behind the steward's back. JSON in and out is `synth.dictionaries`.
"""

from __future__ import annotations

import datetime as dt
import re
from dataclasses import dataclass, field
from enum import StrEnum

from synth.core.errors import Mistake
from synth.core.numbers import about, are_years, to_places

Value = str | int | float | bool
Bound = int | float | str
"""Numbers for integer and decimal columns, ISO dates for date columns."""
ANY = "*"
"""At the end of a text that is read as a value: whatever begins so."""
EPOCH = dt.date(1970, 1, 1)
"""The day from which dates are counted where they are numbers."""
_YEAR_LAST = re.compile(r"([0-9]{1,2})([./-])([0-9]{1,2})\2([0-9]{4})")
"""Two numbers and a year, parted by one sign."""


class Kind(StrEnum):
    """What a column holds."""

    CATEGORY = "category"
    ORDERED = "ordered"
    INTEGER = "integer"
    DECIMAL = "decimal"
    DATE = "date"
    DROP = "drop"

    @property
    def words(self) -> str:
        """What people call it, on pages and in reports."""
        return _KIND_WORDS.get(self, self.value)

    @property
    def has_values(self) -> bool:
        return self in (Kind.CATEGORY, Kind.ORDERED)

    @property
    def has_range(self) -> bool:
        return self in (Kind.INTEGER, Kind.DECIMAL, Kind.DATE)

    @property
    def is_ordered(self) -> bool:
        """Whether neighbouring codes mean neighbouring values."""
        return self is Kind.ORDERED or self.has_range


_KIND_WORDS = {
    Kind.ORDERED: "ordered category",
    Kind.INTEGER: "whole number",
    Kind.DECIMAL: "decimal number",
    Kind.DROP: "left out",
}


class Provenance(StrEnum):
    """Where a column's domain comes from."""

    PUBLIC_DOCUMENT = "public document"
    STEWARD = "steward knowledge"
    BOUGHT = "bought with budget"
    EARLIER = "bought in an earlier release"  # and published with it: a public fact
    READ_FROM_FILE = "read from file"  # voids the guarantee; allowed only for files declared public


class Outside(StrEnum):
    """What happens to a cell whose value is not in the declared domain."""

    MISSING = "missing"
    OTHER = "other"
    CLAMP = "clamp"


class Binning(StrEnum):
    """How a range is cut into codes."""

    UNIFORM = "uniform"
    PRIVTREE = "privtree"  # costs budget


@dataclass(frozen=True, kw_only=True)
class Column:
    """One declared column.

    `values` for category and ordered; `min`, `max` (inclusive) for integer, decimal and date, cut into
    `bins` equal bins or by `step`; without either an integer range of at most 64 values keeps every value
    and any other range gets 32 bins. `cuts` cuts a range where its holder wants it: every cut is the smallest
    value of a new band. Each of `points` gets a bin of its own, for values that many records share, such as
    0. `buy` asks for the values or the range to be bought with budget.
    `labels` are what people call the values, or the bands between `cuts`: one each, empty for none.
    `write_labels` has the CSV hold a value's label in its place, or the name of a band in the place of its
    numbers or dates. `decimals` are how many a decimal column is written with, more only where a bin would
    hold no such number; None follows from the declared numbers and the bins. `reads` are further texts of the
    file that mean a value, some for each: codes of a finer level that are published together under one of a
    coarser; one that ends in `ANY` stands for all that begin so.
    `measured_in` is what numbers count, such as years.
    `merge_rare` asks for rare values to be modelled together (bought too). `blank=False` says that no
    record can be blank here: a structural zero on the missing code, which exists all the same.
    """

    name: str
    kind: Kind
    values: tuple[Value, ...] = ()
    labels: tuple[str, ...] = ()
    write_labels: bool = False
    reads: tuple[tuple[str, ...], ...] = ()
    min: Bound | None = None
    max: Bound | None = None
    bins: int | None = None
    step: float | None = None
    decimals: int | None = None
    cuts: tuple[Bound, ...] = ()
    points: tuple[Bound, ...] = ()
    binning: Binning = Binning.UNIFORM
    buy: bool = False
    merge_rare: bool = False
    blank: bool = True
    outside: Outside | None = None  # None: clamp for ranges, missing for values
    other_label: str = "Other"
    weight: float = 1.0
    provenance: Provenance = Provenance.STEWARD
    title: str = ""
    description: str = ""
    measured_in: str = ""

    @property
    def heading(self) -> str:
        """What people call the column, with what its numbers count."""
        called = self.title or self.name
        return f"{called} ({self.measured_in})" if self.measured_in else called

    def written(self, end: Bound) -> str:
        """A number or a date of its range as people read it; years without the comma of thousands."""
        if isinstance(end, str) or not self.kind.has_range or self.kind is Kind.DATE:
            return str(end)
        return str(end) if self._tells_years else to_places(end, self.decimals, parted=True)

    @property
    def _tells_years(self) -> bool:
        if self.kind is not Kind.INTEGER or self.min is None or self.max is None:
            return False
        return are_years(in_units(self.min), in_units(self.max))

    def roughly(self, number: float) -> str:
        """A number like those of its range, to three digits; a year in full."""
        return f"{number:.0f}" if self._tells_years else about(number)

    def label_of(self, value: Value) -> str:
        """What people call a declared value: its label, where it has one."""
        if not self.labels or value not in self.values:
            return str(value)
        return self.labels[self.values.index(value)] or str(value)

    @property
    def holds_bands(self) -> bool:
        """Whether the CSV has the names of its bands in the place of numbers or dates."""
        return self.kind.has_range and self.write_labels

    @property
    def outside_rule(self) -> Outside:
        """The rule in force for values outside the domain."""
        if self.outside is not None:
            return self.outside
        return Outside.CLAMP if self.kind.has_range else Outside.MISSING


@dataclass(frozen=True, kw_only=True)
class Unit:
    """The unit of protection: who is protected and how many rows one of them can fill.

    `max_rows` has no default on purpose. With `id_column` the rows of one unit are capped at `max_rows`
    inside the room, rows with a blank id are left out and the column is dropped; without it the declaration
    is taken as given.
    """

    max_rows: int
    name: str = "person"
    id_column: str | None = None


class LineBreaks(StrEnum):
    """What a line break inside quotes does in a CSV file, and so what a row is.

    Where lines may be joined, stray quotes can make one row of two. Otherwise a line is a row, whatever the
    others hold. A file that is refused is refused because of its rows: then the promise compares only files
    without such a break.
    """

    JOIN = "join"
    SPLIT = "split"
    REFUSE = "refuse"


class DateOrder(StrEnum):
    """Dates in a CSV file: ISO dates, or with the year last, as in 31.12.1999 or 31/12/1999."""

    YEAR_FIRST = "year-month-day"
    DAY_FIRST = "day-month-year"
    MONTH_FIRST = "month-day-year"


DECIMAL_SIGNS = (".", ",")
"""What may stand before the decimals of a number. No sign may part thousands."""


@dataclass(frozen=True, kw_only=True)
class FileFormat:
    """How the private file is written; declared, never sniffed.

    A number or a date in another form than declared is no number and no date. A Parquet file tells its own
    types, so none of this counts there but `missing`.
    """

    header: bool = True
    delimiter: str = ","
    quote: str = '"'
    skip_lines: int = 0
    line_breaks: LineBreaks = LineBreaks.JOIN
    decimal_sign: str = "."
    date_order: DateOrder = DateOrder.YEAR_FIRST
    missing: tuple[str, ...] = ("", "NA", "N/A", "NaN", "nan", "null", "?")


def check_format(form: FileFormat) -> None:
    """Raises `Mistake` for a declared delimiter, quote or decimal sign that no CSV file can have."""
    for name, mark, may_lack in (("delimiter", form.delimiter, False), ("quote", form.quote, True)):
        if (may_lack and mark == "") or (len(mark) == 1 and mark.isascii() and mark not in "\r\n\0"):
            continue
        raise Mistake(f"The file's {name} must be a single plain character (you gave {mark!r}).")
    if form.delimiter == form.quote:
        raise Mistake(f"Delimiter and quote cannot be the same character (you gave {form.quote!r} for both).")
    if form.decimal_sign not in DECIMAL_SIGNS:
        raise Mistake(f"The decimal sign must be a point or a comma (you gave {form.decimal_sign!r}).")
    if form.decimal_sign == form.delimiter and not form.quote:
        raise Mistake("Where no quotes enclose a cell, delimiter and decimal sign cannot both be a comma.")


class Neighbours(StrEnum):
    """Which two tables the promise compares."""

    ADD_REMOVE = "add-or-remove-one-unit"
    REPLACE = "replace-one-unit"


@dataclass(frozen=True, kw_only=True)
class ProtectedChange:
    """What one promise hides: the change from a table to its neighbour.

    `unit` is the word for who is protected, `max_rows` the most rows of any one of them. `is_capped`: the
    room itself keeps to `max_rows`, by an id column.
    """

    max_rows: int
    unit: str = "person"
    neighbours: Neighbours = Neighbours.ADD_REMOVE
    is_capped: bool = False

    def __str__(self) -> str:
        rows = "one row" if self.max_rows == 1 else f"at most {self.max_rows} rows"
        verb = "added or removed" if self.neighbours is Neighbours.ADD_REMOVE else "replaced by another"
        return f"one {self.unit} with {rows}, {verb}"

    def covers(self, release: ProtectedChange) -> bool:
        """Whether a release that hides `release` keeps this promise at its own price.

        It does if the two are the same. And a file whose rows the room caps at fewer: tables that differ in
        the rows of one unit differ in at most `release.max_rows` of them once they are capped, so what hides
        that change hides this one. Nothing else is converted. k rows taken for one could be, at k^2 times the
        price (group privacy; Bun and Steinke 2016, Proposition 1.9), but then declaring k rows gives the same
        noise for the same price and says so; and no theorem tells how many visits a person has.
        """
        if (self.unit, self.neighbours) != (release.unit, release.neighbours):
            return False
        fewer = release.max_rows < self.max_rows and self.neighbours is Neighbours.ADD_REMOVE
        return release.max_rows == self.max_rows or (fewer and release.is_capped)


@dataclass(frozen=True, kw_only=True)
class Schema:
    """The declared table. `population` names the budget line: all files about the same people share it.

    `rows_public` is the number of rows where that is publicly known, typed and never counted; None where it
    is not public. Then the promise is about replacing a unit, as everybody knows how many rows there are.
    """

    name: str
    population: str
    unit: Unit
    columns: tuple[Column, ...]
    rows_public: int | None = None
    file: FileFormat = field(default_factory=FileFormat)
    file_is_public: bool = False
    title: str = ""
    description: str = ""

    @property
    def neighbours(self) -> Neighbours:
        return Neighbours.ADD_REMOVE if self.rows_public is None else Neighbours.REPLACE

    @property
    def protects(self) -> ProtectedChange:
        """What a release of this table has to hide, and so its budget line."""
        unit = self.unit
        return ProtectedChange(
            unit=unit.name,
            max_rows=unit.max_rows,
            neighbours=self.neighbours,
            is_capped=unit.id_column is not None,
        )

    @property
    def modelled(self) -> tuple[Column, ...]:
        """The columns that are synthesised: all but the dropped ones and the unit's id."""
        return tuple(c for c in self.columns if c.kind is not Kind.DROP and c.name != self.unit.id_column)

    def column(self, name: str) -> Column:
        """The column of this name. Raises: `Mistake` if there is none."""
        for column in self.columns:
            if column.name == name:
                return column
        names = ", ".join(c.name for c in self.columns)
        raise Mistake(f"The schema has no column {name!r}. It declares: {names}.")


def day_number(text: str) -> int:
    """Days from 1970-01-01 to an ISO date. Raises: ValueError."""
    return (dt.date.fromisoformat(text) - EPOCH).days


def iso_of(text: str, order: DateOrder) -> str:
    """The ISO date of a text in this order. Raises: ValueError for a text in another form."""
    if order is DateOrder.YEAR_FIRST:
        return text
    parts = _YEAR_LAST.fullmatch(text)
    if parts is None:
        raise ValueError(order.value)
    first, _, second, year = parts.groups()
    day, month = (first, second) if order is DateOrder.DAY_FIRST else (second, first)
    return f"{year}-{int(month):02}-{int(day):02}"


def iso_day(number: float) -> str:
    """Inverse of `day_number`."""
    return (EPOCH + dt.timedelta(days=int(number))).isoformat()


def in_units(bound: Bound) -> float:
    """A sound bound in the units of `Axis.edges`: a number as it is, an ISO date as days from 1970-01-01."""
    return float(day_number(bound) if isinstance(bound, str) else bound)


def parse_date(text: str) -> dt.date:
    """An ISO date as typed in a schema or a rule. Raises: `Mistake`."""
    try:
        return dt.date.fromisoformat(text)
    except ValueError:
        raise Mistake(f"{text!r} is not a date. Write it as year-month-day, like 2020-12-31.") from None

"""Define the schema, which is the steward's declaration of the table before the table is read.

The schema is public. It is typed, loaded from a document, or estimated with part of the budget, but never
derived directly from the file. `synth.dictionaries` reads and writes the schema as JSON.
"""

from __future__ import annotations

import datetime as dt
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property

from synth.core.cells.words import plain
from synth.core.columns.combinations import EMPTY, NO, YES, Choices
from synth.core.errors import Mistake
from synth.core.numbers import about, are_years, to_places

Value = str | int | float | bool
Bound = int | float | str
"""An end of a range: a number for an integer or decimal column, or an ISO date for a date column."""
ANY = "*"
"""The ending of a string in `reads` that matches all strings with the same start."""
EPOCH = dt.date(1970, 1, 1)
"""Day 0 of dates that are stored as numbers."""
NONE_CHOSEN = "none"
"""The value of a group in which no column is chosen."""
BETWEEN_COLUMNS = " + "
"""The text between the chosen columns of a group with any number of choices."""


class Kind(StrEnum):
    """The type of a column."""

    CATEGORY = "category"
    ORDERED = "ordered"
    INTEGER = "integer"
    DECIMAL = "decimal"
    DATE = "date"
    DROP = "drop"

    @property
    def words(self) -> str:
        """Return the display name for pages and reports."""
        return _KIND_WORDS.get(self, self.value)

    @property
    def has_values(self) -> bool:
        return self in (Kind.CATEGORY, Kind.ORDERED)

    @property
    def has_range(self) -> bool:
        return self in (Kind.INTEGER, Kind.DECIMAL, Kind.DATE)

    @property
    def is_ordered(self) -> bool:
        """Whether neighbouring codes represent neighbouring values."""
        return self is Kind.ORDERED or self.has_range


_KIND_WORDS = {
    Kind.ORDERED: "ordered category",
    Kind.INTEGER: "whole number",
    Kind.DECIMAL: "decimal number",
    Kind.DROP: "left out",
}


class Provenance(StrEnum):
    """The source of a column's domain."""

    PUBLIC_DOCUMENT = "public document"
    STEWARD = "steward knowledge"
    ESTIMATED = "estimated with budget"
    EARLIER = "estimated in an earlier release"  # and published with it: a public fact
    UNSTATED = "not stated"
    READ_FROM_FILE = "read from file"  # voids the guarantee; allowed only for files declared public

    @classmethod
    def _missing_(cls, value: object) -> Provenance | None:
        """Accept the terms of earlier versions, such as "bought with budget"."""
        words = str(value).replace("bought ", "estimated ", 1)
        return next((source for source in cls if source.value == words != value), None)


class Outside(StrEnum):
    """The rule for a cell whose value is outside the declared domain."""

    MISSING = "missing"
    OTHER = "other"
    CLAMP = "clamp"


class Binning(StrEnum):
    """How a range is divided into bins."""

    UNIFORM = "uniform"
    PRIVTREE = "privtree"  # costs budget


class DateOrder(StrEnum):
    """The order of day, month and year in numeric dates with the year last, such as 31.12.1999.

    Dates with the year first or the name of the month are always read (`cells.days`). `SERIAL` means Excel's
    day numbers, such as 45371.
    """

    YEAR_FIRST = "year-month-day"
    DAY_FIRST = "day-month-year"
    MONTH_FIRST = "month-day-year"
    SERIAL = "excel-serial"


@dataclass(frozen=True, kw_only=True)
class Column:
    """One declared column.

    `values` are for category and ordered columns. `min` and `max` (inclusive) are for integer, decimal and
    date columns, which are divided into `bins` equal bins or by `step`. By default, an integer range of at
    most 64 values has one bin per value, and any other range has 32 bins. If `multiple` is set, all synthetic
    numbers are multiples of it. Multiples of `heaps` have separate bins, because people round to them. `cuts`
    has the lower ends of all bands except the first. Each of `points` has a separate bin, for values that
    many rows share, such as 0. `buy` estimates the values or the range with part of the budget. `labels`
    contains a display name for each value, or for each band between `cuts`, which may be empty.
    `write_labels` writes these names to the CSV instead of values, numbers or dates. `decimals` is the number
    of decimal places of a decimal column. More places are used only if a bin would otherwise contain no
    number with this precision. With None, the number is derived from the declared values and the bins.
    `reads` lists additional strings in the file that mean a value, such as finer codes that are published
    together. A string that ends with `ANY` matches all strings with the same start. `measured_in` is the unit
    of the numbers, such as years. `missing` lists the strings that stand for missing values in this column;
    numbers and ISO dates are compared by value. `merge_rare` models rare values together (this uses budget).
    `blank=False` declares that no row can be blank in this column, which is a structural zero on the missing
    code. The missing code exists in either case.

    A column with a `formula` is neither read nor modelled: the published table contains its results. An
    excluded column with an `id_format` is published with generated IDs. With a `separator`, a cell can
    contain several of the `values`, which are its options. They are modelled jointly (`Choices`), or as
    separate yes/no columns if `joint` is False. The option `exclusive` excludes all others. `combinations`
    lists the possible sets of options, if they are publicly known.

    `limit` is a formula of other modelled columns. Published values above its result are lowered to it.

    `decimal_sign`, `thousands` and `date_order` describe how this column is written. None means the same
    format as in the rest of the file.

    `totals` contains the publicly known number of rows for each value of a stratum, and the published rows
    have the same numbers. `is_weight` declares a survey weight, which is the number of members of the
    population that a row represents.
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
    multiple: float | None = None
    heaps: float | None = None
    decimals: int | None = None
    cuts: tuple[Bound, ...] = ()
    points: tuple[Bound, ...] = ()
    binning: Binning = Binning.UNIFORM
    buy: bool = False
    merge_rare: bool = False
    blank: bool = True
    missing: tuple[str, ...] = ()
    decimal_sign: str | None = None
    thousands: str | None = None
    date_order: DateOrder | None = None
    outside: Outside | None = None  # None: clamp for ranges, missing for values
    other_label: str = "Other"
    weight: float = 1.0
    provenance: Provenance = Provenance.UNSTATED
    title: str = ""
    description: str = ""
    measured_in: str = ""
    formula: str = ""
    id_format: str = ""
    separator: str = ""
    joint: bool = True
    exclusive: Value | None = None
    combinations: tuple[tuple[Value, ...], ...] = ()
    limit: str = ""
    totals: tuple[int, ...] = ()
    is_weight: bool = False

    @property
    def choices(self) -> Choices:
        """Return the options of a multiple-choice column, including one for *other*."""
        other = (self.other_label,) if self.outside_rule is Outside.OTHER else ()
        options = tuple(map(str, (*self.values, *other)))
        place = {value: i for i, value in enumerate((*self.values, *other))}
        return Choices(
            name=self.name,
            options=options,
            separator=self.separator,
            exclusive=None if self.exclusive is None else place[self.exclusive],
            listed=tuple(tuple(sorted(place[value] for value in own)) for own in self.combinations),
            blank=self.blank,
            keeps_empty=not self.blank,
            joint=self.joint,
        )

    def parts(self, choices: Choices, labels: Sequence[str]) -> tuple[Column, ...]:
        """Return the modelled columns of options with these labels, which come from this column."""
        named = list(labels)
        return tuple(
            Column(
                name=part.name,
                kind=Kind.CATEGORY,
                values=part.labels,
                labels=_part_labels(part.sets, named, choices.separator, named != [*choices.options]),
                blank=choices.blank,
                weight=self.weight,
                provenance=self.provenance,
                title=self._part_title(choices, part.options, named),
                description=self.description,
            )
            for part in choices.parts
        )

    def _part_title(self, choices: Choices, places: Sequence[int], labels: Sequence[str]) -> str:
        if len(choices.parts) == 1:
            return self.title
        return f"{self.heading}: {', '.join(labels[place] for place in places)}"

    @property
    def heading(self) -> str:
        """Return the display name of the column, with its unit."""
        called = self.title or self.name
        return f"{called} ({self.measured_in})" if self.measured_in else called

    def written(self, end: Bound) -> str:
        """Return a number or date of the column's range as text. Years are written without a comma."""
        if isinstance(end, str) or not self.kind.has_range or self.kind is Kind.DATE:
            return str(end)
        return str(end) if self._tells_years else to_places(end, self.decimals, parted=True)

    @property
    def _tells_years(self) -> bool:
        if self.kind is not Kind.INTEGER or self.min is None or self.max is None:
            return False
        return are_years(in_units(self.min), in_units(self.max))

    def roughly(self, number: float) -> str:
        """Return a number of the column's range as text, rounded to three digits. Years keep all digits."""
        return f"{number:.0f}" if self._tells_years else about(number)

    def label_of(self, value: Value) -> str:
        """Return the label of a declared value, or the value itself."""
        if not self.labels or value not in self.values:
            return str(value)
        return self.labels[self.values.index(value)] or str(value)

    @property
    def holds_bands(self) -> bool:
        """Whether the CSV contains names of bands instead of numbers or dates."""
        return self.kind.has_range and self.write_labels

    @property
    def outside_rule(self) -> Outside:
        """Return the rule for values outside the domain."""
        if self.outside is not None:
            return self.outside
        return Outside.CLAMP if self.kind.has_range else Outside.MISSING


def _part_labels(
    sets: Sequence[Sequence[int]], labels: Sequence[str], separator: str, has_labels: bool
) -> tuple[str, ...]:
    """Return a label for each set of options if the options have labels, otherwise nothing."""
    if not has_labels:
        return ()
    return tuple(separator.join(labels[place] for place in own) or EMPTY for own in sets)


@dataclass(frozen=True, kw_only=True)
class Unit:
    """The privacy unit: who is protected, and the maximum number of rows per unit.

    `max_rows` deliberately has no default. With `id_column`, the private side keeps at most `max_rows` rows
    per unit, removes rows with a blank ID, and drops the column. IDs are compared in the form of
    `cells.words.plain`, so different Unicode forms of an ID are the same unit. Without `id_column`, the
    declaration is not checked.
    """

    max_rows: int
    name: str = "person"
    id_column: str | None = None


@dataclass(frozen=True, kw_only=True)
class Group:
    """A group of yes/no columns, of which exactly one, at most one, or any number is chosen in each row.

    `chosen` is the value that means yes.

    The group is modelled as one column, whose values are the names of its columns, and *none* if it is
    possible that none is chosen. With `several`, any number can be chosen, as in a multiple-choice column,
    and `exclusive` and `combinations` have the same meaning as there, with the names of the columns.
    """

    name: str
    columns: tuple[str, ...]
    chosen: Value = "1"
    at_most: bool = False
    several: bool = False
    exclusive: str | None = None
    combinations: tuple[tuple[str, ...], ...] = ()
    title: str = ""

    def choices(self, members: Sequence[Column]) -> Choices:
        """Return the options of a group in which any number of columns can be chosen."""
        place = {name: i for i, name in enumerate(self.columns)}
        return Choices(
            name=self.name,
            options=self.columns,
            separator=BETWEEN_COLUMNS,
            exclusive=None if self.exclusive is None else place[self.exclusive],
            listed=tuple(tuple(sorted(place[name] for name in own)) for own in self.combinations),
            blank=self._may_be_blank(members),
            keeps_empty=True,
        )

    def modelled(self, members: Sequence[Column]) -> tuple[Column, ...]:
        """Return the modelled columns of the group: one, unless any number of many columns can be chosen."""
        if self.several:
            labels = [c.title or c.name for c in members]
            whole = Column(
                name=self.name,
                kind=Kind.CATEGORY,
                title=self.title,
                weight=max(c.weight for c in members),
                provenance=self._provenance(members),
            )
            return whole.parts(self.choices(members), labels)
        named = tuple(c.title for c in members) + ("",) * self.at_most
        one = Column(
            name=self.name,
            kind=Kind.CATEGORY,
            values=(*self.columns, *((NONE_CHOSEN,) if self.at_most else ())),
            labels=named if any(named) else (),
            blank=self._may_be_blank(members),
            weight=max(c.weight for c in members),
            provenance=self._provenance(members),
            title=self.title,
        )
        return (one,)

    def _provenance(self, members: Sequence[Column]) -> Provenance:
        sources = [c.provenance for c in members]
        return Provenance.READ_FROM_FILE if Provenance.READ_FROM_FILE in sources else sources[0]

    def _may_be_blank(self, members: Sequence[Column]) -> bool:
        """Whether the value of the group may be missing. In a column with one value, a blank means no."""
        answered = [c for c in members if len(c.values) > 1]
        if self.at_most or self.several:
            return bool(answered) and all(c.blank for c in answered)
        return any(c.blank for c in members)


class LineBreaks(StrEnum):
    """How line breaks inside quotes are read in a CSV file, which determines the rows.

    If lines may be joined, a stray quote can merge two rows. Otherwise each line is one row. Whether a file
    is refused depends on its rows, so the guarantee then covers only files without such line breaks.
    """

    JOIN = "join"
    SPLIT = "split"
    REFUSE = "refuse"


DECIMAL_SIGNS = (".", ",")
"""The decimal signs that can be declared."""
THOUSANDS = ("", *DECIMAL_SIGNS)
"""The thousands signs that can be declared. Spaces and apostrophes are always accepted."""


@dataclass(frozen=True, kw_only=True)
class FileFormat:
    """The format of the private file, which is always declared and never guessed.

    `core.cells` reads the cells. `thousands` is the point or comma that separates thousands, or "" if
    thousands are not separated. `two_digit_years` is the first of the hundred years to which two-digit years
    refer. `sheet` is the name of a sheet in a workbook, or "" for the first visible sheet. `skip_lines` is
    the number of lines, or rows of a sheet, above the header. A row of a text file or a workbook is not a
    record if its first cell starts with one of `notes`. `escape` is a backslash if it precedes quotes inside
    cells, or "" if they are doubled. `encoding` is the name of the encoding of a text file, or of the texts
    in a file of a statistics package that does not state it. With "", each cell is UTF-8 or otherwise
    Windows-1252, and a file with a byte-order mark is UTF-16 or UTF-32.
    """

    header: bool = True
    encoding: str = ""
    delimiter: str = ","
    quote: str = '"'
    escape: str = ""
    skip_lines: int = 0
    sheet: str = ""
    notes: tuple[str, ...] = ()
    line_breaks: LineBreaks = LineBreaks.JOIN
    decimal_sign: str = "."
    thousands: str = ""
    date_order: DateOrder = DateOrder.YEAR_FIRST
    two_digit_years: int = 1930
    missing: tuple[str, ...] = ("", "NA", "N/A", "NaN", "nan", "null", "?")

    def of(self, column: Column | None) -> FileFormat:
        """Return the format of a column's cells. The column may declare different signs and a different order
        of dates.
        """
        names = ("decimal_sign", "thousands", "date_order")
        own = {name: value for name in names if (value := getattr(column, name, None)) is not None}
        return replace(self, **own) if own else self


def check_format(form: FileFormat) -> None:
    """Raise `Mistake` for a delimiter, quote, decimal sign or thousands sign that no CSV file can have."""
    for name, mark, may_lack in (("delimiter", form.delimiter, False), ("quote", form.quote, True)):
        if (may_lack and mark == "") or (len(mark) == 1 and mark.isascii() and mark not in "\r\n\0"):
            continue
        raise Mistake(f"The file's {name} must be a single plain character (you gave {mark!r}).")
    if form.encoding and not is_encoding(form.encoding):
        raise Mistake(
            f"The encoding {form.encoding!r} is not known. Use a name such as 'utf-8', 'windows-1252', "
            "'cp1250', 'shift-jis' or 'utf-16'."
        )
    if form.escape not in ("", "\\"):
        raise Mistake(f"The escape sign must be a backslash, or empty (you gave {form.escape!r}).")
    if form.skip_lines < 0:
        raise Mistake(
            f"The number of lines above the header cannot be negative (you gave {form.skip_lines})."
        )
    if form.delimiter == form.quote:
        raise Mistake(f"Delimiter and quote cannot be the same character (you gave {form.quote!r} for both).")
    if form.decimal_sign not in DECIMAL_SIGNS:
        raise Mistake(f"The decimal sign must be a point or a comma (you gave {form.decimal_sign!r}).")
    if form.thousands not in THOUSANDS:
        raise Mistake(f"The thousands sign must be a point, a comma, or empty (you gave {form.thousands!r}).")
    if form.decimal_sign == form.thousands:
        raise Mistake(
            f"The decimal sign and the thousands sign must differ (you gave {form.thousands!r} for both)."
        )
    if form.delimiter in (form.decimal_sign, form.thousands) and not form.quote:
        raise Mistake("Without quotes, the delimiter cannot be a character that occurs in numbers.")


def is_encoding(name: str) -> bool:
    """Whether this is the name of an encoding that can write the names and numbers of a table.

    >>> is_encoding("Shift-JIS"), is_encoding("utf-16"), is_encoding("rot13"), is_encoding("cp9999")
    (True, True, False, False)
    """
    try:
        return bytes(_PROBE.encode(name)).decode(name).endswith(_PROBE) and "escape" not in name
    except (LookupError, ValueError):
        return False


_PROBE = "Name,12\n"


class Neighbours(StrEnum):
    """The neighbour relation, which defines the pairs of tables that the guarantee compares."""

    ADD_REMOVE = "add-or-remove-one-unit"
    REPLACE = "replace-one-unit"


@dataclass(frozen=True, kw_only=True)
class ProtectedChange:
    """The difference between two neighbouring tables that a guarantee covers.

    `unit` is the name of the privacy unit, and `max_rows` its maximum number of rows. `is_capped` states
    whether the private side enforces `max_rows` with an ID column.
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
        """Whether a release that protects the change `release` also has this guarantee, at the same cost.

        This is true if the two changes are equal, and also if the rows are capped at a smaller number: after
        the cap, tables that differ in one unit differ in at most `release.max_rows` rows. No other changes
        are converted. Group privacy could convert a guarantee for one row to k rows, at k^2 times the cost
        (Bun and Steinke 2016, Proposition 1.9), but declaring k rows leads to the same noise for the same
        cost. No theorem limits the number of visits of a person.
        """
        if (self.unit, self.neighbours) != (release.unit, release.neighbours):
            return False
        fewer = release.max_rows < self.max_rows and self.neighbours is Neighbours.ADD_REMOVE
        return release.max_rows == self.max_rows or (fewer and release.is_capped)


@dataclass(frozen=True, kw_only=True)
class Schema:
    """The declared table. All files of one `population` share one lifetime budget.

    `rows_public` is the number of rows if it is publicly known (typed, never counted), otherwise None. If it
    is public, neighbouring tables differ in the replacement of a unit.
    """

    name: str
    population: str
    unit: Unit
    columns: tuple[Column, ...]
    rows_public: int | None = None
    groups: tuple[Group, ...] = ()
    file: FileFormat = field(default_factory=FileFormat)
    file_is_public: bool = False
    title: str = ""
    description: str = ""

    @property
    def neighbours(self) -> Neighbours:
        return Neighbours.ADD_REMOVE if self.rows_public is None else Neighbours.REPLACE

    @property
    def protects(self) -> ProtectedChange:
        """Return the change that a release of this table and its lifetime budget must cover."""
        unit = self.unit
        return ProtectedChange(
            unit=unit.name,
            max_rows=unit.max_rows,
            neighbours=self.neighbours,
            is_capped=unit.id_column is not None,
        )

    @cached_property
    def modelled(self) -> tuple[Column, ...]:
        """Return the modelled columns.

        These are the columns that are read, but the parts of multiple-choice columns, and groups, replace the
        columns that they come from.
        """
        group_of = {name: group for group in self.groups for name in group.columns}
        found: dict[str, Column] = {}
        for column in self.read:
            group = group_of.get(column.name)
            if group is not None:
                made = self.of_group(group)
            elif column.separator:
                options = (*column.values, *column.choices.options[len(column.values) :])
                made = column.parts(column.choices, [column.label_of(value) for value in options])
            else:
                made = (column,)
            for one in made:
                found.setdefault(one.name, one)
        return tuple(found.values())

    def of_group(self, group: Group) -> tuple[Column, ...]:
        """Return the modelled columns of a group."""
        return group.modelled(self._members(group))

    def _members(self, group: Group) -> list[Column]:
        return [c for c in self.read if c.name in group.columns]

    @cached_property
    def choices(self) -> tuple[Choices, ...]:
        """Return the multiple-choice columns, and the groups with any number of choices."""
        found = [c.choices for c in self.read if c.separator]
        return (*found, *(g.choices(self._members(g)) for g in self.groups if g.several))

    def choice(self, name: str) -> Choices:
        """Return the multiple-choice column or the group with this name. Raises: KeyError."""
        return {choices.name: choices for choices in self.choices}[name]

    @cached_property
    def options(self) -> dict[str, tuple[Choices, int]]:
        """Return the options that are modelled jointly, by the name that rules and conditions use."""
        return {
            choices.option_name(place): (choices, place)
            for choices in self.choices
            if choices.joint
            for place in range(len(choices.options))
        }

    @cached_property
    def read(self) -> tuple[Column, ...]:
        """Return the columns of the file that are read for the model.

        These are all columns except the ID column and excluded and computed columns.
        """
        return tuple(c for c in self.columns if not self.leaves_out(c) and not c.formula)

    @property
    def total(self) -> int | None:
        """Return the publicly known number of rows from the totals of a stratum, or None."""
        return next((sum(c.totals) for c in self.read if c.totals), None)

    @cached_property
    def known(self) -> tuple[Column, ...]:
        """Return the modelled columns, the other declared columns, and the options of multiple-choice columns
        as yes/no columns.
        """
        found = {c.name: c for c in (*self.modelled, *self.columns)}
        found |= {c.name: c for c in self.modelled}
        for name, (choices, _) in self.options.items():
            option = Column(name=name, kind=Kind.CATEGORY, values=(NO, YES), blank=choices.blank)
            found.setdefault(name, option)
        return tuple(found.values())

    @cached_property
    def published(self) -> tuple[Column, ...]:
        """Return the columns of the published table: modelled, computed and generated."""
        return tuple(c for c in self.columns if c.id_format or not self.leaves_out(c))

    def leaves_out(self, column: Column) -> bool:
        """Whether a column of the file is not modelled because it is excluded or is the ID column."""
        return column.kind is Kind.DROP or column.name == self.unit.id_column

    def column(self, name: str) -> Column:
        """Return the column of the file or the model with this name. Raises: `Mistake` if there is none."""
        for column in self.known:
            if column.name == name:
                return column
        names = ", ".join(c.name for c in self.columns)
        raise Mistake(f"The schema has no column {name!r}. It declares: {names}.")


def matching(name: str, names: Sequence[str]) -> list[int]:
    """Return the positions of a declared column name among the names in a file.

    A name matches if it is equal, ignoring surrounding spaces. If no name matches in this way, names that
    differ only in case, or in characters that `cells.plain` treats as equal, also match.

    >>> matching("Age", ["sex", " age", "AGE"]), matching("Age", ["age", "Age"]), matching("a'", ["a\\u2019"])
    ([1, 2], [1], [0])
    """
    equal = [place for place, other in enumerate(names) if other.strip() == name.strip()]
    return equal or [place for place, other in enumerate(names) if _folded(other) == _folded(name)]


def _folded(name: str) -> str:
    return unicodedata.normalize("NFKC", plain(name)).casefold()


def day_number(text: str) -> int:
    """Return the number of days from 1970-01-01 to an ISO date. Raises: ValueError."""
    return (dt.date.fromisoformat(text) - EPOCH).days


def iso_day(number: float) -> str:
    """Return the ISO date of a day number (the inverse of `day_number`)."""
    return (EPOCH + dt.timedelta(days=int(number))).isoformat()


def in_units(bound: Bound) -> float:
    """Return a bound in the units of `Axis.edges`.

    A number is unchanged. An ISO date becomes the number of days since 1970-01-01.
    """
    return float(day_number(bound) if isinstance(bound, str) else bound)


def parse_date(text: str) -> dt.date:
    """Parse an ISO date that was typed in a schema or rule. Raises: `Mistake` if the text is not an ISO
    date.
    """
    try:
        return dt.date.fromisoformat(text)
    except ValueError:
        raise Mistake(f"{text!r} is not a date. Write it as year-month-day, like 2020-12-31.") from None

"""Report valid but unusual declarations of a table before budget is spent."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, pairwise
from typing import Any

from synth.core.cells.words import plain
from synth.core.numbers import TIMES, about
from synth.core.schema import Binning, Column, Kind, Outside, Provenance, Schema, in_units, matching
from synth.dictionaries.check import cells_of, show, span_of, text_of
from synth.dictionaries.domain_text import ESTIMATES
from synth.dictionaries.words import FIELD_NAMES, Words

WIDE = (
    "Counts do not show where in a wide band the values are, and noise alone can add some values; both "
    "change a mean."
)
"""This remark is shown only once, for any number of columns with such a band."""
MANY_CELLS = 100
"""Maximum number of cells in a column without a warning."""
MANY_NUMBERS = 10
"""Minimum number of values in a category of increasing numbers for the remark that it may be ordered."""
LARGEST_PAIR = 1_000_000
"""Maximum number of cells in the joint table of two columns without a warning."""
PERSONAL = frozenset(
    {"id", "ids", "uuid", "guid", "ssn", "iban", "email", "mail", "phone", "telephone", "mobile", "passport"}
    | {"surname", "forename", "firstname", "lastname", "fullname", "address", "street"}
)
"""Words in a column's name that suggest an ID, a name or an address."""

FEW_CUTS, MOST_OF = 2, 0.75
"""A band causes a warning if it is wider than this share of a range that has at least this number of cuts."""
_TENFOLD = 10.0

FORMULA_SIGNS = ("=", "+", "-", "@", "\t", "\r")
"""The first characters that make a spreadsheet treat a string as a formula."""


SEPARATORS = (";", "\t", "|", ",")
"""Characters that are often used to separate cells."""


def header_remarks(names: Sequence[str], schema: Schema) -> tuple[str, ...]:
    """Return sentences about the differences between the header of a file and the declared columns."""
    marks = [mark for mark in SEPARATORS if mark in names[0]] if len(names) == 1 else []
    if marks:
        sentence = (
            "The header was read as one column. The file probably uses "
            f"{marks[0]!r} between cells. Declare this character as the delimiter."
        )
        return (sentence,)
    wanted = [column.name for column in schema.read]
    wanted += [name for name in [schema.unit.id_column] if name is not None]
    if len(wanted) > 1 and not any(matching(name, names) for name in wanted):
        sentence = (
            "None of the declared columns is in the header. Check the sheet of a workbook (file.sheet) and "
            "the lines above the names (file.skip_lines)."
        )
        return (sentence,)
    remarks = []
    for name in wanted:
        found = [names[place] for place in matching(name, names)]
        if len(found) != 1:
            fault = "is not in the header" if not found else f"is in the header {len(found)} times"
            remarks.append(f"Column {show(name)} {fault}.")
        elif found[0].strip() != name.strip():
            remarks.append(f"Column {show(name)} is read from {show(found[0])}.")
    return tuple(remarks)


def warnings(schema: Schema, words: Words = FIELD_NAMES) -> tuple[str, ...]:
    """Return remarks for the steward before budget is spent.

    They are about the guarantee, the number of cells, values that cannot occur, and formulas.
    """
    columns = schema.modelled
    sentences = [*_guarantee_warnings(schema, words)]
    for column in columns:
        about_it = _column_warnings(column, schema, words)
        sentences += [f"Column {show(words.called(column))}: {sentence}" for sentence in about_it]
    if any(any(_wide_band(column)) for column in columns):
        sentences.append(WIDE)
    sentences += _pair_warnings(columns, words)
    if columns and all(c.weight == 0 for c in columns):
        sentences.append(
            "Every column has weight 0, so the workload is empty. Give some columns a weight above 0."
        )
    return tuple(sentences)


def _guarantee_warnings(schema: Schema, words: Words) -> Iterator[str]:
    read = [words.called(c) for c in schema.columns if c.provenance is Provenance.READ_FROM_FILE]
    if read:
        yield (
            f"The domain of {', '.join(map(show, read))} was read from the file: a release has no guarantee."
        )
    if schema.unit.max_rows > 1 and schema.unit.id_column is None:
        yield (
            f"One {schema.unit.name} may have {schema.unit.max_rows} rows, and no ID column limits them: "
            "the guarantee holds only if this declaration is true."
        )


def _column_warnings(column: Column, schema: Schema, words: Words) -> Iterator[str]:
    cells = cells_of(column)
    if column in schema.read and reads_personal(column.name):
        yield (
            "its name looks like an ID, a person's name or an address. Exclude such columns"
            f"{words.drop}; they are never synthesised."
        )
    span = span_of(column)
    requested = column.cuts or column.bins is not None or column.step is not None
    requested = requested or column.binning is Binning.PRIVTREE
    if cells is not None and span is not None and not requested:
        width = (span[1] - span[0]) / cells
        if column.kind is Kind.DECIMAL or width > 1:
            unit = " days" if column.kind is Kind.DATE else ""
            yield (
                f"it is divided into {cells:,} equal bins, about {about(width)}{unit} each, because none "
                f"are declared. Values in one bin cannot be distinguished later; {words.ask_bins} to "
                "change this."
            )
    yield from _wide_band(column)
    if cells is not None and cells > MANY_CELLS:
        yield (f"{cells:,} values or bins are many. Each gets noise, so fewer are more accurate.")
    if _rises(column):
        yield (
            "its values are numbers. If neighbouring values are similar, declare it as ordered: this makes "
            "rare values more accurate. Keep codes without an order as they are."
        )
    if column.bins is not None and cells is not None and column.bins > cells:
        yield (f"the range has only {cells:,} values, so {cells:,} bins are used instead of {column.bins:,}.")
    if column.buy and not column.values and column.min is None:
        if column.kind.has_range:
            yield f"the ends of its range of {column.kind.words}s are estimated with part of the budget."
        else:
            yield (
                "its list of values is estimated with part of the budget. To estimate a range of numbers or "
                f"dates instead, {words.buy_numbers}."
            )
    if len(column.values) == 1 and {*ESTIMATES} & {*text_of(column.values[0]).lower().split()}:
        only = show(column.values[0])
        yield f"its only value is {only}. To estimate a range instead, {words.buy_numbers}."
    elif len(column.values) == 1:
        only = show(column.values[0])
        yield f"its list has one value, {only}: every other cell of the file is outside the domain."
    keeps_others = column.buy or column.outside_rule is Outside.OTHER
    if column.other_label != Column.other_label and not keeps_others:
        yield f"the label {show(column.other_label)} is not used, because 'outside' is not 'other'."
    tokens = {plain(t) for t in schema.file.missing}
    for value in column.values:
        if plain(text_of(value)) in tokens:
            yield (
                f"{show(value)} is also read as blank, so this value never occurs. "
                "Remove it from the list or from the file's 'missing'."
            )
    texts = [
        column.name,
        *column.values,
        *column.labels,
        *([column.other_label] if column.outside is Outside.OTHER else []),
    ]
    risky = [v for v in texts if isinstance(v, str) and v.startswith(FORMULA_SIGNS)]
    if risky:
        yield f"{show(risky[0])} starts like a formula, so the exported CSV puts an apostrophe before it."


def _rises(column: Column) -> bool:
    """Whether a category has many values that are increasing numbers, without other labels."""
    texts = [text_of(value) for value in column.values]
    is_plain = column.kind is Kind.CATEGORY and len(texts) >= MANY_NUMBERS and not any(column.labels)
    return is_plain and all(map(str.isdecimal, texts)) and all(int(a) < int(b) for a, b in pairwise(texts))


def _wide_band(column: Column) -> Iterator[str]:
    """Yield a remark if a band between declared cuts covers most of the range."""
    if len(column.cuts) < FEW_CUTS or column.kind not in (Kind.INTEGER, Kind.DECIMAL):
        return
    ends = [in_units(end) for end in (column.min, *column.cuts, column.max) if end is not None]
    wide = next((p for p in pairwise(ends) if p[1] - p[0] > MOST_OF * (ends[-1] - ends[0])), None)
    if wide is None:
        return
    low, high = wide
    remedy = "Declare a narrower range"
    if low > 0 and high > _TENFOLD * low:
        places = ", ".join(about(place, digits=1) for place in _between(low, high))
        remedy += f", or if many people are expected in this band, divide it further, for example at {places}"
    yield (
        f"the band from {about(low)} to {about(high)} covers most of the range, so the mean of the "
        f"column may be far off. {remedy}."
    )


def _between(low: float, high: float) -> list[float]:
    """Return three numbers that divide a band at equal ratios."""
    return [low * (high / low) ** (part / 4) for part in (1, 2, 3)]


def reads_personal(name: str) -> bool:
    """Return whether the name of a column suggests an ID, a name or an address.

    >>> reads_personal("patientID"), reads_personal("idle")
    (True, False)
    """
    return bool(PERSONAL & set(_words(name)))


def without_personal(columns: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the columns of a first schema, with those excluded whose names suggest IDs, names or addresses.

    A column with a list of values is kept.
    """
    return [
        {"name": column["name"], "kind": Kind.DROP.value}
        if reads_personal(column["name"]) and not column.get("values")
        else dict(column)
        for column in columns
    ]


def _words(name: str) -> list[str]:
    """Return the words of a name in lower case: patientID, patient_id and "patient id" all contain id."""
    parted = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name)
    return re.findall(r"[a-z]+", parted.lower())


def _pair_warnings(columns: Sequence[Column], words: Words) -> Iterator[str]:
    sizes = [(words.called(c), n + 1) for c in columns if (n := cells_of(c)) is not None]
    for (a, size_a), (b, size_b) in combinations(sizes, 2):
        if size_a * size_b > LARGEST_PAIR:
            wider = a if size_a >= size_b else b
            yield (
                f"{show(a)}{TIMES}{show(b)} has {_millions(size_a * size_b)} combinations. The limit is 1 "
                f"million. Use fewer values or bins for {show(wider)}."
            )


def _millions(count: int) -> str:
    return f"{count / 1e6:.1f} million" if count >= 1e6 else f"{count:,}"

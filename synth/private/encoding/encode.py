"""Encode strings: assign a code on the axis to each distinct string of a column. Every string has a code.

Strings are compared in the normal form of `cells.plain`. For a column with values, the first match applies:

1. a declared value as a string, with numbers written in the file's format;
2. an additional string that is read as a value (`Column.reads`); prefixes apply only if the text is not a
   missing token;
3. a declared number by value ("0", "0.0" and "0e0" are all 0);
4. a missing token, as a string, or as a number if numbers are declared (`blank_in`);
5. if only one of these matches when case is ignored (`cells.lowered`): a declared value, an additional
   string (not a prefix), a missing token, or a word for a declared true or false (`cells.YES_NO`);
6. any other string is outside the domain and becomes *other* or missing.

For a column with a range, the first match applies:

1. a missing token, as a string or as a number (`blank_in`);
2. a number (`numbers_in`) or a date (`dates_in`): if it is in the range, it has a cell, otherwise the outside
   rule applies. -0 is 0; 1e400 and inf are above every range;
3. anything else: *other* under that rule, otherwise missing.
"""

from __future__ import annotations

import math

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from synth.core.axis import Axis
from synth.core.cells.days import day_of
from synth.core.cells.numbers import grouped, has_grouped, number_of
from synth.core.cells.words import spellings_of
from synth.core.columns.unfit import REASONS, Reason
from synth.core.domain import CodeColumn, smallest_dtype
from synth.core.schema import ANY, DECIMAL_SIGNS, Column, FileFormat, Kind, Outside
from synth.private.reading.lines import text_of, wire
from synth.private.reading.text_column import (
    Texts,
    is_blank,
    lowered_texts,
    plain_texts,
    positions,
    spelled,
)

NUMBERS = {
    sign: rf"^[+-]?([0-9]+[{sign}]?[0-9]*|[{sign}][0-9]+)([eE][+-]?[0-9]+)?$" for sign in DECIMAL_SIGNS
}
"""Patterns of numbers without thousands separators or other signs, by decimal sign."""
SHORT_NUMBERS = {sign: rf"^-?[0-9]{{1,9}}([{sign}][0-9]{{1,6}})?$" for sign in DECIMAL_SIGNS}
"""Patterns of numbers in the most common form, which all parsers convert to the same float."""
INFINITE = r"^(?i)[+-]?inf(inity)?$"
DAY = r"^(?P<day>[0-9]{1,4}[./-][0-9]{1,2}[./-][0-9]{1,4})(?:[ T].*)?$"
"""Pattern of dates in the most common form. Dates with different times of day are parsed only once."""


def encode(texts: Texts, axis: Axis, form: FileFormat) -> CodeColumn:
    """Return the code of every string; a blank has `axis.missing_code`. Shapes: unsigned[len(texts)]."""
    return encode_and_check(texts, axis, form)[0]


def encode_and_check(texts: Texts, axis: Axis, form: FileFormat) -> tuple[CodeColumn, NDArray[np.uint8]]:
    """Return the code of every string, and the reason why it does not fit the declaration.

    A reason is 1 plus its position in `core.columns.unfit.REASONS`, or 0 if the string fits. Shapes:
    unsigned[len(texts)], uint8[len(texts)].
    """
    texts, form = plain_texts(texts), form.of(axis.column)
    codes, reasons = _range_codes(texts, axis, form) if axis.edges else _label_codes(texts, axis, form)
    return codes.astype(smallest_dtype(axis.missing_code + 1)), reasons


def reason_code(reason: Reason) -> int:
    """Return the number of a reason on the private side."""
    return REASONS.index(reason) + 1


def _label_codes(texts: Texts, axis: Axis, form: FileFormat) -> tuple[NDArray[np.int64], NDArray[np.uint8]]:
    column = axis.column
    numbers = {float(v): i for i, v in reversed(list(enumerate(axis.labels))) if is_number(v)}
    values = numbers_in(texts, column, form) if numbers else None
    blank = blank_in(texts, column, form, values)
    ways = [positions(texts, [spelled(label) for label in _labels(axis, form)])]
    if column.reads:
        ways.append(_finer_codes(texts, axis, blank))
    if values is not None:
        known = np.array(sorted(numbers))
        place = np.minimum(np.searchsorted(known, values), len(known) - 1)
        by_value = np.array([numbers[v] for v in known])[place]
        ways.append(np.where(known[place] == values, by_value, -1))
    ways.append(np.where(blank, axis.missing_code, -1))
    codes = np.full(len(texts), -1)
    for found in reversed(ways):
        codes = np.where(found >= 0, found, codes)
    left, reasons = np.flatnonzero(codes < 0), np.zeros(len(texts), dtype=np.uint8)
    if not column.blank:
        reasons[codes == axis.missing_code] = reason_code(Reason.BLANK)
    if len(left):
        spellings = spellings_on(axis, form)
        place = positions(lowered_texts(texts.take(pa.array(left)), spellings), [*map(wire, spellings)])
        codes[left] = np.array([*spellings.values(), axis.outside_code])[place]
        if not column.blank:
            reasons[left[codes[left] == axis.missing_code]] = reason_code(Reason.BLANK)
        if column.outside_rule is not Outside.OTHER:
            reasons[left[place < 0]] = reason_code(Reason.UNLISTED)
    return codes, reasons


def spellings_on(axis: Axis, form: FileFormat) -> dict[str, int]:
    """Return the codes of strings that match when case is ignored (`cells.spellings_of`)."""
    column = axis.column
    reads = [(own, code) for code, some in enumerate(column.reads) for own in some if not own.endswith(ANY)]
    missing = [(token, axis.missing_code) for token in (*form.missing, *column.missing)]
    return spellings_of(_labels(axis, form), reads + missing)


def _labels(axis: Axis, form: FileFormat) -> list[str]:
    """Return the declared values as they are written in the file's format."""
    return [str(v).replace(".", form.decimal_sign) if isinstance(v, float) else str(v) for v in axis.labels]


def _finer_codes(texts: Texts, axis: Axis, blank: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return the code of each string that belongs to a finer level of detail, or -1 for other strings.

    If several prefixes match, the longest one is used.

    A prefix never matches a blank: "NA" is not a code of section N.
    """
    code_of = {spelled(text): i for i, own in enumerate(axis.column.reads) for text in own}
    codes = np.full(len(texts), -1, dtype=np.int64)
    for text in sorted((text for text in code_of if text.endswith(ANY)), key=len):
        begins = pc.starts_with(texts, pattern=text.removesuffix(ANY))
        codes[np.asarray(begins.to_numpy(zero_copy_only=False), dtype=np.bool_) & ~blank] = code_of[text]
    place = positions(texts, list(code_of))
    return np.where(place >= 0, np.array([*code_of.values(), 0])[place], codes)


def is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _range_codes(texts: Texts, axis: Axis, form: FileFormat) -> tuple[NDArray[np.int64], NDArray[np.uint8]]:
    values = values_in(texts, axis.column, form)
    edges = np.array(axis.edges)
    codes = np.searchsorted(edges, values, side="right") - 1
    if axis.column.kind is Kind.DECIMAL:
        codes[values == edges[-1]] = axis.cells - 1
    unusable = np.isnan(values)
    reasons = _range_reasons(values, codes, axis)
    if axis.column.outside_rule is Outside.CLAMP:
        codes = np.clip(codes, 0, axis.cells - 1)
        codes[unusable] = axis.missing_code
    else:
        unusable |= (codes < 0) | (codes >= axis.cells)
        codes[unusable] = axis.outside_code
    blank = blank_in(texts, axis.column, form, values)
    codes[blank] = axis.missing_code
    reasons[blank] = 0 if axis.column.blank else reason_code(Reason.BLANK)
    return codes, reasons


def _range_reasons(values: NDArray[np.float64], codes: NDArray[np.int64], axis: Axis) -> NDArray[np.uint8]:
    """Return the reasons of values, before blanks are considered. `codes` are not yet clamped."""
    reasons, unreadable = np.zeros(len(values), dtype=np.uint8), np.isnan(values)
    below, above = (codes < 0) & ~unreadable, (codes >= axis.cells) & ~unreadable
    if axis.column.outside_rule is not Outside.OTHER:
        for where, reason in (
            (below, Reason.BELOW),
            (above, Reason.ABOVE),
            (unreadable, Reason.UNREADABLE),
        ):
            reasons[where] = reason_code(reason)
    if axis.column.kind is Kind.INTEGER:
        inside = ~(below | above | unreadable)
        reasons[inside & (values != np.floor(values))] = reason_code(Reason.CHANGED)
    return reasons


def blank_in(
    texts: Texts, column: Column, form: FileFormat, values: NDArray[np.float64] | None = None
) -> NDArray[np.bool_]:
    """Return a mask of the plain strings that are missing, also by value if `values` is given.

    Dates are missing by value only if the column declares this. Shapes: `values` as returned by `values_in`;
    bool[len(texts)].
    """
    blank = is_blank(texts, (*form.missing, *column.missing))
    return blank if values is None else blank | np.isin(values, missing_values(column, form))


def missing_values(column: Column, form: FileFormat) -> NDArray[np.float64]:
    """Return the values that mean missing.

    The column declares them in the same form as its range, with decimal points and ISO dates.
    """
    of_file, form = () if column.kind is Kind.DATE else form.missing, form.of(column)
    found = [
        values_in(pa.array([*map(spelled, some)], pa.large_string()), column, written)
        for some, written in ((of_file, form), (column.missing, FileFormat()))
    ]
    values = np.concatenate(found)
    return np.unique(values[~np.isnan(values)])


def values_in(texts: Texts, column: Column, form: FileFormat) -> NDArray[np.float64]:
    """Return the values of plain strings of a column with a range, in the units of its edges.

    Shapes: float64[len(texts)].
    """
    return dates_in(texts, form) if column.kind is Kind.DATE else numbers_in(texts, column, form)


def numbers_in(texts: Texts, column: Column, form: FileFormat) -> NDArray[np.float64]:
    """Return the number in each plain string, or nan for other strings (`cells.number_of`).

    Shapes: float64[len(texts)].
    """
    sign, values, left = form.decimal_sign, np.full(len(texts), np.nan), np.arange(len(texts))
    if has_grouped(form, column):
        left = np.flatnonzero(~_matching(texts, f"^{grouped(sign)}$"))
        texts = texts.take(pa.array(left))

    def taken(pattern: str) -> tuple[NDArray[np.intp], Texts]:
        """Return the matching strings, written with a decimal point, and remove them from `texts`."""
        nonlocal left, texts
        which = _matching(texts, pattern)
        found, some = left[which], texts.filter(pa.array(which))
        left, texts = left[~which], texts.filter(pa.array(~which))
        return found, some if sign == "." else pc.replace_substring(some, sign, ".")

    places, some = taken(SHORT_NUMBERS[sign])
    values[places] = some.cast(pa.float64()).to_numpy()
    for pattern in (NUMBERS[sign], INFINITE):
        places, some = taken(pattern)
        values[places] = [*map(float, some.to_pylist())]
    values[left] = [number_of(text_of(text) or text, form, column) for text in texts.to_pylist()]
    return values


def dates_in(texts: Texts, form: FileFormat) -> NDArray[np.float64]:
    """Return the date in each plain string as days since 1970-01-01, or nan for other strings
    (`cells.day_of`).

    Shapes: float64[len(texts)].
    """
    values = np.full(len(texts), np.nan)
    which = _matching(texts, DAY)
    short = pc.struct_field(pc.extract_regex(texts.filter(pa.array(which)), DAY), "day")
    for place, some in ((which, short), (~which, texts.filter(pa.array(~which)))):
        days = some.dictionary_encode()
        found = [day_of(text_of(text) or text, form) for text in days.dictionary.to_pylist()]
        numbers = np.array([math.nan if day is None else day for day in found], dtype=np.float64)
        values[place] = numbers[days.indices.to_numpy()]
    return values


def _matching(texts: Texts, pattern: str) -> NDArray[np.bool_]:
    return np.asarray(pc.match_substring_regex(texts, pattern).to_numpy(zero_copy_only=False), dtype=np.bool_)

"""Encode texts: the code of each distinct text of a column on its axis. Every text has a code.

Texts are stripped and in the form of `lines.wire`. In order of precedence:

* values: a declared value as text, a number as the format writes it; a further text that is read as a value
  (`Column.reads`), a prefix unless the text is a missing token; a declared number by value ("0", "0.0",
  "0e0" are all 0); a declared true or false in any case; a missing token; else the outside rule (other, or
  missing).
* ranges: a missing token (as text, or by value); a number or a date as the format writes them, the date
  possibly followed by a time of day; -0 is 0, 1e400 and inf are above every range; in range it has a cell,
  out of range the outside rule applies. Anything else (nan, 1_000, words) becomes other under that rule,
  else missing.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from synth.core.axis import Axis
from synth.core.domain import CodeColumn, smallest_dtype
from synth.core.schema import ANY, DECIMAL_SIGNS, DateOrder, FileFormat, Kind, Outside, day_number, iso_of
from synth.private.reading.lines import single_bytes, wire
from synth.private.reading.text_column import Texts, is_blank, positions

NUMBERS = {
    sign: rf"^[+-]?([0-9]+[{sign}]?[0-9]*|[{sign}][0-9]+)([eE][+-]?[0-9]+)?$" for sign in DECIMAL_SIGNS
}
"""Patterns of numbers, by the decimal sign."""
SHORT_NUMBERS = {sign: rf"^-?[0-9]{{1,9}}([{sign}][0-9]{{1,6}})?$" for sign in DECIMAL_SIGNS}
"""Numbers as most files write them, which all readers of numbers convert to the same float."""
INFINITE = r"^(?i)[+-]?inf(inity)?$"
DATES = {order: r"^(?P<day>[0-9]{1,2}[./-][0-9]{1,2}[./-][0-9]{4})(?:[ T].*)?$" for order in DateOrder}
DATES[DateOrder.YEAR_FIRST] = r"^(?P<day>[0-9]{4}-[0-9]{2}-[0-9]{2})(?:[ T].*)?$"
"""Patterns of dates, by the order of their parts; `schema.iso_of` checks them."""


def encode(texts: Texts, axis: Axis, form: FileFormat) -> CodeColumn:
    """Return the code of every text; a blank has `axis.missing_code`. Shapes: unsigned[len(texts)].

    Of `form` the blanks, the decimal sign and the order of dates are used.
    """
    codes = _range_codes(texts, axis, form) if axis.edges else _label_codes(texts, axis, form)
    return codes.astype(smallest_dtype(axis.missing_code + 1))


def _label_codes(texts: Texts, axis: Axis, form: FileFormat) -> NDArray[np.int64]:
    blank = is_blank(texts, form.missing)
    codes = np.where(blank, axis.missing_code, axis.outside_code)
    for keys, haystack in _label_keys(texts, axis, form.decimal_sign):
        label = positions(haystack, keys)
        is_exact = label >= 0
        codes = np.where(is_exact, label, codes)
    if axis.column.reads:
        finer = _finer_codes(texts, axis, blank)
        codes = np.where((finer >= 0) & ~is_exact, finer, codes)
        is_exact |= finer >= 0
    numbers = {float(v): i for i, v in reversed(list(enumerate(axis.labels))) if is_number(v)}
    if numbers:
        values = numbers_in(texts, form.decimal_sign)
        known = np.array(sorted(numbers))
        place = np.minimum(np.searchsorted(known, values), len(known) - 1)
        by_value = np.array([numbers[v] for v in known])[place]
        codes = np.where((known[place] == values) & ~is_exact, by_value, codes)
    return codes


def _finer_codes(texts: Texts, axis: Axis, blank: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return the code under which each text of a finer level is published, -1 for none; the longest prefix
    counts.

    No prefix matches a blank: "NA" is not a code of section N.
    """
    code_of = {wire(text): i for i, own in enumerate(axis.column.reads) for text in own}
    codes = np.full(len(texts), -1, dtype=np.int64)
    for text in sorted((text for text in code_of if text.endswith(ANY)), key=len):
        begins = pc.starts_with(texts, pattern=text.removesuffix(ANY))
        codes[np.asarray(begins.to_numpy(zero_copy_only=False), dtype=np.bool_) & ~blank] = code_of[text]
    place = positions(texts, list(code_of))
    return np.where(place >= 0, np.array([*code_of.values(), 0])[place], codes)


def _label_keys(texts: Texts, axis: Axis, sign: str) -> list[tuple[list[str], Texts]]:
    """Return keys of the labels and the texts to search, weakest first, last the labels as written."""
    written = [str(v).replace(".", sign) if isinstance(v, float) else str(v) for v in axis.labels]
    exact = [wire(text) for text in written]
    keys = [([single_bytes(text) for text in written], texts)]
    if any(isinstance(v, bool) for v in axis.labels):
        folded = [t.lower() if isinstance(v, bool) else t for t, v in zip(exact, axis.labels, strict=True)]
        keys.append((folded, pc.ascii_lower(texts)))
    return [*keys, (exact, texts)]


def is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _range_codes(texts: Texts, axis: Axis, form: FileFormat) -> NDArray[np.int64]:
    is_date, missing = axis.column.kind is Kind.DATE, form.missing
    values = values_in(texts, axis.column.kind, form)
    edges = np.array(axis.edges)
    codes = np.searchsorted(edges, values, side="right") - 1
    if axis.column.kind is Kind.DECIMAL:
        codes[values == edges[-1]] = axis.cells - 1
    unusable = np.isnan(values)
    if axis.column.outside_rule is Outside.CLAMP:
        codes = np.clip(codes, 0, axis.cells - 1)
        codes[unusable] = axis.missing_code
    else:
        unusable |= (codes < 0) | (codes >= axis.cells)
        codes[unusable] = axis.outside_code
    blank = is_blank(texts, missing)
    if not is_date and missing:
        tokens = numbers_in(pa.array([wire(t) for t in missing], pa.large_string()), form.decimal_sign)
        blank |= np.isin(values, tokens[~np.isnan(tokens)])
    codes[blank] = axis.missing_code
    return codes


def values_in(texts: Texts, kind: Kind, form: FileFormat) -> NDArray[np.float64]:
    """Return the values of texts of a range column in the units of its edges. Shapes: float64[len(texts)]."""
    if kind is Kind.DATE:
        return dates_in(texts, form.date_order)
    return numbers_in(texts, form.decimal_sign)


def numbers_in(texts: Texts, sign: str = ".") -> NDArray[np.float64]:
    """Return the number of every text with this decimal sign, nan for texts that are not numbers.

    Shapes: float64[len(texts)].
    """
    values = np.full(len(texts), np.nan)
    is_short = _matching(texts, SHORT_NUMBERS[sign])
    short = texts.filter(pa.array(is_short))
    values[is_short] = pc.replace_substring(short, sign, ".").cast(pa.float64()).to_numpy()
    others = texts.filter(pa.array(~is_short))
    for pattern in (NUMBERS[sign], INFINITE):
        which = _matching(others, pattern)
        numbers = [float(t.replace(sign, ".")) for t in others.filter(pa.array(which)).to_pylist()]
        values[np.flatnonzero(~is_short)[which]] = numbers
    return values


def dates_in(texts: Texts, order: DateOrder = DateOrder.YEAR_FIRST) -> NDArray[np.float64]:
    """Return the date at the start of every text in days since 1970-01-01, nan for none in this order.

    Shapes: float64[len(texts)].
    """
    values = np.full(len(texts), np.nan)
    which = _matching(texts, DATES[order])
    found = pc.extract_regex(texts.filter(pa.array(which)), DATES[order])
    days = pc.struct_field(found, "day").dictionary_encode()
    numbers = np.array([_day_or_nan(t, order) for t in days.dictionary.to_pylist()], dtype=np.float64)
    if len(numbers):
        values[which] = numbers[days.indices.to_numpy()]
    return values


def _day_or_nan(text: str, order: DateOrder) -> float:
    try:
        return float(day_number(iso_of(text, order)))
    except ValueError:
        return float("nan")


def _matching(texts: Texts, pattern: str) -> NDArray[np.bool_]:
    return np.asarray(pc.match_substring_regex(texts, pattern).to_numpy(zero_copy_only=False), dtype=np.bool_)

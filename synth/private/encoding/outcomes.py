"""Count what happens to the cells of a private file when they are encoded. NOT PRIVATE: the counts are exact
and only for the steward.

A cell that does not match the declaration would become missing or *other*, or be clamped. The reason is
chosen from a fixed list of descriptions in this module. No text of the file leaves the module.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from synth.core.axis import Axis
from synth.core.cells.numbers import grouped, has_grouped
from synth.core.cells.words import lowered, plain
from synth.core.columns.unfit import Reason
from synth.core.errors import Code
from synth.core.schema import DECIMAL_SIGNS, Column, DateOrder, FileFormat, Kind, Outside, Schema
from synth.core.system.address import Address
from synth.private.encoding.choices import as_modelled, undeclared_in
from synth.private.encoding.encode import encode, encode_and_check, reason_code, values_in
from synth.private.reading.csv_reader import SHAPE
from synth.private.reading.files import read_columns
from synth.private.reading.lines import text_of
from synth.private.reading.text_column import TextColumn, Texts, plain_texts
from synth.private.sealed import sealed


class Fate(StrEnum):
    """What happens to a cell that does not match the declaration."""

    MISSING = "missing"
    OTHER = "other"
    CLAMPED = "clamped to the range"
    BLANK = "blank, although declared as never blank"
    CHANGED = "rounded down"
    LEFT_OUT = "without an ID, so their rows are excluded"
    IGNORED = "with an undeclared option, which is ignored"
    ROW = "damaged"


SEPARATORS = ";|,/"
"""Characters that people use to separate several values in one cell."""
ROWS = "(whole rows)"
"""The key for the outcomes of whole rows, which exist only for text files."""


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """NOT PRIVATE. The number of cells of a column, and of cells that do not match the declaration, by
    outcome and form.
    """

    rows: int = 0
    strange: Mapping[tuple[Fate, str], int] = field(default_factory=dict)


@sealed(Code.FILE_UNREADABLE)
def outcomes(place: Address | Path, schema: Schema, axes: Sequence[Axis]) -> dict[str, Outcome]:
    """NOT PRIVATE. Return the outcomes of each column on its axis. An ID column has no axis.

    Multiple-choice columns also have outcomes, for undeclared options, and a text file has outcomes for
    `ROWS`. Rows are not capped, because `schema` has no ID column. Only one block of the file is in memory at
    a time. Raises: `Refusal` as `reading.files.read_columns`.
    """
    axis_of = {axis.name: axis for axis in axes}
    several = {column.name: column for column in schema.read if column.separator}
    names = [*(c.name for c in schema.modelled), *several, ROWS]
    rows, strange = Counter[str](), {name: Counter[tuple[Fate, str]]() for name in names}
    for block in read_columns(place, schema, shapes=True):
        block = dict(block)
        if (shapes := block.pop(SHAPE, None)) is not None:
            rows[ROWS] += len(shapes.index)
            for look, count in zip(shapes.texts.to_pylist(), _many(shapes), strict=True):
                strange[ROWS][Fate.ROW, look] += int(count) if look else 0
        for name in block.keys() & several:
            rows[name] += len(block[name].index)
            fate = Fate.OTHER if several[name].outside is Outside.OTHER else Fate.IGNORED
            found = undeclared_in(block[name].texts, several[name], schema.file)
            strange[name][fate, ""] += int(_many(block[name])[found].sum())
        for name, column in as_modelled(block, schema).items():
            rows[name] += len(column.index) if name not in several else 0
            strange[name] += _strange(column, axis_of.get(name), schema.file)
    return {name: Outcome(rows=rows[name], strange=dict(+found)) for name, found in strange.items()}


def _many(column: TextColumn) -> NDArray[np.intp]:
    """Return the number of rows that contain each string."""
    return np.bincount(column.index, minlength=len(column.texts))


def _strange(column: TextColumn, axis: Axis | None, form: FileFormat) -> Counter[tuple[Fate, str]]:
    """Count the cells that do not match the declaration; `axis` is None for the ID column."""
    many = _many(column)
    found = Counter[tuple[Fate, str]]()
    if axis is None:
        ids = Axis(column=Column(name="id", kind=Kind.CATEGORY), other="any")
        found[Fate.LEFT_OUT, ""] = int(many[encode(column.texts, ids, form) == ids.missing_code].sum())
        return +found
    wide = replace(axis, column=replace(axis.column, outside=Outside.OTHER), other="outside")
    codes = encode(column.texts, wide, form)
    kept, reasons = encode_and_check(column.texts, axis, form)
    found[Fate.CHANGED, "not a whole number"] = int(many[reasons == reason_code(Reason.CHANGED)].sum())
    if not axis.column.blank:
        found[Fate.BLANK, ""] = int(many[codes == wide.missing_code].sum())
    places = np.flatnonzero(codes == wide.other_code)
    looks = _looks(plain_texts(column.texts.take(pa.array(places))), axis.column, form)
    for place, look in zip(places.tolist(), looks, strict=True):
        code = kept[place]
        fate = Fate.OTHER if code == axis.other_code else Fate.CLAMPED
        look = _BEYOND.get(int(reasons[place]), look)
        found[Fate.MISSING if code == axis.missing_code else fate, look] += int(many[place])
    return +found


_BEYOND = {reason_code(Reason.BELOW): "below the range", reason_code(Reason.ABOVE): "above the range"}


def _looks(texts: Texts, column: Column, form: FileFormat) -> list[str]:
    """Return a description of each string, for the first way in which it can be read."""
    form = form.of(column)
    looks = np.full(len(texts), "text" if column.kind.has_range else "not in the list", dtype=object)
    for look, works in reversed(list(_ways(texts, column, form))):
        looks[works] = look
    return looks.tolist()


def _are_several(text: str, mark: str, listed: Set[str]) -> bool:
    """Whether a string consists of several declared values, separated by this sign."""
    parts = [lowered(plain(text_of(part) or "")) for part in text.split(mark)]
    return len(parts) > 1 and listed >= set(parts)


def _ways(texts: Texts, column: Column, form: FileFormat) -> Iterator[tuple[str, NDArray[np.bool_]]]:
    def reads(kind: Kind, form: FileFormat) -> NDArray[np.bool_]:
        known: NDArray[np.bool_] = ~np.isnan(values_in(texts, replace(column, kind=kind), form))
        return known

    dates = {order: reads(Kind.DATE, replace(form, date_order=order)) for order in DateOrder}
    if column.kind is Kind.DATE:
        yield "outside the range", dates[form.date_order]
        both = dates[DateOrder.DAY_FIRST] & dates[DateOrder.MONTH_FIRST]
        yield "looks like a date with the year last", both & (form.date_order is DateOrder.YEAR_FIRST)
        yield "looks like a day-first date", dates[DateOrder.DAY_FIRST]
        yield "looks like a month-first date", dates[DateOrder.MONTH_FIRST]
        yield "looks like a day number of Excel", dates[DateOrder.SERIAL]
        yield "a number", reads(Kind.INTEGER, form)
        return
    dates.pop(DateOrder.SERIAL)
    if column.kind.has_values:
        listed = {lowered(plain(str(value))) for value in column.values}
        marks = () if column.separator else SEPARATORS
        several = [any(_are_several(text, mark, listed) for mark in marks) for text in texts.to_pylist()]
        yield "several declared values in one cell", np.array(several, dtype=np.bool_)
    if has_grouped(form, column):
        pattern = f"^{grouped(form.decimal_sign)}$"
        yield (
            "its decimal sign may separate thousands",
            np.asarray(pc.match_substring_regex(texts, pattern), dtype=np.bool_),
        )
    number = "outside the range" if column.kind.has_range else "a number, not in the list"
    yield number, reads(Kind.DECIMAL, form)
    other = next(sign for sign in DECIMAL_SIGNS if sign != form.decimal_sign)
    if column.kind.has_range:
        bare = replace(column, kind=Kind.DECIMAL, measured_in="")
        yield (
            "has another unit or currency",
            ~np.isnan(values_in(texts, bare, form)),
        )
        yield "has a thousands separator", reads(Kind.DECIMAL, replace(form, thousands=other))
        for thousands in ("", form.decimal_sign):
            signs = replace(form, decimal_sign=other, thousands=thousands)
            yield "has another decimal sign", reads(Kind.DECIMAL, signs)
    yield "looks like a date", np.logical_or.reduce(list(dates.values()))
    if column.kind.has_range:
        yield "text with digits", np.asarray(pc.match_substring_regex(texts, "[0-9]"), dtype=np.bool_)

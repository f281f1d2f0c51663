"""Encode columns inside a database, with the same results as `encoding.encode` on strings.

The reference is the same table in a Parquet file: for each value, the expression of a column returns the code
of the string that `reading.typed` returns for the value. A column is encoded by its type and not as a string,
so no cast can fail. Therefore each kind accepts only some types:

    category, ordered text (no value is a number), integers, true or false, double precision (all values are)
    integer, decimal integers, double precision, decimals of a declared precision date dates, times without a
    time zone the unit's ID text, integers

Any other combination is refused before a row is counted, with an error that explains what to do.
"""

from __future__ import annotations

import datetime as dt
import math
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, Any

from synth.core.axis import Axis
from synth.core.cells.words import REPLACED, REPLACEMENTS, capitals_of, plain
from synth.core.columns.combinations import Choices
from synth.core.columns.unfit import Reason, exclusions
from synth.core.discretisation import axis_of
from synth.core.errors import Code, Refusal
from synth.core.schema import ANY, EPOCH, Column, FileFormat, Group, Kind, Outside, Schema
from synth.private.encoding.choices import yes_of
from synth.private.encoding.encode import is_number, missing_values, reason_code, spellings_on
from synth.private.reading.lines import wire
from synth.private.reading.sessions import Session, Stored, builtin

if TYPE_CHECKING:
    import ibis

NUMBERED = (Stored.WHOLE, Stored.FLOAT, Stored.DECIMAL)
ID = "unit"
UPPER, LOWER = "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "abcdefghijklmnopqrstuvwxyz"
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_MOMENT = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2}")


def check_stored(columns: Mapping[str, Stored], schema: Schema) -> None:
    """Check the types of the columns.

    Raises: `Refusal` HEADER_MISMATCH if a declared column is missing; DATABASE_VALUES, DATABASE_NUMBER,
    DATABASE_DATE or DATABASE_UNIT if the kind of a column does not accept its type.
    """
    unit = schema.unit.id_column
    if any(c.name not in columns for c in schema.read) or (unit is not None and unit not in columns):
        raise Refusal(Code.HEADER_MISMATCH)
    for column in schema.read:
        stored = columns[column.name]
        if column.kind is Kind.DATE:
            if stored not in (Stored.DATE, Stored.MOMENT):
                raise Refusal(Code.DATABASE_DATE)
        elif column.kind.has_range:
            if stored not in NUMBERED:
                raise Refusal(Code.DATABASE_NUMBER)
        elif not _goes_with(stored, column):
            raise Refusal(Code.DATABASE_VALUES)
    if unit is not None and columns[unit] not in (Stored.TEXT, Stored.WHOLE):
        raise Refusal(Code.DATABASE_UNIT)


def _goes_with(stored: Stored, column: Column) -> bool:
    """Whether a column with values can be encoded from a stored type. A multiple-choice column needs text."""
    if column.separator and stored is not Stored.TEXT:
        return False
    if stored is Stored.TEXT:
        return not any(is_number(value) for value in column.values)
    if stored is Stored.FLOAT:
        return all(is_number(value) for value in column.values) and not column.reads
    return stored in (Stored.WHOLE, Stored.BOOLEAN)


def coded(
    session: Session, schema: Schema, axes: Sequence[Axis], *, key: bytes, with_reasons: bool = False
) -> ibis.Table:
    """Return the table as codes: an integer column "c0", "c1", ... per axis, with rows capped per unit.

    `with_reasons` adds a column "m0", "m1", ... per axis with the number of the reason why the cell does not
    fit, or 0 (`encoding.encode.encode_and_check`).

    The rows that are kept for a unit are drawn as in `encoding.columns`, but by a keyed hash instead of a
    random number. The hash covers the row's codes and its number among the rows of the unit with the same
    codes. So a key draws the same rows for any order of the rows. Privacy: as in that module, the rows kept
    for one unit do not depend on any other unit.
    """
    import ibis

    table, unit = session.table, schema.unit.id_column
    names = [f"c{i}" for i in range(len(axes))]
    codes = {
        name: _modelled_code(session, table, axis, schema).cast("int64")
        for name, axis in zip(names, axes, strict=True)
    }
    reasons = {
        f"m{i}": _modelled_reason(session, table, axis, schema).cast("int64")
        for i, axis in enumerate(axes if with_reasons else ())
    }
    if unit is None:
        return table.select(**codes, **reasons) if codes else table.select(c0=ibis.literal(0, "int64"))
    known = table.filter(~_plain(session, table[unit]).isin(_blanks(None, schema.file)))
    held = known.select(**codes, **reasons, **{ID: _plain(session, table[unit])})
    alike = ibis.row_number().over(group_by=[ID, *names], order_by=ID)
    held = held.mutate(alike=alike.cast("int64"))
    said = ibis.literal(key.hex())
    for part in (*names, "alike"):
        said = said + "," + held[part].cast("string")
    held = held.mutate(drawn=_md5(said + "," + held[ID]))
    held = held.mutate(place=ibis.row_number().over(group_by=ID, order_by="drawn"))
    return held.filter(held["place"] < schema.unit.max_rows).select(*(names or ["alike"]), *reasons)


def _modelled_code(session: Session, table: ibis.Table, axis: Axis, schema: Schema) -> Any:
    """Return the code of each row in a modelled column, as computed by `encoding.choices`."""
    for group in schema.groups:
        if axis.name in [column.name for column in schema.of_group(group)]:
            return _group_code(session, table, axis, group, schema)
    for column in schema.read:
        if column.separator and axis.name in [part.name for part in column.choices.parts]:
            found, is_blank = _options_in(session, table[column.name], column, schema.file)
            return _part_code(found, is_blank, axis, column.choices)
    return code_of(session, table[axis.name], axis, schema.file)


def _modelled_reason(session: Session, table: ibis.Table, axis: Axis, schema: Schema) -> Any:
    """Return the number of the reason why a cell of a modelled column does not fit the declaration, or 0."""
    import ibis

    possible = {e.reason for e in exclusions(axis)}
    if not possible:
        return ibis.literal(0)
    wide = replace(
        axis, column=replace(axis.column, outside=Outside.OTHER, blank=True), other="outside the declaration"
    )
    code = _modelled_code(session, table, wide, schema)
    ways = []
    if Reason.BLANK in possible:
        ways.append((code == wide.missing_code, reason_code(Reason.BLANK)))
    if Reason.UNLISTED in possible:
        ways.append((code == wide.outside_code, reason_code(Reason.UNLISTED)))
    if axis.edges and axis.name in session.columns:
        column, stored = table[axis.name], session.columns[axis.name]
        if axis.column.kind is Kind.DATE:
            value: Any = column.date() if stored is Stored.MOMENT else column
            first, last = _day(axis.edges[0]), _day(axis.edges[-1])
        else:
            value, first, last = _number(column, stored), _float(axis.edges[0]), _float(axis.edges[-1])
        if Reason.BELOW in possible:
            outside = code == wide.outside_code
            if axis.column.kind is not Kind.DATE and stored is not Stored.WHOLE:
                ways.append((outside & value.isnan(), reason_code(Reason.UNREADABLE)))
            below = (outside & _before(value, first), reason_code(Reason.BELOW))
            ways += [below, (outside & ~_before(value, last), reason_code(Reason.ABOVE))]
        if Reason.CHANGED in possible:
            is_changed = (code < wide.cells) & (value != value.floor())
            ways.append((is_changed, reason_code(Reason.CHANGED)))
    return _cases(ways, 0)


def _group_code(session: Session, table: ibis.Table, axis: Axis, group: Group, schema: Schema) -> Any:
    import ibis

    count, filled, ways, marks = ibis.literal(0), ibis.literal(0), [], True
    for place, name in enumerate(group.columns):
        member = axis_of(schema.column(name))
        code = code_of(session, table[name], member, schema.file)
        chosen = code == yes_of(member, group)
        count = count + ibis.ifelse(chosen, 1, 0)
        if member.cells > 1:
            filled, marks = filled + ibis.ifelse(code < member.cells, 1, 0), False
        ways.append((chosen, place))
    if group.several:
        nothing = ibis.literal(False) if marks else (count == 0) & (filled == 0)
        return _part_code([chosen for chosen, _ in ways], nothing, axis, schema.choice(group.name))
    without = len(group.columns) if group.at_most else axis.missing_code
    none = without if marks else ibis.ifelse(filled == 0, axis.missing_code, without)
    return _cases([(count > 1, axis.outside_code), (count == 0, none), *ways], axis.missing_code)


def _options_in(session: Session, cell: Any, column: Column, form: FileFormat) -> tuple[list[Any], Any]:
    """Return whether each option is in a cell, between separators with or without spaces, and whether the
    cell is blank.

    Here, options are always plain strings, without prefixes and without *other*
    (`release.plan.check_counted`).
    """
    mark, text = column.separator, _plain(session, cell)
    parts = mark + text.replace(f" {mark}", mark).replace(f"{mark} ", mark) + mark
    reads = column.reads or ((),) * len(column.values)
    spellings, found = spellings_on(axis_of(column), form), []
    lowered = _lowered(parts, spellings)
    for code, (value, own) in enumerate(zip(column.values, reads, strict=True)):
        exact = dict.fromkeys(plain(one) for one in (str(value), *own))
        alike = [one for one, meant in spellings.items() if meant == code]
        held = [(parts, one) for one in exact] + [(lowered, one) for one in alike]
        found.append(reduce(or_, (some.contains(f"{mark}{one}{mark}") for some, one in held)))
    return found, text.isin(_blanks(column, form))


def _part_code(found: Sequence[Any], is_blank: Any, axis: Axis, choices: Choices) -> Any:
    """Return the code of a part of the options, as `Choices.codes` computes it."""
    import ibis

    excluder, held = choices.exclusive, dict(enumerate(found))
    part = next(part for part in choices.parts if part.name == axis.name)
    others = reduce(or_, (own for place, own in held.items() if place != excluder), ibis.literal(False))
    is_blank = is_blank if choices.blank else ibis.literal(False)
    is_empty = ~others
    if excluder is not None:
        stays = held[excluder] | ibis.literal(not choices.blank or choices.keeps_empty)
        held[excluder] = stays & ~others
        is_empty = ~others & ~held[excluder]
    if choices.blank and not choices.keeps_empty:
        is_blank = is_blank | is_empty
    places = sorted({*part.options, *(() if excluder is None else (excluder,))})
    position: Any = ibis.literal(0)
    for power, place in enumerate(places):
        position = position + ibis.ifelse(held[place], 1 << power, 0)
    codes = {sum(1 << places.index(i) for i in own): code for code, own in enumerate(part.sets)}
    known = position.cases(*codes.items(), else_=axis.missing_code)
    return _cases([(is_blank, axis.missing_code)], known)


def code_of(session: Session, column: Any, axis: Axis, form: FileFormat) -> Any:
    """Return an expression for the code of each value of a column."""
    stored = session.columns[column.get_name()]
    if axis.column.kind is Kind.DATE:
        return _date_code(column, stored, axis, form)
    if axis.edges:
        return _range_code(_number(column, stored), stored, axis, form)
    if stored is Stored.FLOAT:
        return _numbered_code(column, axis, form)
    return _label_code(session, column, stored, axis, form)


def _label_code(session: Session, column: Any, stored: Stored, axis: Axis, form: FileFormat) -> Any:
    """Encode values by their text, in the order of precedence of `encoding.encode`."""
    import ibis

    text, nothing = _plain(session, column), ibis.null("int64")
    numbers = _numbers_of(axis) if stored is Stored.WHOLE else {}
    value, blank = _number(column, stored), text.isin(_blanks(axis.column, form))
    if numbers:
        blank = blank | _is_blank_number(value, axis.column, form)
    reads = {plain(own): i for i, some in enumerate(axis.column.reads) for own in some}
    labels = {plain(str(value)): i for i, value in reversed(list(enumerate(axis.labels)))}
    ways = [_known(text, reads | labels)]
    begins = sorted((own for own in reads if own.endswith(ANY)), key=lambda own: -len(wire(own)))
    held = [(text.startswith(own.removesuffix(ANY)) & ~blank, reads[own]) for own in begins]
    held += [(value == _float(number), i) for number, i in numbers.items()]
    ways.append(_cases([*held, (blank, axis.missing_code)], nothing))
    spellings = spellings_on(axis, form)
    ways.append(_known(_lowered(text, spellings) if stored is Stored.TEXT else text, spellings))
    return ibis.coalesce(*ways, axis.outside_code)


def _lowered(text: Any, spellings: Collection[str]) -> Any:
    """Return a string in the lower-case form of `reading.text_column.lowered_texts`."""
    capitals = capitals_of(spellings)
    return text.translate("".join([UPPER, *capitals]), "".join([LOWER, *capitals.values()]))


def _known(text: Any, codes: Mapping[str, int]) -> Any:
    """Return the codes of strings, or null for strings without a code. The expression of the string is built
    only once.
    """
    import ibis

    return text.cases(*codes.items(), else_=ibis.null("int64")) if codes else ibis.null("int64")


def _numbered_code(value: Any, axis: Axis, form: FileFormat) -> Any:
    """Encode the floats of a column whose labels are all numbers."""
    ways = [(value == _float(number), i) for number, i in _numbers_of(axis).items()]
    blank = value.isnull() | _is_blank_number(value, axis.column, form)
    return _cases([*ways, (blank, axis.missing_code)], axis.outside_code)


def _range_code(value: Any, stored: Stored, axis: Axis, form: FileFormat) -> Any:
    import ibis

    clamps = axis.column.outside_rule is Outside.CLAMP
    below, above = (0, axis.cells - 1) if clamps else (axis.outside_code, axis.outside_code)
    steps = [_float(edge) for edge in axis.edges]
    inside = _bisected(value, steps[1:-1], 0)
    is_last = value == steps[-1] if axis.column.kind is Kind.DECIMAL else ibis.literal(False)
    ways = [
        (value.isnull(), axis.missing_code),
        (_is_blank_number(value, axis.column, form), axis.missing_code),
        (value.isnan(), axis.missing_code if clamps else axis.outside_code),
        (value < steps[0], below),
        (value < steps[-1], inside),
        (is_last, axis.cells - 1),
    ]
    if stored is Stored.WHOLE:
        del ways[2]
    return _cases(ways, above)


def _date_code(column: Any, stored: Stored, axis: Axis, form: FileFormat) -> Any:
    """Encode dates and times by their day. A day that cannot be written as text becomes a blank, as in
    `reading.typed`.
    """
    import ibis

    day = column.date() if stored is Stored.MOMENT else column
    clamps = axis.column.outside_rule is Outside.CLAMP
    below, above = (0, axis.cells - 1) if clamps else (axis.outside_code, axis.outside_code)
    first, last = ibis.date("0001-01-01"), ibis.date("9999-12-31")
    tokens = [plain(token) for token in form.missing]
    days = [token for token in tokens if _DAY.fullmatch(token) and _is_moment(token)]
    blank = ibis.literal(False)
    if stored is Stored.DATE:
        for token in days:
            blank = blank | (day == ibis.date(token))
    for token in tokens if stored is Stored.MOMENT else ():
        if _MOMENT.fullmatch(token) and _is_moment(token):
            second = dt.datetime.fromisoformat(token)
            begins = column >= ibis.timestamp(token)
            ends = column < ibis.timestamp((second + dt.timedelta(seconds=1)).isoformat(" "))
            blank = blank | (begins & ends)
    for number in missing_values(axis.column, form).tolist():
        blank = blank | (day == _day(number))
    steps = [_day(edge) for edge in axis.edges]
    ways = [
        (column.isnull() | (day < first) | (day > last) | blank, axis.missing_code),
        (_before(day, steps[0]), below),
        (_before(day, steps[-1]), _bisected(day, steps[1:-1], 0)),
    ]
    return _cases(ways, above)


def _bisected(value: Any, steps: Sequence[Any], first: int) -> Any:
    """Return `first` plus the number of increasing steps that are at most the value."""
    import ibis

    if not steps:
        return first
    middle = len(steps) // 2
    below = _bisected(value, steps[:middle], first)
    return ibis.ifelse(
        _before(value, steps[middle]), below, _bisected(value, steps[middle + 1 :], first + middle + 1)
    )


def _before(value: Any, step: Any) -> Any:
    """Whether a value is below a step. A step of None is above every value."""
    import ibis

    return ibis.literal(True) if step is None else value < step


def _day(edge: float) -> Any:
    """Return the first day at or above an edge, or None if it is after the last possible day."""
    import ibis

    number = math.ceil(edge)
    if number > (dt.date.max - EPOCH).days:
        return None
    return ibis.date((EPOCH + dt.timedelta(days=number)).isoformat())


def _text(session: Session, column: Any) -> Any:
    """Return a column of strings, integers or booleans as stripped text, with "" for a blank."""
    import ibis

    is_text = session.columns[column.get_name()] is Stored.TEXT
    text = session.text(column) if is_text else column.cast("string")
    return ibis.coalesce(text.strip(), ibis.literal(""))


def _plain(session: Session, column: Any) -> Any:
    """Return the column as in `_text`, in the normal form of `cells.plain`."""
    text = _text(session, column)
    if session.columns[column.get_name()] is not Stored.TEXT:
        return text
    return session.composed(text.translate(REPLACED, REPLACEMENTS)).re_replace(" +", " ").strip()


def _number(column: Any, stored: Stored) -> Any:
    """Return the float nearest to the stored number.

    Decimals are converted from their text, which is exact.
    """
    if stored is Stored.FLOAT:
        return column
    return (column.cast("string") if stored is Stored.DECIMAL else column).cast("float64")


def _float(number: float) -> Any:
    """Return a literal of exactly this float, for any decimal sign that the database uses."""
    import ibis

    return ibis.literal(repr(float(number))).cast("float64")


def _is_blank_number(value: Any, column: Column, form: FileFormat) -> Any:
    """Whether a number is missing by value. nan is missing if it is one of the tokens."""
    import ibis

    blank = ibis.literal(False)
    for number in missing_values(column, form).tolist():
        blank = blank | (value == _float(number))
    return blank | value.isnan() if "nan" in _blanks(column, form) else blank


def _numbers_of(axis: Axis) -> dict[float, int]:
    """Return the codes of the labels that are numbers. Of equal numbers, the first one counts."""
    numbers: dict[float, int] = {}
    for i, value in enumerate(axis.labels):
        if is_number(value):
            numbers.setdefault(float(value), i)
    return numbers


def _blanks(column: Column | None, form: FileFormat) -> list[str]:
    """Return the strings that mean missing in a column, or in the whole file."""
    own = () if column is None else column.missing
    return list(dict.fromkeys(["", *map(plain, (*form.missing, *own))]))


def _is_moment(text: str) -> bool:
    """Whether a string in the form of a date, or of a date and a time, is valid."""
    try:
        dt.datetime.fromisoformat(text)
    except ValueError:
        return False
    return True


def _cases(ways: Sequence[tuple[Any, Any]], otherwise: Any) -> Any:
    import ibis

    return ibis.cases(*ways, else_=otherwise)


def _md5(text: Any) -> Any:
    """Return a hash that every database supports. It only decides which rows are kept."""
    return builtin("md5")(text)

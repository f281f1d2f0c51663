"""Represent conditions on columns as sets of codes.

A condition may divide a bin. Then some codes certainly satisfy it and others possibly satisfy it, and the
true count is between the counts of the certain and of the possible codes.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from synth.core.axis import Axis
from synth.core.cells.numbers import number_of
from synth.core.cells.words import lowered, plain, spellings_of
from synth.core.codebook import Codebook
from synth.core.columns.asked import on_labels
from synth.core.errors import Mistake
from synth.core.schema import FileFormat, Kind, in_units

MOST_LISTED = 8
"""Maximum number of values that an error message lists."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Condition:
    """The codes of the domain that satisfy a condition on a column.

    `inner` marks the codes whose values all satisfy it, and `outer` the codes with any value that does.
    Shapes: both bool[codes].
    """

    column: str
    inner: NDArray[np.bool_]
    outer: NDArray[np.bool_]
    words: str

    @property
    def is_exact(self) -> bool:
        return bool((self.inner == self.outer).all())

    def also(self, other: Condition) -> Condition:
        """Return the condition that is true if both conditions are true."""
        return Condition(
            column=self.column,
            inner=self.inner & other.inner,
            outer=self.outer & other.outer,
            words=f"{other.words} and {self.words}",
        )


def conditions_in(given: Mapping[str, Any], codebook: Codebook) -> tuple[Condition, ...]:
    """Return the conditions in the order of the columns.

    The condition on a column is a value, a list of values, a pair (lowest, highest) with None for no limit,
    or None for blank. Both ends are included, except for the highest value of a decimal column.
    `core.columns.asked` describes the conditions on options of multiple-choice columns. Raises: `Mistake` for
    an unknown column or value.
    """
    axes = {axis.name: axis for axis in codebook.axes}
    found: dict[str, Condition] = {}
    for name, wanted, words in on_labels(given, codebook.schema):
        if name not in axes:
            raise Mistake(f"There is no column {name!r}. The columns are: {', '.join(axes)}.")
        one = _condition(axes[name], wanted, codebook)
        one = replace(one, words=words or one.words)
        found[name] = one.also(found[name]) if name in found else one
    return tuple(found[name] for name in codebook.domain.names if name in found)


def _condition(axis: Axis, given: Any, codebook: Codebook) -> Condition:
    if isinstance(given, tuple):
        inner, outer, words = _range(axis, given)
    else:
        several = list(given) if isinstance(given, (list, set, frozenset)) else [given]
        parts = [_value(axis, one) for one in several]
        if not parts:
            raise Mistake(f"The list of values for {axis.name!r} is empty. Give at least one value.")
        inner = np.logical_or.reduce([part[0] for part in parts])
        outer = np.logical_or.reduce([part[1] for part in parts])
        words = f"{axis.name} is {' or '.join(part[2] for part in parts)}"
    groups = {g.column: np.asarray(g.group_of) for g in codebook.groupings}
    if axis.name in groups:
        group_of = groups[axis.name]
        each = range(int(group_of.max()) + 1)
        inner = np.array([inner[group_of == group].all() for group in each])
        outer = np.array([outer[group_of == group].any() for group in each])
    return Condition(column=axis.name, inner=inner, outer=outer, words=words)


Marked = tuple[NDArray[np.bool_], NDArray[np.bool_], str]


def _one(axis: Axis, code: int, words: str) -> Marked:
    marked = np.arange(axis.size) == code
    return marked, marked, words


def _value(axis: Axis, given: Any) -> Marked:
    if given is None:
        if not axis.column.blank:
            raise Mistake(f"{axis.name!r} is never blank, so no record is blank there.")
        return _one(axis, axis.missing_code, "blank")
    if axis.other is not None and given == axis.other:
        return _one(axis, axis.cells, axis.other)
    if not axis.labels:
        inner, outer, _ = _range(axis, (given, given), is_point=True)
        return inner, outer, str(given)
    text = plain(str(given))
    for code in range(axis.cells):
        if text in (plain(str(axis.labels[code])), plain(axis.label(code))):
            return _one(axis, code, axis.label(code))
    shown = [(axis.label(code), code) for code in range(axis.cells)]
    if (place := spellings_of(axis.labels, shown).get(lowered(text))) is not None:
        return _one(axis, place, axis.label(place))
    known = [axis.label(code) for code in range(min(axis.cells, MOST_LISTED))]
    more = ", ..." if axis.cells > MOST_LISTED else ""
    blank = f" For blank cells, use None, or '{axis.name}=' on the command line." if axis.column.blank else ""
    raise Mistake(f"{axis.name!r} has no value {given!r}. Its values are: {', '.join(known)}{more}.{blank}")


def _range(axis: Axis, given: Sequence[Any], *, is_point: bool = False) -> Marked:
    """Return the codes of the values from one end to the other."""
    if len(given) != 2:
        raise Mistake(f"A range of {axis.name!r} has two ends, such as (10, 20) or (10, None).")
    low, high = given
    words = f"{axis.name} is {_span_words(low, high, axis.column.kind)}"
    if axis.labels:
        if axis.column.kind is not Kind.ORDERED:
            raise Mistake(f"{axis.name!r} has no order, so it has no ranges. List its values instead.")
        first = 0 if low is None else int(np.argmax(_value(axis, low)[0]))
        last = axis.cells - 1 if high is None else int(np.argmax(_value(axis, high)[0]))
        code = np.arange(axis.size)
        inside = (first <= code) & (code <= last) & (code < axis.cells)
        return inside, inside, words
    edges = np.asarray(axis.edges)
    is_decimal = axis.column.kind is Kind.DECIMAL
    start = edges[0] if low is None else max(_number(axis, low), edges[0])
    end = edges[-1] if high is None else _number(axis, high) + (not is_decimal)
    inner, outer = np.zeros(axis.size, dtype=np.bool_), np.zeros(axis.size, dtype=np.bool_)
    inner[: axis.cells] = (edges[:-1] >= start) & (edges[1:] <= end) & (not (is_point and is_decimal))
    touched = edges[:-1] <= end if is_point and is_decimal else edges[:-1] < end
    outer[: axis.cells] = (edges[1:] > start) & touched
    outer[axis.cells - 1] |= is_decimal and start == edges[-1]  # the last cell includes its right edge
    if not outer.any():
        raise Mistake(f"No value of the domain satisfies: {words}.")
    return inner, outer, words


def _number(axis: Axis, given: Any) -> float:
    """Return a number or date, in the units of `Axis.edges`. A text may contain the unit of the column."""
    is_date = axis.column.kind is Kind.DATE
    try:
        if isinstance(given, str) and not is_date:
            number = number_of(plain(given), FileFormat(), axis.column)
        else:
            number = in_units(given if is_date else float(given))
    except (TypeError, ValueError):
        number = math.nan
    if math.isnan(number):
        example = "2024-01-31" if is_date else "10, with a decimal point if necessary: 10.5"
        raise Mistake(f"{given!r} is not a value of {axis.name!r}. Write it like {example}.")
    return number


def _span_words(low: Any, high: Any, kind: Kind) -> str:
    below = kind is Kind.DECIMAL
    more, less = ("later", "earlier") if kind is Kind.DATE else ("more", "less")
    if low is None and high is None:
        return "not blank"
    if high is None:
        return f"{low} or {more}"
    if low is None:
        return f"below {high}" if below else f"{high} or {less}"
    return f"{low} to below {high}" if below else f"{low} to {high}"

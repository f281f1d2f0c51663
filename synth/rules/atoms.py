"""Divide the values of a column into the parts (atoms) that its rules distinguish.

Every value of a column is in exactly one atom, and a rule treats all values of an atom in the same way. So a
rule is a small boolean table over atoms, which does not depend on the bins. It can be applied to the cells of
any discretisation and to the values of any decoded table. Atoms are in this order: declared values (or
intervals), then *other*, then *blank*.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise, repeat
from typing import Any

import numpy as np
from numpy.typing import NDArray

from synth.core.axis import Axis
from synth.core.schema import Column, Kind, Value, in_units, iso_day
from synth.rules.spelling import called, spelled
from synth.rules.terms import Condition, Range, quoted


@dataclass(frozen=True)
class Atoms:
    """The atoms of one column.

    They are either single `values` or the intervals between `ends` (in units of `Axis.edges`).
    """

    column: Column
    values: tuple[Value, ...] = ()
    ends: tuple[float, ...] = ()

    @staticmethod
    def of(column: Column, conditions: Iterable[Condition]) -> Atoms:
        """Return the coarsest partition in which each condition on the column is a set of atoms."""
        own = [c for c in conditions if c.column == column.name]
        if column.kind.has_range:
            spans = [end for c in own for r in c.ranges for end in r.span(column.kind)]
            return Atoms(column, ends=tuple(sorted({end for end in spans if math.isfinite(end)})))
        named = () if column.values else tuple(dict.fromkeys(v for c in own for v in c.values))
        return Atoms(column, values=column.values or named)

    @property
    def known(self) -> int:
        """Return the number of atoms that are values or intervals. These atoms come first."""
        return len(self.ends) + 1 if self.column.kind.has_range else len(self.values)

    @property
    def other(self) -> int:
        """Return the atom for values that are not declared."""
        return self.known

    @property
    def blank(self) -> int:
        """Return the atom for blank cells."""
        return self.known + 1

    @property
    def size(self) -> int:
        return self.known + 2

    def mask(self, condition: Condition) -> NDArray[np.bool_]:
        """Return the atoms that satisfy the condition. Shapes: bool[size]."""
        holds = np.zeros(self.size, dtype=np.bool_)
        holds[self._of_declared(condition.values)] = True
        for interval in condition.ranges:
            start, stop = interval.span(self.column.kind)
            low = 0 if math.isinf(start) else self.ends.index(start) + 1
            high = self.known if math.isinf(stop) else self.ends.index(stop) + 1
            holds[low:high] = True
        holds[self.blank] = condition.blank
        if condition.negated:
            holds = ~holds
            holds[self.blank] = False
        return holds

    def possible(self) -> NDArray[np.bool_]:
        """Return a mask of the atoms that contain a declared value. Shapes: bool[size], False for other and
        blank.
        """
        inside = np.arange(self.size) < self.known
        column = self.column
        if column.kind.has_range and column.min is not None and column.max is not None:
            low, high = in_units(column.min), in_units(column.max)
            for i, (start, stop) in enumerate(self.intervals()):
                inside[i] = start <= high and stop > low
        return inside

    def intervals(self) -> list[tuple[float, float]]:
        """Return the half-open intervals of a range column, from minus to plus infinity."""
        return list(pairwise((-math.inf, *self.ends, math.inf)))

    def of_axis(self, axis: Axis) -> list[NDArray[np.int64]]:
        """Return the atoms that each code of the axis covers, at least one for each code.

        The right edge of the last decimal cell is ignored, although the cell includes it. So a rule about
        exactly the largest value does not forbid the cell that ends there.
        """
        covered: list[NDArray[np.int64]] = []
        if axis.labels:
            covered = [np.array([atom]) for atom in self._of_declared(axis.labels)]
        for low, high in pairwise(axis.edges):
            first = int(np.searchsorted(self.ends, low, side="right"))
            last = int(np.searchsorted(self.ends, high, side="left"))
            covered.append(np.arange(first, max(last, first) + 1))
        if axis.other is not None:
            covered.append(np.array([self.other]))
        if axis.size > axis.missing_code:
            covered.append(np.array([self.blank]))
        return covered

    def of_values(self, cells: Any) -> NDArray[np.int64]:
        """Return the atom of each decoded value. Shapes: int64[rows].

        None, NaN and the empty string are blank. Numbers may be strings. Dates may be strings, date objects
        or numpy dates. A string in a range column that is not a number or a date counts as *other*.
        """
        return self._of_numbers(cells) if self.column.kind.has_range else self._of_labels(cells)

    def _of_declared(self, values: Iterable[Value]) -> list[int]:
        """Return the atoms of values as they occur in a schema or a rule. The values true and 1 are
        different.
        """
        place = {_key(v): i for i, v in enumerate(self.values)}
        return [place.get(_key(v), self.other) for v in values]

    def _of_labels(self, cells: Any) -> NDArray[np.int64]:
        if hasattr(cells, "factorize"):  # a pandas Series, in which each distinct value is read once
            places, distinct = cells.factorize()
            return np.asarray(np.append(self._of_labels(distinct.tolist()), self.blank)[places])
        listed = cells.tolist() if hasattr(cells, "tolist") else list(cells)
        place: dict[Any, int] = {spelled(v): i for i, v in enumerate(self.values)}
        place |= {str(v): i for i, v in enumerate(self.values)}
        place |= dict(zip(self.values, range(len(self.values)), strict=True))
        place |= {None: self.blank, "": self.blank}
        codes = np.fromiter(map(place.get, listed, repeat(-1)), dtype=np.int64, count=len(listed))
        for row in np.flatnonzero(codes < 0):
            codes[row] = self.blank if is_blank(listed[row]) else self.other
        return codes

    def _of_numbers(self, cells: Any) -> NDArray[np.int64]:
        numbers, blank = numbers_of(cells, self.column.kind)
        ends = np.asarray(self.ends, dtype=np.float64)
        codes = np.searchsorted(ends, numbers, side="right").astype(np.int64)
        codes[np.isnan(numbers)] = self.other
        codes[blank] = self.blank
        return codes

    def words(self, atom: int) -> str:
        """Return the text for an atom in a rule. An open end is replaced by the end of the declared range."""
        if atom == self.blank:
            return "blank"
        if atom == self.other:
            return quoted(self.column.other_label)
        if not self.column.kind.has_range:
            return quoted(called(self.values[atom], self.column))
        start, stop = self.intervals()[atom]
        column, whole = self.column, self.column.kind is not Kind.DECIMAL
        before = math.isinf(start) or (column.min is not None and start < in_units(column.min))
        beyond = math.isinf(stop) or (column.max is not None and stop > in_units(column.max))
        low = column.min if before else start
        high = column.max if beyond else stop - 1 if whole else stop
        return str(Range(self._written(low), self._written(high), high_included=whole or beyond))

    def _written(self, end: Any) -> Any:
        if end is None or isinstance(end, str):
            return end
        if self.column.kind is Kind.DATE:
            return iso_day(end)
        return int(end) if float(end).is_integer() else float(f"{end:.12g}")


def _key(value: Value) -> tuple[bool, str]:
    return isinstance(value, bool), spelled(value)


def is_blank(cell: Any) -> bool:
    """Whether a decoded cell is blank: None, an empty string, or a value that is not equal to itself
    (NaN).
    """
    if cell is None or (isinstance(cell, str) and not cell):
        return True
    try:
        return bool(cell != cell)
    except TypeError:  # the truth value of pandas.NA is undefined
        return True


def numbers_of(cells: Any, kind: Kind) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return decoded values in the units of `Axis.edges`, and whether each of them is blank.

    Shapes: float64[rows] (NaN for blank or unreadable values), bool[rows].
    """
    if hasattr(cells, "isna"):
        blank = np.asarray(cells.isna(), dtype=np.bool_)
        kept = np.asarray(cells[~blank]) if blank.any() else np.asarray(cells)
    else:
        array = cells if isinstance(cells, np.ndarray) else np.array(cells, dtype=object)
        blank = _blank_mask(array)
        kept = array[~blank]
    if kept.dtype == object or kept.dtype.kind in "US":
        empty = np.fromiter((isinstance(c, str) and not c for c in kept), dtype=np.bool_, count=len(kept))
        blank[np.flatnonzero(~blank)[empty]] = True
        kept = kept[~empty]
    numbers = np.full(len(blank), np.nan)
    numbers[~blank] = _days(kept) if kind is Kind.DATE else _floats(kept)
    return numbers, blank


def _blank_mask(array: NDArray[Any]) -> NDArray[np.bool_]:
    if array.dtype.kind == "M":
        return np.asarray(np.isnat(array))
    if array.dtype.kind in "iub":
        return np.zeros(len(array), dtype=np.bool_)
    if array.dtype.kind == "f":
        return np.asarray(np.isnan(array))
    return np.fromiter((is_blank(c) for c in array.tolist()), dtype=np.bool_, count=len(array))


def _floats(kept: NDArray[Any]) -> NDArray[np.float64]:
    try:
        return kept.astype(np.float64)
    except (TypeError, ValueError):
        return np.array([_or_nan(float, cell) for cell in kept], dtype=np.float64)


def _days(kept: NDArray[Any]) -> NDArray[np.float64]:
    try:
        days = kept.astype("datetime64[D]")
        return days.astype(np.int64).astype(np.float64)
    except (TypeError, ValueError):
        return np.array([_or_nan(lambda c: in_units(str(c)[:10]), cell) for cell in kept], dtype=np.float64)


def _or_nan(read: Any, cell: Any) -> float:
    try:
        return float(read(cell))
    except (TypeError, ValueError):
        return math.nan

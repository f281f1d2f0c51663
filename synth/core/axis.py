"""Define axes. An axis is the public encoding of a column, which defines the meaning of its codes.

Every axis has the same layout: first the declared cells `0 .. cells-1`, then a code for *other* if the
outside rule is `other`, and finally a code for *missing*, even if the file has no blank cells.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from synth.core.domain import Domain, smallest_dtype
from synth.core.numbers import interval
from synth.core.schema import Column, Kind, Value, in_units, iso_day

PLACES = 12
"""Number of decimal places to which multiples are rounded."""
NEAR = 1e-9
"""Tolerance for the number of multiples, because float division is inexact."""
_NUMBER = re.compile(r"\d+(?:,\d{3})*(?:\.\d+)?")


@dataclass(frozen=True, kw_only=True)
class Axis:
    """The codes of one column.

    Exactly one of `labels` and `edges` is used. `labels[i]` is the value of code i. `edges` has one more
    entry than there are cells: code i means `edges[i] <= x < edges[i+1]`; for decimals, the last cell
    includes its right edge. The edges of decimals are values of the column. Integers and dates (days since
    1970-01-01) are whole numbers, and `edges[-1]` is the largest value plus one. A text column that is only
    published, such as a column of generated IDs, has neither labels nor edges.
    """

    column: Column
    labels: tuple[Value, ...] = ()
    edges: tuple[float, ...] = ()
    other: str | None = None

    @property
    def name(self) -> str:
        return self.column.name

    @property
    def cells(self) -> int:
        """Return the number of declared cells."""
        return len(self.labels) if self.labels else max(len(self.edges) - 1, 0)

    @property
    def in_order(self) -> int:
        """Return how many of the first cells are in order.

        These are all cells of an ordered column, or the cells of a category that `ranges` recognises as
        ranges of numbers, otherwise none.
        """
        if self.column.kind.is_ordered:
            return self.cells
        return ranges([self.label(code) for code in range(len(self.labels))])

    @property
    def missing_code(self) -> int:
        """Return the code for blank cells.

        For a column that is declared as never blank, this code is outside the model: the private side can
        still encode an unexpected blank, but no marginal counts it.
        """
        return self.cells + (self.other is not None)

    @property
    def other_code(self) -> int | None:
        return self.cells if self.other is not None else None

    @property
    def outside_code(self) -> int:
        """Return the code for undeclared values, which is *other* if it exists, otherwise *missing*."""
        return self.missing_code if self.other_code is None else self.other_code

    @property
    def size(self) -> int:
        """Return the number of codes in the model.

        These are the declared cells, plus *other* and *missing* if they are used.
        """
        return self.missing_code + self.column.blank

    def label(self, code: int) -> str:
        """Return a description of the values of a code."""
        if code == self.missing_code:
            return "blank"
        if code == self.other_code:
            return str(self.other)
        if self.labels:
            return self.column.label_of(self.labels[code])
        return self.band(code) or self.span(code, code)

    def band(self, code: int) -> str:
        """Return the name of the band that a cell represents.

        The name is empty if the band has no name, or if the cell is only part of a band.
        """
        if not self.column.labels or not self.edges:
            return ""
        starts = (self.edges[0], *(in_units(cut) for cut in self.column.cuts))
        ends = (*starts[1:], self.edges[-1])
        named = dict(zip(zip(starts, ends, strict=True), self.column.labels, strict=False))
        return named.get((self.edges[code], self.edges[code + 1]), "")

    def span(self, first: int, last: int) -> str:
        """Return the values of neighbouring cells of a range as text, such as "1 to 9".

        For whole numbers, days and decimals with a fixed number of places, both ends are included.

        >>> Axis(column=Column(name="n", kind=Kind.INTEGER), edges=(0.0, 1.0, 10.0)).span(1, 1)
        '1 to 9'
        >>> Axis(column=Column(name="n", kind=Kind.DECIMAL, decimals=1), edges=(0.0, 15.625, 20.0)).span(1, 1)
        '15.7 to 20.0'
        >>> amount = Axis(column=Column(name="n", kind=Kind.DECIMAL, decimals=1), edges=(0.0, 5e-324, 20.0))
        >>> amount.span(0, 0), amount.span(1, 1)
        ('0.0', '0.1 to 20.0')
        """
        low, high = self.edges[first], self.edges[last + 1]
        if self.column.multiple is not None:
            least, most = self.multiples[first][0], self.multiples[last][1]
            if least <= most:
                named = [self.column.written(round(n * self.column.multiple, PLACES)) for n in (least, most)]
                return " to ".join(dict.fromkeys(named))
        if self.column.kind is Kind.DECIMAL:
            if not self._holds_places:
                return interval(low, low if first == last and self.is_point(first) else high)
            parts = 10 ** (self.column.decimals or 0)
            start, end = round(low * parts, 6), round(high * parts, 6)
            least = math.floor(start) + 1 if first and self.is_point(first - 1) else math.ceil(start)
            is_closed = last + 1 == self.cells or self.is_point(last)
            most = math.floor(end) if is_closed else math.ceil(end) - 1
            return " to ".join(dict.fromkeys(self.column.written(x / parts) for x in (least, most)))
        ends = [math.ceil(low), math.ceil(high) - 1]
        words = [iso_day(x) if self.column.kind is Kind.DATE else self.column.written(x) for x in ends]
        return " to ".join(dict.fromkeys(words))

    def is_point(self, code: int) -> bool:
        """Return whether a cell of decimals contains only one number: a declared point or heap."""
        low, high = self.edges[code], self.edges[code + 1]
        return self.column.kind is Kind.DECIMAL and high == math.nextafter(low, math.inf)

    @property
    def ends(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the smallest and largest value of each cell of a range, in the units of `edges`."""
        low, high = np.array(self.edges[:-1]), np.array(self.edges[1:])
        if self.column.kind is Kind.DECIMAL:
            high[:-1] = np.nextafter(high[:-1], -np.inf)
        else:
            high -= 1
        if (size := self.column.multiple) is not None:
            first, last = np.array(self.multiples).T
            low, high = np.where(first <= last, np.round((first * size, last * size), PLACES), (low, high))
        return low, high

    @property
    def multiples(self) -> list[tuple[int, int]]:
        """Return the numbers of the first and last declared multiple in each cell.

        In a cell without a multiple, first > last.
        """
        size = self.column.multiple or 1.0
        below = [math.ceil(edge / size - NEAR) for edge in self.edges]
        if self.column.kind is Kind.DECIMAL:
            below[-1] = math.floor(self.edges[-1] / size + NEAR) + 1
        return [(first, end - 1) for first, end in pairwise(below)]

    @property
    def _holds_places(self) -> bool:
        """Whether each cell contains a number with the declared number of decimal places."""
        decimals = self.column.decimals
        widths = (b - a for i, (a, b) in enumerate(pairwise(self.edges)) if not self.is_point(i))
        return decimals is not None and min(widths, default=1.0) * 10**decimals > 1 - 1e-9


@dataclass(frozen=True, kw_only=True)
class Grouping:
    """Groups of the codes of one axis. The choice depends only on noisy measurements.

    Shapes: `group_of: int[axis.size]` maps each code to its group (0 .. groups-1). Each group has at least
    one code, and the last group consists only of the missing code if there is one. `weights:
    float[axis.size]` contains the proportions in which the records of a group are distributed over its codes.
    """

    column: str
    group_of: tuple[int, ...]
    weights: tuple[float, ...]

    @property
    def size(self) -> int:
        return max(self.group_of) + 1

    def coarsen(self, codes: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the group of each code, elementwise."""
        return np.asarray(self.group_of, dtype=np.int64)[codes]

    def then(self, coarser: Grouping) -> Grouping:
        """Return this grouping with its groups merged further by `coarser`."""
        group_of = np.asarray(self.group_of)
        weights = np.maximum(np.asarray(self.weights, dtype=np.float64), 0.0)
        whole = np.bincount(group_of, weights=weights, minlength=self.size)
        even = np.bincount(group_of, minlength=self.size)
        shares = np.where(whole[group_of] > 0, weights, 1.0) / np.where(whole > 0, whole, even)[group_of]
        return Grouping(
            column=self.column,
            group_of=tuple(coarser.coarsen(group_of).tolist()),
            weights=tuple((np.asarray(coarser.weights)[group_of] * shares).tolist()),
        )

    def refine(self, codes: NDArray[np.int64], rng: np.random.Generator) -> NDArray[np.int64]:
        """Draw a code for each group, in the proportions of `weights` up to rounding."""
        fine = np.empty_like(codes)
        groups = np.asarray(self.group_of)
        weights = np.asarray(self.weights, dtype=np.float64)
        short = codes.astype(smallest_dtype(self.size))  # much faster to sort
        ends = np.cumsum(np.bincount(short, minlength=self.size))
        for group, rows in enumerate(np.split(np.argsort(short, kind="stable"), ends[:-1])):
            members = np.flatnonzero(groups == group)
            share = np.cumsum(np.maximum(weights[members], 0.0))
            if share[-1] <= 0.0:
                share = np.arange(1.0, len(members) + 1.0)
            u = (rng.permutation(len(rows)) + rng.random()) / max(len(rows), 1) * share[-1]
            fine[rows] = members[np.minimum(np.searchsorted(share, u, side="right"), len(members) - 1)]
        return fine


def domain_of(axes: Sequence[Axis], groupings: Sequence[Grouping] = ()) -> Domain:
    """Return the domain of the axes: one size per axis, or the number of groups if a grouping applies."""
    domain = Domain(tuple(a.name for a in axes), tuple(a.size for a in axes))
    return domain.with_sizes({g.column: g.size for g in groupings})


def ordered_codes(axes: Sequence[Axis], groupings: Sequence[Grouping] = ()) -> dict[str, int]:
    """Return how many of the first codes are in order, for each column with an order (`Axis.in_order`).

    *Other* and *missing* are not among them. A column has no order if a grouping joins values that are not
    neighbours.
    """
    return _in_line(groupings, [(axis, axis.in_order) for axis in axes if axis.in_order])


def listed_codes(axes: Sequence[Axis], groupings: Sequence[Grouping] = ()) -> dict[str, int]:
    """Return how many of the first codes are declared cells, ordered or not.

    Columns whose groups join cells that are not neighbours are omitted.
    """
    return _in_line(groupings, [(axis, axis.cells) for axis in axes])


def _in_line(groupings: Sequence[Grouping], cells: Sequence[tuple[Axis, int]]) -> dict[str, int]:
    coarse = {g.column: g.group_of for g in groupings}
    places = {}
    for axis, count in cells:
        group_of = coarse.get(axis.name, tuple(range(axis.size)))
        if list(group_of[:count]) == sorted(group_of[:count]):
            places[axis.name] = min(group_of[count:], default=max(group_of) + 1)
    return places


def ranges(labels: Sequence[str]) -> int:
    """Return how many of the first labels are neighbouring ranges of numbers, or 0.

    Each label has one or two numbers, and the numbers never decrease from one label to the next. At least one
    label has two different numbers. The first label, and labels at the end, may have no numbers.

    >>> ranges(["none", "1-4", "5-9", "10+", "unknown"]), ranges(["under 18", "18 to 64", "65 or older"])
    (4, 3)
    >>> ranges(["1", "2", "3"]), ranges(["A01", "A02"]), ranges(["11-1011", "11-1021"])
    (0, 0, 0)
    """
    found = [[float(n.replace(",", "")) for n in _NUMBER.findall(label)] for label in labels]
    while found and not found[-1]:
        found.pop()
    numbers = [n for some in found for n in some]
    are_few = all(1 <= len(some) <= 2 for some in found[1:]) and len(found[:1]) <= 2
    is_range = any(len(set(some)) == 2 for some in found)
    return len(found) if are_few and is_range and numbers == sorted(numbers) else 0

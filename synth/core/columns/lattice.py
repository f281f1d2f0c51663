"""List the values that decoded numbers and dates can have in each cell of an axis.

Integers and dates are the whole numbers of a cell, decimals are its multiples of 10^-decimals, and columns
with a declared multiple have its multiples. A cell without such a value, such as a decimal point of a rule,
has one value, its lower edge. The values of an ordered column are the positions of its labels.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from synth.core.axis import Axis
from synth.core.discretisation import decimals_of
from synth.core.schema import Kind

CellCodes = NDArray[np.integer]
Steps = NDArray[np.int64]
Numbers = NDArray[np.float64]


@dataclass(frozen=True, eq=False, kw_only=True)
class Lattice:
    """The values of the declared cells of an axis, in the units of `Axis.edges`.

    The values of cell c are `values(c, k)` for k = first[c] .. last[c], in ascending order. Shapes: `first,
    last: int64[cells]`, `edges: float64[cells]`, `is_single, is_multiple: bool[cells]`. All methods work
    elementwise on codes of declared cells.
    """

    first: Steps
    last: Steps
    edges: Numbers
    is_single: NDArray[np.bool_]
    is_multiple: NDArray[np.bool_]
    multiple: float = 1.0
    decimals: int = 0

    @staticmethod
    def of(axis: Axis) -> Lattice:
        """Return the lattice of an axis with labels or edges."""
        none = np.zeros(axis.cells, dtype=np.bool_)
        if not axis.edges:
            places = np.arange(axis.cells)
            edges = places.astype(np.float64)
            return Lattice(first=places, last=places, edges=edges, is_single=none, is_multiple=none)
        edges = np.array(axis.edges, dtype=np.float64)
        is_decimal = axis.column.kind is Kind.DECIMAL
        decimals = decimals_of(axis) if is_decimal else 0
        if is_decimal:
            first, last = _decimal_steps(edges, decimals)
        else:
            first, last = edges[:-1].astype(np.int64), edges[1:].astype(np.int64) - 1
        is_multiple = none
        if axis.column.multiple is not None:
            own = np.array(axis.multiples, dtype=np.int64)
            is_multiple = own[:, 0] <= own[:, 1]
            first, last = np.where(is_multiple, own.T, (first, last))
        is_single = last < first
        return Lattice(
            first=first,
            last=np.maximum(first, last),
            edges=edges[:-1],
            is_single=is_single,
            is_multiple=is_multiple,
            multiple=axis.column.multiple or 1.0,
            decimals=decimals,
        )

    def values(self, codes: CellCodes, steps: Steps) -> Numbers:
        """Return the values with these numbers in their cells."""
        plain = steps / 10.0**self.decimals
        if self.is_multiple.any():
            plain = np.where(self.is_multiple[codes], np.round(steps * self.multiple, self.decimals), plain)
        return np.where(self.is_single[codes], self.edges[codes], plain)

    def at_least(self, codes: CellCodes, bound: Numbers, *, above: bool) -> Steps:
        """Return the number of the smallest value that is at least `bound`, or above it.

        It is last + 1 if the cell has no such value. It is never below first.
        """
        first, last = self.first[codes], self.last[codes]
        steps = np.clip(np.ceil(bound / self._step(codes)), first, last + 1.0).astype(np.int64)
        short = np.greater if above else np.greater_equal
        while (down := (steps > first) & short(self.values(codes, steps - 1), bound)).any():
            steps = steps - down
        while (up := (steps <= last) & ~short(self.values(codes, steps), bound)).any():
            steps = steps + up
        return steps

    def at_most(self, codes: CellCodes, bound: Numbers, *, below: bool) -> Steps:
        """Return the number of the largest value that is at most `bound`, or below it.

        It is first - 1 if the cell has no such value. It is never above last.
        """
        beyond = self.at_least(codes, bound, above=not below)
        return beyond - 1

    def _step(self, codes: CellCodes) -> Numbers:
        return np.where(self.is_multiple[codes], self.multiple, 10.0**-self.decimals)


def _decimal_steps(edges: Numbers, decimals: int) -> tuple[Steps, Steps]:
    """Return the first and last multiple of 10^-decimals inside each cell, as whole numbers (in units of
    10^-decimals).

    If a cell contains no multiple, the first number is larger than the last. A product of floats can be wrong
    by one or two steps at an edge, so both ends are checked with the comparison that assigns values to cells
    when a file is read.
    """
    scale = 10.0**decimals
    first = np.ceil(edges[:-1] * scale).astype(np.int64)
    last = np.floor(edges[1:] * scale).astype(np.int64)
    while (short := first / scale < edges[:-1]).any():
        first += short
    inside = edges[1:].copy()
    inside[-1] = np.nextafter(inside[-1], np.inf)
    while (beyond := last / scale >= inside).any():
        last -= beyond
    return first, last

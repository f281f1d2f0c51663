"""Compute sums of products of columns on an integer lattice, which determine means and regressions.

A value x in a declared range has the integer place u = L (2 x - low - high) / (high - low), from -L to L,
where L + 1 is the number of cells of its lattice. The place of an indicator is 1 or -1. A record adds z_i z_j
to the entry (i, j), where z = (1, u_1, ..., u_p), and nothing if one of its columns has no value. The square
of an indicator is always 1, so its sum equals the number of records and is not measured again.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from synth.core.axis import Axis
from synth.core.discretisation import axis_of
from synth.core.domain import Clique, Domain
from synth.core.schema import Binning, Kind

ASK = "moments"
"""The name of the query in the ledger and in its answers."""

CELLS = 1 << 12
"""Maximum number of cells in a lattice. If a range has no more integers than this, each integer has a
cell.
"""

MOST_TERMS, MOST_ENTRIES = 30, 1 << 20
"""Maximum number of columns and indicators in one query, and of numbers in its result."""


@dataclass(frozen=True, kw_only=True)
class Term:
    """A numeric column, or the indicator of one value of a column (`code`).

    Only the codes below `cells` have a value. `low` and `high` are the values at the ends of the lattice.
    `name` is the display name.
    """

    column: str
    cells: int
    low: float = 0.0
    high: float = 1.0
    code: int | None = None
    name: str

    @property
    def bound(self) -> int:
        """Return the largest place L."""
        return self.cells - 1 if self.code is None else 1

    @property
    def middle(self) -> float:
        return (self.low + self.high) / 2

    @property
    def half(self) -> float:
        """Return half the length of the range. A value is x = `middle` + `half` * u / L."""
        return (self.high - self.low) / 2

    def fits(self, domain: Domain) -> bool:
        """Whether the codes are in the domain and the numbers have an allowed size."""
        if self.column not in domain or type(self.cells) is not int:
            return False
        if not 2 <= self.cells <= min(domain.size((self.column,)), CELLS):
            return False
        ends = (self.low, self.high)
        is_finite = all(type(x) is float and math.isfinite(x) for x in ends) and self.low < self.high
        return is_finite and (self.code is None or (type(self.code) is int and 0 <= self.code < self.cells))

    def places(self) -> NDArray[np.int64]:
        """Return the place of each code that has a value. Shapes: int64[cells]."""
        codes = np.arange(self.cells)
        return 2 * codes - self.bound if self.code is None else np.where(codes == self.code, 1, -1)


@dataclass(frozen=True)
class Block:
    """The terms whose products are summed, over all records or separately in each cell of the table of
    `by`.
    """

    terms: tuple[Term, ...]
    by: Clique = ()

    @property
    def columns(self) -> tuple[str, ...]:
        """Return all columns that are used, without repetition."""
        return tuple(dict.fromkeys([*(term.column for term in self.terms), *self.by]))

    @property
    def full(self) -> int:
        """Return the number of entries including the squares of indicators."""
        return (len(self.terms) + 1) * (len(self.terms) + 2) // 2

    @cached_property
    def entries(self) -> tuple[tuple[int, int], ...]:
        """Return the pairs (i, j) whose products are summed. Index 0 is the constant, and i > 0 is the i-th
        term.
        """
        upper = [(i, j) for i in range(len(self.terms) + 1) for j in range(i, len(self.terms) + 1)]
        return tuple((i, j) for i, j in upper if i != j or i == 0 or self.bounds[i] > 1)

    @cached_property
    def place(self) -> NDArray[np.intp]:
        """Return the position of each pair (i, j) in the entries.

        The square of an indicator is entry (0, 0).
        """
        size = len(self.terms) + 1
        place = np.zeros((size, size), dtype=np.intp)
        for k, (i, j) in enumerate(self.entries):
            place[i, j] = place[j, i] = k
        return place

    @property
    def bounds(self) -> tuple[int, ...]:
        """Return the largest place of the constant and of each term."""
        return (1, *(term.bound for term in self.terms))

    @property
    def products(self) -> NDArray[np.int64]:
        """Return the largest product of each entry. Shapes: int64[entries]."""
        return np.array([self.bounds[i] * self.bounds[j] for i, j in self.entries], dtype=np.int64)

    def fits(self, domain: Domain) -> bool:
        """Whether the terms and groups are in this domain."""
        if not 0 < len(set(self.terms)) == len(self.terms) <= MOST_TERMS:
            return False
        if not all(name in domain for name in self.by) or domain.clique(self.by) != self.by:
            return False
        numbers = domain.size(self.by) * len(self.entries)
        return all(term.fits(domain) for term in self.terms) and numbers <= MOST_ENTRIES

    def as_facts(self) -> dict[str, Any]:
        """Return the block as JSON. The entries follow from the terms but are included for the reader."""
        return {
            "terms": [asdict(term) for term in self.terms],
            "by": list(self.by),
            "entries": [list(entry) for entry in self.entries],
        }

    @classmethod
    def of(cls, stored: Mapping[str, Any]) -> Self:
        """Return the block from its JSON form (the inverse of `as_facts`).

        Raises: KeyError or TypeError if the form is different.
        """
        return cls(tuple(Term(**term) for term in stored["terms"]), tuple(stored["by"]))

    def sums(
        self, columns: Mapping[str, NDArray[np.unsignedinteger]], domain: Domain, *, at_a_time: int = 1 << 16
    ) -> NDArray[np.int64]:
        """Return the sums over the records with these codes.

        Products are integers of at most CELLS^2, and a sum of 2^16 of them is below 2^53, so floats are
        exact. Shapes: `columns` unsigned[records]; int64[sizes of `by`, entries].
        """
        shape, many = domain.shape(self.by), len(next(iter(columns.values())))
        sums = np.zeros((math.prod(shape), len(self.entries)), dtype=np.int64)
        places = [term.places().astype(np.float64) for term in self.terms]
        for start in range(0, many, at_a_time):
            part = {name: codes[start : start + at_a_time] for name, codes in columns.items()}
            limits = [(term.column, term.cells) for term in self.terms]
            limits += [(name, domain.size((name,))) for name in self.by]
            kept = np.all([part[name] < limit for name, limit in limits], axis=0)
            part = {name: codes[kept] for name, codes in part.items()}
            cells = np.zeros(int(kept.sum()), dtype=np.intp)
            for name, size in zip(self.by, shape, strict=True):
                cells = cells * size + part[name]
            z = [np.ones(len(cells)), *(p[part[t.column]] for p, t in zip(places, self.terms, strict=True))]
            for k, (i, j) in enumerate(self.entries):
                sums[:, k] += np.bincount(cells, z[i] * z[j], minlength=len(sums)).astype(np.int64)
        return sums.reshape(*shape, len(self.entries))


def lattice(axis: Axis) -> Axis:
    """Return the axis whose codes are the lattice places of a column's values.

    A range has one cell per integer, or `CELLS` equal cells for decimals and for more than `CELLS` integers.
    The axis of a column without numbers is returned unchanged.
    """
    column = axis.column
    if not axis.edges:
        return axis
    many = round(axis.edges[-1] - axis.edges[0])
    if column.kind is not Kind.DECIMAL and many == axis.cells:
        return axis
    plain = replace(
        column,
        bins=CELLS,
        step=None,
        cuts=(),
        points=(),
        labels=(),
        write_labels=False,
        binning=Binning.UNIFORM,
    )
    return axis_of(plain)


def ends(axis: Axis) -> tuple[float, float] | None:
    """Return the values of the first and last cell of a lattice, or None for a column without numbers.

    Ordered values are treated as numbers if they increase in equal steps.
    """
    if axis.edges:
        first, last = axis.edges[:2], axis.edges[-2:]
        if axis.column.kind is Kind.DECIMAL:
            return (first[0] + first[1]) / 2, (last[0] + last[1]) / 2
        return (first[0] + first[1] - 1) / 2, (last[0] + last[1] - 1) / 2
    are_numbers = all(isinstance(v, int | float) and not isinstance(v, bool) for v in axis.labels)
    if axis.column.kind is not Kind.ORDERED or not are_numbers or axis.cells < 3:
        return None
    steps = np.diff([float(value) for value in axis.labels])
    is_even = steps[0] > 0 and bool(np.allclose(steps, steps[0], rtol=1e-9))
    return (float(axis.labels[0]), float(axis.labels[-1])) if is_even else None


def terms_of(axis: Axis, value: str | None = None) -> tuple[Term, ...]:
    """Return the terms of a column, which are its number or the indicators of all values except the first.

    If `value` is given, return the indicator of this value. Raises: ValueError if the column does not have
    it.
    """
    if value is None and (found := ends(axis)) is not None:
        return (Term(column=axis.name, cells=axis.cells, low=found[0], high=found[1], name=axis.name),)
    if axis.edges:
        raise ValueError("a numeric column has no indicators")
    names = [str(axis.label(code)) for code in range(axis.missing_code)]
    texts = [*(str(label) for label in axis.labels), *names[axis.cells :]]
    codes = range(1, len(names))
    if value is not None:
        codes = range(at := (texts.index(value) if value in texts else names.index(value)), at + 1)
    return tuple(
        Term(column=axis.name, cells=len(names), code=code, name=f"{axis.name} is {names[code]}")
        for code in codes
    )

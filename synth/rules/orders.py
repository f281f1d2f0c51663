"""Decide which records can satisfy the comparisons of columns, and draw the compared values together.

The comparisons that apply to a record form a graph: an edge from x to y means x <= y or x < y. All values of
a record are in known cells, so each column has a finite, ordered set of values (`core.columns.lattice`).

    lower bounds   low(y) = the smallest value of y that is at least (or above) low(x), for each edge x to y
    upper bounds   high(x) = the largest value of x that is at most (or below) high(y)

repeated until nothing changes. Comparisons are preserved if all columns have their lower bounds: an edge that
fails for these values would raise a bound. So a record can exist if and only if low <= high for each column.
This holds for cells of any width and for columns with different steps. A strict edge in a cycle excludes the
record. Blank and undeclared values, and conditions that do not hold, switch
edges off, so records are processed by the set of edges that apply to them.

Values are drawn independently, again if they violate a comparison, each time between their bounds. This is
rejection sampling, so the values have the distribution of independent values, given that the comparisons
hold. After `TRIES` draws, the columns of the remaining records are drawn one after the other, in random
order. The bounds are updated after each, so every such draw succeeds.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from synth.core.axis import Axis
from synth.core.columns.lattice import CellCodes, Lattice, Numbers, Steps
from synth.core.graphs.directed import connected, ranks
from synth.rules.atoms import Atoms
from synth.rules.terms import Compare, Rule

TRIES = 30
"""Number of independent draws before the columns of a record are drawn one after the other."""

MOST_PASSES = 10_000
"""Maximum number of passes over a cycle of `at most`, whose columns must be equal.

A cycle needs more than a few passes only if its columns have different steps.
"""

Mask = NDArray[np.bool_]
Cells = Mapping[str, CellCodes]
"""The codes of some records, by column. Shapes: int[records] each."""


def comparisons_of(rules: Sequence[Rule]) -> tuple[Compare, ...]:
    """Return all comparisons, each written with `at most` or `below`."""
    parts = [part for rule in rules for part in rule.parts if isinstance(part, Compare)]
    return tuple(p if p.operator in ("at most", "below") else p.mirrored() for p in parts)


def has_strict_cycle(parts: Sequence[Compare]) -> bool:
    """Whether a cycle of comparisons contains `below`, so that no values satisfy all of them."""
    place = ranks([(part.left, part.right) for part in parts])
    return any(part.operator == "below" and place[part.left] == place[part.right] for part in parts)


@dataclass(frozen=True, eq=False)
class Orders:
    """The comparisons of some rules, for records on given axes. `parts` is from `comparisons_of`."""

    parts: tuple[Compare, ...]
    axes: Mapping[str, Axis]
    atoms: Mapping[str, Atoms]

    @cached_property
    def lattices(self) -> dict[str, Lattice]:
        """Return the lattice of each compared column, in the order of the axes."""
        named = {name for part in self.parts for name in (part.left, part.right)}
        return {name: Lattice.of(axis) for name, axis in self.axes.items() if name in named}

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """Return all columns of the comparisons, including those of their conditions, in the order of the
        axes.
        """
        return tuple(n for n in self.axes if any(n in part.columns for part in self.parts))

    def admits(self, cells: Cells) -> Mask:
        """Return whether each record can have values that satisfy all comparisons. Shapes: bool[records]."""
        codes = np.stack([np.asarray(cells[name], dtype=np.int64) for name in self.columns], axis=1)
        distinct, which = np.unique(codes, axis=0, return_inverse=True)
        mine = dict(zip(self.columns, distinct.T, strict=True))
        admitted = np.ones(len(distinct), dtype=np.bool_)
        for group, rows in self._groups(self._active(mine), np.arange(len(distinct))):
            admitted[rows] &= group.possible({n: mine[n][rows] for n in group.names})
        return np.asarray(admitted[which.ravel()])

    def drawn(
        self,
        cells: Cells,
        numbers: Mapping[str, Numbers],
        rng: np.random.Generator,
        kept: Mapping[str, Numbers],
    ) -> dict[str, Numbers]:
        """Return the numbers of compared columns, with new values where a comparison was violated.

        New values stay in their cells. Numbers in `kept` replace the given numbers, where they are not nan,
        and do not change. A record is unchanged if it has no values that satisfy the comparisons. Shapes:
        float64[records] each, by compared column.
        """
        found = {name: np.array(numbers[name], dtype=np.float64) for name in self.lattices}
        for name, own in kept.items():
            found[name] = np.where(np.isnan(own), found[name], own)
        active = self._active(cells)
        for p, part in enumerate(self.parts):
            active[:, p] &= ~np.isnan(found[part.left]) & ~np.isnan(found[part.right])
        rows = np.flatnonzero((active & ~self._hold(found)).any(axis=1))
        for group, some in self._groups(active[rows], rows):
            mine = some[~group.hold({n: found[n][some] for n in group.names})]
            if not mine.size:
                continue
            here = {n: np.asarray(cells[n])[mine] for n in group.names}
            made, is_made = group.drawn(here, {n: own[mine] for n, own in kept.items() if n in here}, rng)
            for name in group.names:
                found[name][mine[is_made]] = made[name][is_made]
        return found

    def _active(self, cells: Cells) -> Mask:
        """Return which comparisons apply to each record. Shapes: bool[records, comparisons]."""
        columns = []
        for part in self.parts:
            applies = np.ones(len(next(iter(cells.values()))), dtype=np.bool_)
            for name in (part.left, part.right):
                applies &= np.asarray(cells[name]) < self.axes[name].cells
            for condition in part.given:
                applies &= self._meeting(condition.column)[condition][np.asarray(cells[condition.column])]
            columns.append(applies)
        return np.stack(columns, axis=1)

    def _meeting(self, name: str) -> dict[object, Mask]:
        """Return the codes of a column that may meet each condition on it. Shapes: bool[codes]."""
        atoms, axis = self.atoms[name], self.axes[name]
        covered = atoms.of_axis(axis)
        if axis.size == axis.missing_code:
            covered = [*covered, np.array([atoms.blank])]
        conditions = {c for part in self.parts for c in part.given if c.column == name}
        return {c: np.array([atoms.mask(c)[own].any() for own in covered]) for c in conditions}

    def _hold(self, numbers: Mapping[str, Numbers]) -> Mask:
        """Return which comparisons of two numbers hold. Shapes: bool[records, comparisons]."""
        return np.stack([_holds(part, numbers) for part in self.parts], axis=1)

    def _groups(self, active: Mask, rows: NDArray[np.intp]) -> Iterator[tuple[_Group, NDArray[np.intp]]]:
        """Yield connected columns with the comparisons that apply to some records, and these records."""
        patterns, which = np.unique(active, axis=0, return_inverse=True)
        for number, pattern in enumerate(patterns):
            parts = [part for part, on in zip(self.parts, pattern, strict=True) if on]
            for names in connected([(part.left, part.right) for part in parts]):
                own = tuple(part for part in parts if part.left in names)
                lattices = {n: lattice for n, lattice in self.lattices.items() if n in names}
                yield _Group(own, lattices), rows[which.ravel() == number]


def _holds(part: Compare, numbers: Mapping[str, Numbers]) -> Mask:
    low, high = numbers[part.left], numbers[part.right]
    return np.asarray(low < high if part.operator == "below" else low <= high)


@dataclass(frozen=True, eq=False)
class _Group:
    """Connected columns with the comparisons that apply to all records of an argument."""

    parts: tuple[Compare, ...]
    lattices: Mapping[str, Lattice]

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self.lattices)

    @cached_property
    def in_order(self) -> tuple[Compare, ...]:
        """Return the comparisons in the order in which lower bounds move along them."""
        place = ranks([(part.left, part.right) for part in self.parts])
        return tuple(sorted(self.parts, key=lambda part: (place[part.left], place[part.right])))

    def hold(self, numbers: Mapping[str, Numbers]) -> Mask:
        """Return whether all comparisons hold. Shapes: bool[records]."""
        return np.asarray(np.logical_and.reduce([_holds(part, numbers) for part in self.parts]))

    def possible(self, cells: Cells) -> Mask:
        """Return whether each record has values that satisfy all comparisons. Shapes: bool[records]."""
        if has_strict_cycle(self.parts):
            return np.zeros(len(cells[self.names[0]]), dtype=np.bool_)
        records = _Records(self, cells, {})
        return records.move(records.low, upwards=True)

    def drawn(
        self, cells: Cells, kept: Mapping[str, Numbers], rng: np.random.Generator
    ) -> tuple[dict[str, Numbers], Mask]:
        """Return values that satisfy all comparisons, and whether each record has such values.

        `kept` contains numbers that do not change, and nan for values to be drawn.
        """
        made = {n: np.full(len(cells[n]), np.nan) for n in self.names}
        if has_strict_cycle(self.parts):
            return made, np.zeros(len(made[self.names[0]]), dtype=np.bool_)
        records = _Records(self, cells, kept)
        possible = records.move(records.low, upwards=True) & records.move(records.high, upwards=False)
        rows = np.flatnonzero(possible)
        for attempt in range(TRIES + 1):
            own = records.only(rows)
            if attempt == TRIES:
                own.one_by_one(rng)
            steps = {n: rng.integers(own.low[n], own.high[n], endpoint=True) for n in self.names}
            values = {n: own.values(n, steps[n]) for n in self.names}
            good = self.hold(values)
            for name in self.names:
                made[name][rows[good]] = values[name][good]
            rows = rows[~good]
            if not rows.size:
                break
        return made, possible


@dataclass(frozen=True, eq=False)
class _Records:
    """Records of a group of columns, with the lower and upper bounds of their values as numbers of steps.

    Bounds of a kept number are not used.
    """

    group: _Group
    cells: Cells
    kept: Mapping[str, Numbers]
    low: dict[str, Steps] = field(init=False)
    high: dict[str, Steps] = field(init=False)

    def __post_init__(self) -> None:
        lattices = self.group.lattices
        object.__setattr__(self, "low", {n: own.first[self.cells[n]] for n, own in lattices.items()})
        object.__setattr__(self, "high", {n: own.last[self.cells[n]] for n, own in lattices.items()})

    def only(self, rows: NDArray[np.intp]) -> _Records:
        """Return some of the records, with the same bounds."""
        cells = {name: own[rows] for name, own in self.cells.items()}
        part = _Records(self.group, cells, {name: own[rows] for name, own in self.kept.items()})
        for name in self.group.names:
            part.low[name], part.high[name] = self.low[name][rows], self.high[name][rows]
        return part

    def values(self, name: str, steps: Steps) -> Numbers:
        found = self.group.lattices[name].values(self.cells[name], steps)
        return np.where(np.isnan(self.kept[name]), found, self.kept[name]) if name in self.kept else found

    def move(self, bounds: dict[str, Steps], *, upwards: bool) -> Mask:
        """Move lower bounds upwards, or upper bounds downwards, until they satisfy the comparisons.

        Return whether each record has such bounds.
        """
        fine = np.ones(len(next(iter(bounds.values()))), dtype=np.bool_)
        for _ in range(MOST_PASSES):
            changed = False
            for part in self.group.in_order if upwards else self.group.in_order[::-1]:
                source, target = (part.left, part.right) if upwards else (part.right, part.left)
                bound = self.values(source, bounds[source])
                steps, exists = self._nearest(target, bound, upwards=upwards, beyond=part.operator == "below")
                fine &= exists
                further = steps > bounds[target] if upwards else steps < bounds[target]
                moved = fine & further
                bounds[target] = np.where(moved, steps, bounds[target])
                changed |= bool(moved.any())
            if not changed:
                return fine
        return np.zeros_like(fine)

    def _nearest(self, name: str, bound: Numbers, *, upwards: bool, beyond: bool) -> tuple[Steps, Mask]:
        """Return the number of the nearest possible value from a bound, and whether there is one."""
        lattice, cells = self.group.lattices[name], self.cells[name]
        if upwards:
            steps = lattice.at_least(cells, bound, above=beyond)
            exists = steps <= lattice.last[cells]
        else:
            steps = lattice.at_most(cells, bound, below=beyond)
            exists = steps >= lattice.first[cells]
        if name not in self.kept:
            return steps, exists
        kept, is_free = self.kept[name], np.isnan(self.kept[name])
        passes = kept > bound if upwards else kept < bound
        passes |= (kept == bound) & (not beyond)
        middle = lattice.first[cells]
        return np.where(is_free, steps, middle), np.where(is_free, exists, passes)

    def one_by_one(self, rng: np.random.Generator) -> None:
        """Draw the columns one after the other, until the lower and upper bounds are equal."""
        for name in rng.permutation(self.group.names).tolist():
            self.low[name] = rng.integers(self.low[name], self.high[name], endpoint=True)
            self.move(self.low, upwards=True)
            self.high[name] = self.low[name]
            self.move(self.high, upwards=False)

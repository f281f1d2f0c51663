"""Search for a record that satisfies all rules. The search is complete and needs neither data nor a model.

Columns are decided one after the other, smallest first. After each decision, two steps remove values until
nothing changes:

1. Tables: a value remains if it has a partner in each table of forbidden combinations (`partnered`).
2. Comparisons that surely apply: the bounds of the compared columns move along their graph
   (`synth.rules.orders`), and values outside the bounds are removed. A cycle with `below` ends the branch.

A column is decided if it is in a table of several columns, in a condition of a comparison, or compared and
possibly blank. If all such columns are decided, each remaining comparison applies or does not, so the bounds
of `synth.rules.orders` decide whether values exist. Compared values are those that rows can have in their
bins. A column whose range is not known yet can have any value.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from synth.core.axis import Axis
from synth.core.columns.lattice import Lattice
from synth.core.domain import Clique
from synth.core.errors import Mistake
from synth.rules.atoms import Atoms
from synth.rules.orders import MOST_PASSES, has_strict_cycle
from synth.rules.tables import Table
from synth.rules.terms import Compare

MOST_STEPS = 20_000
"""Maximum number of decisions in a search."""

Live = dict[str, NDArray[np.bool_]]
"""The values that each column may still have. Shapes: one bool[atoms of the column] per column."""


def merged(groups: Sequence[Mapping[Clique, Table]]) -> dict[Clique, Table]:
    """Return all combinations that the rules forbid, with one table per clique."""
    joined: dict[Clique, Table] = {}
    for clique, table in ((c, t) for tables in groups for c, t in tables.items()):
        joined[clique] = joined[clique] | table if clique in joined else table
    return joined


def partnered(tables: Mapping[Clique, Table], start: Live) -> Live:
    """Return the values of each column that still have a partner in every table."""
    live = {name: mask.copy() for name, mask in start.items()}
    changed = True
    while changed:
        changed = False
        for clique, table in tables.items():
            valid = ~table
            for position, name in enumerate(clique):
                valid &= live[name].reshape([-1 if i == position else 1 for i in range(len(clique))])
            for position, name in enumerate(clique):
                others = tuple(i for i in range(len(clique)) if i != position)
                kept = live[name] & valid.any(axis=others)
                if not np.array_equal(kept, live[name]):
                    live[name], changed = kept, True
    return live


@dataclass(frozen=True, eq=False)
class Line:
    """The values of a compared column in ascending order, by atom.

    Shapes: `codes: int64[cells]`, the declared codes of its axis, and `atoms: int64[cells]`, the atom of each
    code.
    """

    lattice: Lattice
    codes: NDArray[np.int64]
    atoms: NDArray[np.int64]

    @staticmethod
    def of(axis: Axis, atoms: Atoms) -> Line:
        covered = atoms.of_axis(axis)[: axis.cells]
        return Line(Lattice.of(axis), np.arange(axis.cells), np.array([int(own[0]) for own in covered]))

    def least(self, live: NDArray[np.bool_], bound: float, *, above: bool) -> float:
        """Return the smallest possible value from a bound, or infinity."""
        codes = self.codes[live[self.atoms]]
        steps = self.lattice.at_least(codes, np.full(len(codes), bound), above=above)
        exists = steps <= self.lattice.last[codes]
        return float(self.lattice.values(codes[exists], steps[exists]).min(initial=np.inf))

    def most(self, live: NDArray[np.bool_], bound: float, *, below: bool) -> float:
        """Return the largest possible value up to a bound, or minus infinity."""
        codes = self.codes[live[self.atoms]]
        steps = self.lattice.at_most(codes, np.full(len(codes), bound), below=below)
        exists = steps >= self.lattice.first[codes]
        return float(self.lattice.values(codes[exists], steps[exists]).max(initial=-np.inf))

    def within(self, live: NDArray[np.bool_], low: float, high: float) -> NDArray[np.bool_]:
        """Return the live atoms that have a value between two values of the column."""
        steps = self.lattice.at_least(self.codes, np.full(len(self.codes), low), above=False)
        held = self.lattice.values(self.codes, np.minimum(steps, self.lattice.last[self.codes]))
        fits = (steps <= self.lattice.last[self.codes]) & (held <= high)
        kept = live.copy()
        known = int(self.atoms.max(initial=-1)) + 1
        kept[:known] &= np.isin(np.arange(known), self.atoms[fits])
        return kept


@dataclass(frozen=True, eq=False)
class Search:
    """The tables and comparisons of some rules over the atoms of their columns.

    `lines` has the compared columns whose values are known.
    """

    tables: Mapping[Clique, Table]
    parts: tuple[Compare, ...]
    atoms: Mapping[str, Atoms]
    lines: Mapping[str, Line] = field(default_factory=dict)

    def record(self, start: Live) -> Live | None:
        """Return values that a record can have, or None if no record satisfies the rules.

        Each decided column has one value left. Columns without values in `start` are ignored. Raises:
        `Mistake` if the search takes more than `MOST_STEPS` decisions.
        """
        stack: list[Iterator[Live]] = [iter([start])]
        for _ in range(MOST_STEPS):
            live = next(stack[-1], None)
            if live is None:
                stack.pop()
                if not stack:
                    return None
                continue
            narrowed = self._narrowed(live)
            if narrowed is None:
                continue
            name = self._next(narrowed)
            if name is None:
                return narrowed
            stack.append(_decided(narrowed, name))
        raise Mistake(
            "The rules are connected in so many ways that it cannot be decided whether a record can satisfy "
            "all of them. Remove or simplify rules that share columns. No budget was spent."
        )

    @cached_property
    def _deciding(self) -> frozenset[str]:
        """Return the columns whose single values decide which rules apply."""
        joined = {name for clique in self.tables if len(clique) > 1 for name in clique}
        return frozenset(joined | {c.column for part in self.parts for c in part.given})

    def _next(self, live: Live) -> str | None:
        """Return the undecided column with the fewest values."""
        undecided = []
        for name, mask in live.items():
            compared = any(name in (part.left, part.right) for part in self.parts)
            is_open = name in self._deciding or (compared and self._maybe_unknown(name, live))
            if is_open and mask.sum() > 1:
                undecided.append(name)
        return min(undecided, key=lambda name: int(live[name].sum()), default=None)

    def _maybe_unknown(self, name: str, live: Live) -> bool:
        return bool(live[name][self.atoms[name].known :].any())

    def _narrowed(self, start: Live) -> Live | None:
        """Return the values that remain after both steps, or None if a column has none."""
        live = start
        while True:
            before = live
            live = partnered(self.tables, live)
            if any(start[n].any() and not live[n].any() for n in start):
                return None
            bounded = self._bounded(live)
            if bounded is None:
                return None
            live = bounded
            if all(np.array_equal(before[n], live[n]) for n in live):
                return live

    def _applies(self, part: Compare, live: Live) -> bool:
        """Whether a comparison applies to every record with these values."""
        if any(self._maybe_unknown(name, live) for name in (part.left, part.right)):
            return False
        return all(not (live[c.column] & ~self.atoms[c.column].mask(c)).any() for c in part.given)

    def _bounded(self, start: Live) -> Live | None:
        """Return the values inside the bounds of all comparisons that apply, or None if a column has none."""
        parts = [part for part in self.parts if self._applies(part, start)]
        if has_strict_cycle(parts):
            return None
        ends = self._ends(parts, start)
        if ends is None:
            return None
        low, high = ends
        inside = {n: self.lines[n].within(start[n], low[n], high[n]) for n in low}
        return {**start, **inside}

    def _ends(self, parts: Sequence[Compare], live: Live) -> tuple[dict[str, float], dict[str, float]] | None:
        """Return the smallest and largest value of each compared column, or None if there is none."""
        parts = [part for part in parts if part.left in self.lines and part.right in self.lines]
        names = {name for part in parts for name in (part.left, part.right)}
        low = {n: self.lines[n].least(live[n], -np.inf, above=False) for n in names}
        high = {n: self.lines[n].most(live[n], np.inf, below=False) for n in names}
        for _ in range(MOST_PASSES):
            changed = False
            for part in parts:
                strict = part.operator == "below"
                up = self.lines[part.right].least(live[part.right], low[part.left], above=strict)
                down = self.lines[part.left].most(live[part.left], high[part.right], below=strict)
                if up > high[part.right] or down < low[part.left]:
                    return None
                if up > low[part.right] or down < high[part.left]:
                    low[part.right] = max(low[part.right], up)
                    high[part.left] = min(high[part.left], down)
                    changed = True
            if not changed:
                break
        return low, high

    def smallest(self, live: Live) -> dict[str, float]:
        """Return the smallest values of the compared columns of a record from `record`. All comparisons that
        apply hold for them.
        """
        ends = self._ends([part for part in self.parts if self._applies(part, live)], live)
        assert ends is not None, "the record exists"
        return ends[0]


def fixed(live: Live, name: str, atom: int) -> Live:
    """Return the same values with a single value of one column."""
    alone = np.zeros_like(live[name])
    alone[atom] = True
    return {**live, name: alone}


def _decided(live: Live, name: str) -> Iterator[Live]:
    """Yield the same values with each single value of one column."""
    for atom in np.flatnonzero(live[name]):
        yield fixed(live, name, int(atom))

"""Records whose pair tables come nearer to given ones: swaps of one column's values between two records.

A swap leaves every one-way count as it is and moves four cells of each pair table that holds the column; it
is made if that lowers

    sum over pairs and cells of (count - target)^2 / (target + 1).

Many swaps are judged at once against the same tables, so only half of the good ones are made, and a sweep
after which the cost has risen is undone and is the last. A swap into a forbidden cell is never made.
Relatives: synthetic reconstruction by simulated annealing (Voas and Williamson 2000), and PrivSyn's GUM,
which overwrites records instead and so loses what it had.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from synth.domain import Clique, Domain
from synth.zeros import Zero

Codes = NDArray[np.int64]

WORK = 2.5e9
"""Most table look-ups of a refinement, about forty seconds' worth: a limit that, unlike a clock, gives the
same records on every machine."""

SWEEPS = 12
"""Most times that every record is paired once per column."""

SETTLED = 0.01
"""A sweep that lowers the cost by a smaller part than this is the last."""

BATCHES = 10
"""Into how many batches a sweep of one column is cut, each judged against tables of its own time."""


@dataclass(frozen=True, eq=False)
class _Side:
    """One column in the flat array of all tables: cell = code * own + partner's code * theirs + first."""

    partners: NDArray[np.int64]
    own: NDArray[np.int64]
    theirs: NDArray[np.int64]
    first: NDArray[np.int64]


class _Tables:
    """All pair tables one after the other: targets, weights, and what one more or one less record costs."""

    def __init__(self, domain: Domain, targets: Mapping[Clique, NDArray[np.float64]]) -> None:
        self.pairs = [domain.axes(r) for r in targets]
        self.sizes = domain.sizes
        starts = np.concatenate([[0], np.cumsum([t.size for t in targets.values()])])
        self.starts = starts.astype(np.int64)
        self.target = np.concatenate([t.reshape(-1) for t in targets.values()])
        self.weight = 1 / (self.target + 1)
        self.step = (2 * self.weight).astype(np.float32)
        self.counts = np.zeros(self.target.size, dtype=np.int64)
        self.more = self.less = np.empty(0, dtype=np.float32)

    def sides(self) -> dict[int, _Side]:
        found: dict[int, list[tuple[int, int, int, int]]] = {}
        for (a, b), start in zip(self.pairs, self.starts[:-1], strict=True):
            found.setdefault(a, []).append((b, self.sizes[b], 1, int(start)))
            found.setdefault(b, []).append((a, 1, self.sizes[b], int(start)))
        return {i: _Side(*np.array(side, dtype=np.int64).T) for i, side in found.items()}

    def count(self, codes: Codes) -> None:
        """Count these records."""
        columns = np.ascontiguousarray(codes.T)
        for (a, b), start, stop in zip(self.pairs, self.starts[:-1], self.starts[1:], strict=True):
            cell = columns[a] * self.sizes[b] + columns[b]
            self.counts[start:stop] = np.bincount(cell, minlength=int(stop - start))

    def settle(self) -> float:
        """The cost of the counts; and what a record more or less would change, free of rounding so far."""
        gap = self.counts - self.target
        slope = 2 * self.weight * gap
        self.more = (self.weight + slope).astype(np.float32)
        self.less = (self.weight - slope).astype(np.float32)
        return float((self.weight * gap * gap).sum())

    def move(self, left: Codes, entered: Codes) -> None:
        for cells, sign in ((left, -1), (entered, 1)):
            change = self.step[cells] * np.float32(sign)
            np.add.at(self.counts, cells, sign)
            np.add.at(self.more, cells, change)
            np.add.at(self.less, cells, -change)


def swap(
    codes: Codes,
    domain: Domain,
    targets: Mapping[Clique, NDArray[np.float64]],
    *,
    rng: np.random.Generator,
    zeros: Iterable[Zero] = (),
) -> Codes:
    """Records with the same one-way counts and pair tables nearer to the targets.

    Shapes: `codes` int64[rows, len(domain)], none in a forbidden cell; `targets[r]`: float64[shape(r)] for
    pairs r, in counts that sum to the number of rows. Deterministic given `rng`.
    """
    rows = len(codes)
    if rows < 2 or not targets:
        return codes
    affordable = WORK / (4 * rows * len(targets))
    tables = _Tables(domain, targets)
    sides = tables.sides()
    forbidden = [z for z in zeros if len(z.clique) > 1 and z.forbidden.any()]
    guards = {i: [_Guard(domain, z) for z in forbidden if domain.names[i] in z.clique] for i in sides}
    best = np.ascontiguousarray(codes)
    tables.count(best)
    cost = tables.settle()
    for _ in range(min(SWEEPS, math.ceil(affordable))):
        trial = best.copy()
        for i in rng.permutation(sorted(sides)).tolist():
            offers = int(rows / 2 * min(affordable, 1.0))
            _sweep(trial, i, tables, sides[i], guards[i], rng, offers=offers)
        found = tables.settle()
        if found >= cost:
            break
        gain, cost, best = cost - found, found, trial
        if gain < SETTLED * (cost + gain):
            break
    return best


def _sweep(
    codes: Codes,
    i: int,
    tables: _Tables,
    side: _Side,
    guards: Sequence[_Guard],
    rng: np.random.Generator,
    *,
    offers: int,
) -> None:
    """Offer swaps of column i to random pairs of records, each record once; changes `codes` in place."""
    order = rng.permutation(len(codes))
    for batch in np.array_split(np.arange(offers), max(1, min(BATCHES, offers))):
        one, two = order[batch], order[offers + batch]
        differ = codes[one, i] != codes[two, i]
        one, two = one[differ], two[differ]
        u, v = codes[one, i], codes[two, i]
        cells_one = codes[one][:, side.partners] * side.theirs + side.first
        cells_two = codes[two][:, side.partners] * side.theirs + side.first
        with_u, with_v = u[:, None] * side.own, v[:, None] * side.own
        left = with_u + cells_one, with_v + cells_two
        entered = with_v + cells_one, with_u + cells_two
        change = tables.less[left[0]] + tables.more[entered[0]]
        change += tables.less[left[1]]
        change += tables.more[entered[1]]
        change[cells_one == cells_two] = 0.0
        good = change.sum(axis=1) < 0
        for guard in guards:
            good &= guard.allows(codes[one], i, v) & guard.allows(codes[two], i, u)
        chosen = np.flatnonzero(good)
        if len(chosen) > 20:
            chosen = chosen[rng.random(len(chosen)) < 0.5]
        tables.move(
            np.concatenate([part[chosen].reshape(-1) for part in left]),
            np.concatenate([part[chosen].reshape(-1) for part in entered]),
        )
        codes[one[chosen], i], codes[two[chosen], i] = v[chosen], u[chosen]


class _Guard:
    """Whether records with one value replaced would fall into the forbidden cells of a zero."""

    def __init__(self, domain: Domain, zero: Zero) -> None:
        self._axes, self._forbidden = domain.axes(zero.clique), zero.forbidden

    def allows(self, codes: Codes, i: int, values: Codes) -> NDArray[np.bool_]:
        cell = tuple(values if axis == i else codes[:, axis] for axis in self._axes)
        return np.asarray(~self._forbidden[cell])

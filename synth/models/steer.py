"""Change records until target proportions of them meet given conditions, with an error of at most one record.

A proportion changes when two records swap the values of one column, which leaves one-way counts unchanged. To
increase the proportion, a record that fails the condition in a single column gets a matching value from a
record that also fails in another column. To decrease it, a record that meets the condition gives a value to a
record that fails in that column and in another column. Many such pairs are drawn at random. The pairs that
change the pair tables least are swapped, with the cost of `records.swaps`: the sum over cells of (count -
before)^2 / (before + 1). Swaps are made in batches, and each batch is evaluated against the current tables.
If no swap helps, for example because a condition on one column is a one-way count, single values are changed.
The new values are drawn with their frequencies in the records.

No change moves a record into a forbidden cell, makes it violate a further condition, or moves another
proportion further from its target. The method follows the domain-specific statistics of PrivPGD (Donhauser et
al. 2024, section 4.4). Difference: records are changed until the proportion is exact, whereas a penalty in
the loss reaches it only approximately, and no derivative is needed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from synth.core.domain import Domain
from synth.core.zeros import Zero
from synth.models.donors import Condition

Codes = NDArray[np.int64]
Marks = NDArray[np.bool_]

CANDIDATES, MOST_CANDIDATES = 4096, 1 << 17
"""Minimum and maximum number of changes that are evaluated at once. Between these limits, the number is
proportional to the number of changes to make.
"""

PER_CHANGE = 8
"""Number of evaluated changes per change that is made."""

BATCH, SMALLEST_BATCH = 0.1, 20
"""Fraction of the missing changes that is made at once, and the minimum number of changes in a batch."""

TRIES = 12
"""Number of consecutive batches without a useful change after which the search stops."""

MOST_CELLS = 1_000_000
"""Maximum number of cells of a pair table. Larger tables are ignored, because few of their cells contain two
records.
"""


class Target(Protocol):
    """A target proportion of the records.

    `masks[column]`: bool[codes of the column]. A record meets the condition if all its codes are marked.
    `wanted`: the target, from 0 to 1.
    """

    @property
    def masks(self) -> Mapping[str, Marks]: ...
    @property
    def wanted(self) -> float: ...


def steered(
    codes: Codes,
    domain: Domain,
    targets: Sequence[Target],
    *,
    rng: np.random.Generator,
    zeros: Iterable[Zero] = (),
    condition: Condition | None = None,
) -> Codes:
    """Return records after changing them so that the proportion of each condition is within half a record of
    its target.

    If this is impossible because targets contradict each other or because of structural zeros, each
    proportion is as close to its target as the search could get. Shapes: int64[rows, len(domain)], none in a
    forbidden cell, before and after. Deterministic given `rng`.
    """
    records = _Records(codes, domain, targets, [z for z in zeros if z.forbidden.any()], condition)
    gaps = records.gaps()
    stuck: set[int] = set()
    while open_ := [s for s in np.flatnonzero(gaps).tolist() if s not in stuck]:
        for s in open_:
            if not any(records.improve(s, gaps, swap=swap, rng=rng) for swap in (True, False)):
                stuck.add(s)
            else:
                stuck.clear()  # these changes may allow changes for the other targets
            gaps = records.gaps()
    return records.codes()


@dataclass(frozen=True, eq=False, kw_only=True)
class _Changes:
    """Candidate changes of one or two records each.

    Shapes: `rows` int[changes, 1 or 2], where no record is in two changes. `after[i]`: the new codes of
    column i.
    """

    rows: NDArray[np.intp]
    after: dict[int, Codes]

    def only(self, chosen: NDArray[np.intp]) -> _Changes:
        return _Changes(rows=self.rows[chosen], after={i: new[chosen] for i, new in self.after.items()})


class _PairTable:
    """Current and initial counts of a pair of columns. The cell of the codes a and b has the number a * size
    + b.
    """

    def __init__(self, first: Codes, second: Codes, sizes: tuple[int, int]) -> None:
        self._width = sizes[1]
        self._before = np.bincount(self.cells(first, second), minlength=sizes[0] * sizes[1]).astype(float)
        self._weight = 1 / (self._before + 1)
        self._counts = self._before.copy()

    def cells(self, first: Codes, second: Codes) -> Codes:
        return np.asarray(first * self._width + second)

    def cost(self, left: Codes, entered: Codes) -> NDArray[np.float64]:
        """Return the cost of moving a record from one cell to another, or 0 if both cells are the same."""
        slope = 2 * self._weight * (self._counts - self._before)
        cost = (self._weight - slope)[left] + (self._weight + slope)[entered]
        return np.asarray(np.where(left == entered, 0.0, cost))

    def move(self, left: Codes, entered: Codes) -> None:
        np.subtract.at(self._counts, left.ravel(), 1)
        np.add.at(self._counts, entered.ravel(), 1)


class _Records:
    """Records during the search: their codes, the conditions that they meet, and the pair tables."""

    def __init__(
        self,
        codes: Codes,
        domain: Domain,
        targets: Sequence[Target],
        zeros: Sequence[Zero],
        condition: Condition | None,
    ) -> None:
        self._condition = condition
        self._codes, self._sizes = codes.copy(), domain.sizes
        self._masks = [{domain.axis(name): mask for name, mask in t.masks.items()} for t in targets]
        self._wanted = np.array([round(t.wanted * len(codes)) for t in targets], dtype=np.int64)
        self._failing = [self._failures(s, np.arange(len(codes)), {}) for s in range(len(targets))]
        self._zeros = [(domain.axes(z.clique), z.forbidden) for z in zeros]
        moving = sorted({i for masks in self._masks for i in masks})
        pairs = {(min(i, j), max(i, j)) for i in moving for j in range(len(domain)) if i != j}
        self._tables = {
            (a, b): _PairTable(codes[:, a], codes[:, b], (domain.sizes[a], domain.sizes[b]))
            for a, b in sorted(pairs)
            if domain.sizes[a] * domain.sizes[b] <= MOST_CELLS
        }

    def codes(self) -> Codes:
        return self._codes

    def gaps(self) -> NDArray[np.int64]:
        """Return the number of additional records that must meet each condition."""
        meeting = np.array([int((failing == 0).sum()) for failing in self._failing], dtype=np.int64)
        return np.asarray(self._wanted - meeting)

    def improve(self, s: int, gaps: NDArray[np.int64], *, swap: bool, rng: np.random.Generator) -> bool:
        """Make one batch of changes that move proportion s towards its target. Return False if no such change
        was found.
        """
        size = max(int(BATCH * abs(gaps[s])), min(SMALLEST_BATCH, abs(int(gaps[s]))))
        drawn = min(max(CANDIDATES, PER_CHANGE * size), MOST_CANDIDATES)
        for _ in range(TRIES):
            draw = self._swaps if swap else self._rewrites
            changes = draw(s, int(np.sign(gaps[s])), drawn, rng)
            if changes is None:
                continue
            effects = self._effects(changes)
            helps = np.flatnonzero(self._helps(effects, s, gaps) & self._allowed(changes))
            if helps.size:
                some = changes.only(helps)
                order = np.argsort(self._cost(some), kind="stable")[:size]
                reached = np.cumsum(effects[:, helps[order]], axis=1)
                fits = (np.abs(reached) <= np.abs(gaps)[:, None]).all(axis=0)
                kept = order[: len(order) if fits.all() else int(np.argmin(fits))]
                self._make(some.only(kept))
                return True
        return False

    def _swaps(self, s: int, sign: int, most: int, rng: np.random.Generator) -> _Changes | None:
        """Draw random pairs of records that can swap a column's values. Return None if there are none."""
        i = int(rng.choice(list(self._masks[s])))
        meets, failing = self._masks[s][i][self._codes[:, i]], self._failing[s]
        if sign > 0:
            one, two = np.flatnonzero((failing == 1) & ~meets), np.flatnonzero((failing > 0) & meets)
        else:
            one, two = np.flatnonzero(failing == 0), np.flatnonzero((failing > 1) & ~meets)
        one, two = _drawn(one, most, rng), _drawn(two, most, rng)
        pairs = min(len(one), len(two))
        if not pairs:
            return None
        rows = np.stack([one[:pairs], two[:pairs]], axis=1)
        return _Changes(rows=rows, after={i: self._codes[rows[:, ::-1], i]})

    def _rewrites(self, s: int, sign: int, most: int, rng: np.random.Generator) -> _Changes | None:
        """Return records whose codes could change to approach the target, together with the new codes. Return
        None if there are none.
        """
        masks, failing = self._masks[s], self._failing[s]
        if sign > 0:
            nearest = failing[failing > 0].min(initial=len(masks))
            changing = list(masks)
            rows = _drawn(np.flatnonzero(failing == nearest), most, rng)
        else:
            changing = [int(rng.choice([i for i, mask in masks.items() if not mask.all()]))]
            rows = _drawn(np.flatnonzero(failing == 0), most, rng)
        if not rows.size:
            return None
        after = {}
        for i in changing:
            now = self._codes[rows, i]
            mask = masks[i] if sign > 0 else ~masks[i]
            after[i] = np.where(mask[now], now, self._values(i, mask, len(rows), rng))[:, None]
        return _Changes(rows=rows[:, None], after=after)

    def _values(self, i: int, mask: Marks, many: int, rng: np.random.Generator) -> Codes:
        """Draw marked codes of a column with their frequencies in the records. If no record has a marked
        code, draw uniformly.
        """
        held = np.where(mask, np.bincount(self._codes[:, i], minlength=len(mask)), 0)
        held = held if held.any() else mask.astype(np.int64)
        return rng.choice(len(mask), size=many, p=held / held.sum())

    def _failures(self, s: int, rows: NDArray[np.intp], after: Mapping[int, Codes]) -> NDArray[np.int8]:
        """Return the number of columns in which each record fails a condition. Shapes: int8, the shape of
        `rows`.
        """
        failures = np.zeros(rows.shape, dtype=np.int8)
        for i, mask in self._masks[s].items():
            failures += ~mask[after[i] if i in after else self._codes[rows, i]]
        return failures

    def _effects(self, changes: _Changes) -> NDArray[np.int64]:
        """Return the number of additional records that meet each condition after each change. Shapes:
        int64[shares, changes].
        """
        effects = np.zeros((len(self._masks), len(changes.rows)), dtype=np.int64)
        for s, masks in enumerate(self._masks):
            if masks.keys() & changes.after.keys():
                after = self._failures(s, changes.rows, changes.after) == 0
                effects[s] = after.sum(axis=1) - (self._failing[s][changes.rows] == 0).sum(axis=1)
        return effects

    def _helps(self, effects: NDArray[np.int64], s: int, gaps: NDArray[np.int64]) -> Marks:
        """Return whether each change moves proportion s towards its target, and no other proportion away from
        or past its target.

        Shapes: bool[changes].
        """
        towards = effects * np.sign(gaps)[:, None]
        harmless = (effects == 0) | ((towards > 0) & (towards <= np.abs(gaps)[:, None]))
        return np.asarray(harmless.all(axis=0) & (towards[s] > 0))

    def _allowed(self, changes: _Changes) -> Marks:
        """Return whether each change keeps its records out of forbidden cells, and keeps the condition.

        Shapes: bool[changes].
        """
        allowed = np.ones(len(changes.rows), dtype=np.bool_)
        for axes, forbidden in self._zeros:
            if changes.after.keys() & set(axes):
                cell = tuple(self._now_or(changes, i) for i in axes)
                allowed &= ~forbidden[cell].any(axis=1)
        if self._condition is not None and changes.after.keys() & set(self._condition.columns):
            records = self._codes[changes.rows]
            for i, new in changes.after.items():
                records[..., i] = new
            fits = self._condition.holds(records.reshape(-1, records.shape[-1]))
            allowed &= fits.reshape(changes.rows.shape).all(axis=1)
        return allowed

    def _now_or(self, changes: _Changes, i: int) -> Codes:
        """Return the codes of a column after the changes. Shapes: the shape of `changes.rows`."""
        return changes.after[i] if i in changes.after else self._codes[changes.rows, i]

    def _moves(self, changes: _Changes) -> Iterable[tuple[_PairTable, Codes, Codes]]:
        """Yield every table that the changes affect, with the cells that records leave and enter."""
        for (a, b), table in self._tables.items():
            if a in changes.after or b in changes.after:
                left = table.cells(self._codes[changes.rows, a], self._codes[changes.rows, b])
                yield table, left, table.cells(self._now_or(changes, a), self._now_or(changes, b))

    def _cost(self, changes: _Changes) -> NDArray[np.float64]:
        """Return the summed cost of each change over all pair tables. Shapes: float64[changes]."""
        cost = np.zeros(len(changes.rows))
        for table, left, entered in self._moves(changes):
            cost += table.cost(left, entered).sum(axis=1)
        return cost

    def _make(self, changes: _Changes) -> None:
        for table, left, entered in self._moves(changes):
            table.move(left, entered)
        for s, masks in enumerate(self._masks):
            if masks.keys() & changes.after.keys():
                self._failing[s][changes.rows] = self._failures(s, changes.rows, changes.after)
        for i, new in changes.after.items():
            self._codes[changes.rows, i] = new


def _drawn(rows: NDArray[np.intp], most: int, rng: np.random.Generator) -> NDArray[np.intp]:
    """Draw at most `most` of the rows without replacement, in random order."""
    if len(rows) > 2 * most:
        rows = np.unique(rows[rng.integers(len(rows), size=most)])
    return rng.permutation(rows)[:most]

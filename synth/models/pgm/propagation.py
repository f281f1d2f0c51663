"""Belief propagation: compute every clique's table and every factor's marginal from the log-factors.

One sweep is the two-pass sum-product algorithm on a junction tree (Koller and Friedman 2009, chapter 10). It
runs on probabilities instead of logarithms, and every factor and message is divided by its largest entry.
Only the small factors are exponentiated; the tables of the cliques are products. A sweep takes about seven
passes over memory. If a sum underflows, or a factor contains NaN or infinity, the same plan runs again on
logarithms. Impossible cells (log-factor minus infinity) are exactly zero in every table.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from synth.models.pgm.reduction import Table
from synth.models.pgm.schedule import Schedule, offsets
from synth.models.pgm.tree import broadcast_shape

_TINY = 1e-280
"""Sum below which relevant cells may have been lost to underflow if the largest operand is 1."""


class Propagation:
    """The buffers of a plan, and the sweep that fills them.

    After a sweep, `beliefs[c]` contains the table of clique c in the tree's layout, which sums to 1, and
    `log_partition` is the value that `sweep` returned.
    """

    def __init__(self, plan: Schedule) -> None:
        self.plan = plan
        self._starts = np.array(offsets(plan))
        self._lengths = np.diff(self._starts)
        self._linear = _Slots(plan, one=1.0)
        self._log: _Slots | None = None
        tree = plan.tree
        self._possible = [math.prod(tree.shape(tree.separator(c))) for c in range(len(tree.masks))]
        self.beliefs: list[Table] = [self._linear.tables[slot] for slot in plan.beliefs]
        self.log_partition = math.nan
        ends = self._starts[: plan.bundles.measured + 1]
        self._marginals = np.empty(ends[-1])
        self._marginal_of = [self._marginals[a:b] for a, b in pairwise(ends)]
        self._ratio_shapes = [
            broadcast_shape(tree, tree.separator(c), mask) for c, mask in enumerate(tree.masks)
        ]

    @property
    def marginals(self) -> NDArray[np.float64]:
        """The marginals of the measured factors, concatenated."""
        return self.plan.bundles.sum(self._marginals)

    def sweep(self, log_factors: NDArray[np.float64]) -> float:
        """Run one sweep. Shapes: float64[cells of all factors], each in the tree's layout.

        Return the log of the sum over all records of the product of the factors. If no record is possible,
        return minus infinity; the tables are then undefined.
        """
        logarithms = self.plan.bundles.add(log_factors)
        value = self._sweep_linear(logarithms)
        if value is None:
            value = self._sweep_log(logarithms)
            if value > -math.inf:
                self._settle(np.exp)
        self.log_partition = value
        return value

    def learn_support(self, log_factors: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Find the possible cells of the measured factors, given factors that are 0 or minus infinity. Later
        sweeps assume that all other cells are impossible.

        Raises: ValueError if no record is possible.
        """
        if self._sweep_log(self.plan.bundles.add(log_factors)) == -math.inf:
            raise ValueError("the structural zeros contradict each other: they leave no possible record")
        self._possible = [int((table > -math.inf).sum()) for table in self._raw_log]
        self._settle(lambda table, out: np.greater(table, -math.inf, out=out, casting="unsafe"))
        return self.marginals > 0

    def _sweep_linear(self, logarithms: NDArray[np.float64]) -> float | None:
        plan, tree, tables = self.plan, self.plan.tree, self._linear.tables
        weights = self._linear.weights
        value = 0.0
        if len(weights):
            peaks = np.maximum.reduceat(logarithms, self._starts[:-1])
            if not np.isfinite(peaks).all():
                return None
            np.subtract(logarithms, np.repeat(peaks, self._lengths), out=weights)
            np.exp(weights, out=weights)
            value = float(peaks.sum())
        raw: list[Table] = [tables[plan.one]] * len(tree.masks)
        for c in reversed(tree.order):
            for left, right, out in self._linear.products[c]:
                np.multiply(left, right, out=out)
            if c == tree.order[0]:
                continue
            raw[c] = plan.upward[c](self.beliefs[c])
            if np.count_nonzero(raw[c] > _TINY) != self._possible[c]:
                return None
            peak = float(raw[c].max())
            np.divide(raw[c], peak, out=tables[plan.message(c)])
            value += math.log(peak)
        root = self.beliefs[tree.order[0]]
        mass = float(plan.upward[tree.order[0]](root))
        if not mass > _TINY:
            return None
        root *= 1 / mass
        separators = self._gather(tree.order[0])
        for c in tree.order[1:]:
            belief = self.beliefs[c]
            belief *= _divide(separators[c], raw[c]).reshape(self._ratio_shapes[c])
            separators.update(self._gather(c))
        return value + math.log(mass)

    def _gather(self, c: int) -> dict[int, Table]:
        """Sum a finished clique to the marginals of its factors and to the separators of its children, and
        return the separators.
        """
        plan = self.plan
        belief = plan.beliefs[c]
        done = {belief: self.beliefs[c]}
        for step in plan.downward[c]:
            done[step.target] = step.reduce(done[step.source])
        separators = {}
        for slot, table in done.items():
            if slot < plan.bundles.measured:
                self._marginal_of[slot][:] = table.reshape(-1)
            elif len(plan.bundles.masks) <= slot < plan.one:
                separators[slot - len(plan.bundles.masks)] = table
        return separators

    def _sweep_log(self, logarithms: NDArray[np.float64]) -> float:
        """Run both passes on logarithms. `_settle` then converts the log-tables of the cliques."""
        plan, tree = self.plan, self.plan.tree
        if self._log is None:
            self._log = _Slots(plan, one=0.0)
        slots = self._log
        slots.weights[:] = logarithms
        self._raw_log = [slots.tables[plan.one]] * len(tree.masks)
        value = 0.0
        for c in reversed(tree.order):
            for left, right, out in slots.products[c]:
                np.add(left, right, out=out)
            summed = _log_sum(slots.tables[plan.beliefs[c]], self._ratio_shapes[c])
            self._raw_log[c] = summed
            peak = float(summed.max())
            if not peak > -math.inf:
                return peak
            value += peak
            slots.tables[plan.message(c)][...] = (summed - peak).reshape(slots.tables[plan.message(c)].shape)
        for c in tree.order:
            table = slots.tables[plan.beliefs[c]]
            if c == tree.order[0]:
                table -= self._raw_log[c].reshape(self._ratio_shapes[c])
                continue
            parent = slots.tables[plan.beliefs[tree.parents[c]]]
            shape = broadcast_shape(tree, tree.separator(c), tree.masks[tree.parents[c]])
            now, before = _log_sum(parent, shape).reshape(-1), self._raw_log[c].reshape(-1)
            change = np.zeros_like(now)
            np.subtract(now, before, out=change, where=before > -math.inf)
            table += change.reshape(self._ratio_shapes[c])
        return value

    def _settle(self, transform: Callable[..., object]) -> None:
        """Convert the log-tables to the cliques' tables, and these tables to marginals."""
        assert self._log is not None
        for c, slot in enumerate(self.plan.beliefs):
            transform(self._log.tables[slot], out=self.beliefs[c])
        for c in self.plan.tree.order:
            self._gather(c)


class _Slots:
    """The tables of a plan's slots, and its products as aligned views. The bundles are stored in one flat
    vector.
    """

    def __init__(self, plan: Schedule, *, one: float) -> None:
        tree, starts = plan.tree, offsets(plan)
        self.weights = np.empty(starts[-1])
        self.tables: list[Table] = [
            self.weights[starts[s] : starts[s + 1]].reshape(tree.shape(mask))
            if s < len(plan.bundles.masks)
            else np.empty(tree.shape(mask))
            for s, mask in enumerate(plan.slots)
        ]
        self.tables[plan.one][...] = one
        self.products = [
            [tuple(self._aligned(plan, s, p.out) for s in (p.left, p.right, p.out)) for p in merges]
            for merges in plan.products
        ]

    def _aligned(self, plan: Schedule, slot: int, out: int) -> Table:
        return self.tables[slot].reshape(broadcast_shape(plan.tree, plan.slots[slot], plan.slots[out]))


def _divide(now: Table, before: Table) -> Table:
    """Return the elementwise ratio with 0/0 = 0, so that an impossible separator cell remains impossible."""
    if before.ndim == 0:
        return now / before
    ratio = np.zeros(before.shape)
    np.divide(now, before, out=ratio, where=before > 0)
    return ratio


def _log_sum(table: Table, shape: tuple[int, ...]) -> Table:
    """Return the log of the sum of exp over the axes where `shape` is 1. These axes are kept with
    length 1.
    """
    axes = tuple(i for i, (now, then) in enumerate(zip(table.shape, shape, strict=True)) if then == 1 != now)
    if not axes:
        return table.copy()
    peak = table.max(axis=axes, keepdims=True)
    floor = np.where(peak > -math.inf, peak, 0.0)
    summed = np.exp(table - floor).sum(axis=axes, keepdims=True)
    result = np.full(peak.shape, -math.inf)
    np.log(summed, out=result, where=summed > 0)
    return result + floor

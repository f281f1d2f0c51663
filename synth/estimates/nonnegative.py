"""Compute intervals of sums, means and quantiles from all facts and the fact that counts are not negative.

The unknown x >= 0 is the table of a column y and the columns of the conditions. With the facts summed to
these columns, A x = b + noise of known variance, and Q(x) = |W (A x - b)|^2. The interval of a mean contains
all t with

    min {Q(x) : x >= 0, sum_i (v_i - t) x_i = 0 over the records of the question} - min {Q(x) : x >= 0} <= c.

This is Fieller's interval with x >= 0 added (optimisation-based intervals: Rust and Burrus 1972; Stanley,
Patil and Kuusela 2022). It needs no estimable table: bins, conditions that divide a bin, and tables that were
not measured only make it wider. It ends inside the declared range.

The cut c for one degree of freedom covers too rarely if many cells are empty. So it is multiplied by the
ratio of the 95% quantile of the statistic to the usual cut, in releases simulated from the synthetic table
with the cells below their own noise emptied. This is a calibration, not a theorem (the Burrus conjecture is
false), and `bench --preset inference` measures the coverage.

Codes are merged into classes so that the table stays small. Facts that divide a class are summed over the
column. Both only make the interval wider.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, reduce
from math import sqrt

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import nnls

from synth.core.zeros import allowed_cells
from synth.estimates.estimated import Span
from synth.estimates.facts import Fact
from synth.estimates.least_squares import System, deviations

Vector = NDArray[np.float64]
Codes = NDArray[np.int64]

MOST_UNKNOWNS = 240
"""Maximum number of cells of the unknown table."""

VALUES = (80, 40, 20, 10, 5)
"""Numbers of classes of the column y, tried in this order until the table is small enough."""

DRAWS, USUAL, LEVEL = 100, 1.959964**2, 0.95
"""Number of simulated releases, and the usual cut at `LEVEL`."""

STEPS, PRECISE = 30, 0.01
"""Maximum number of steps to find an end of an interval, and its precision relative to the half-width."""

HEAVY = 1e3
"""Weight of a constraint, relative to the largest entry of the equations."""

SURE_OF_TOTAL = 0.1
"""Standard deviation, in rows, with which a public total is an equation."""

MOST_CELLS = 1 << 18
"""Maximum number of cells for which structural zeros are used."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Classes:
    """Classes of the codes of one column.

    `of_code` has the base class of each code. A base class that a condition divides is two classes with the
    same records in every fact; `expand` maps the classes to base classes. `inside` marks the classes of the
    question. Shapes: int64[codes], float64[base, classes], bool[classes].
    """

    of_code: Codes
    expand: Vector
    inside: NDArray[np.bool_]

    @staticmethod
    def of(
        keys: Sequence[NDArray[np.generic]], inner: NDArray[np.bool_], outer: NDArray[np.bool_]
    ) -> Classes:
        """Return the classes of codes with equal keys, of which `inner` are certainly in the question and
        `outer` may be.
        """
        stacked = np.stack([np.asarray(key, dtype=np.int64) for key in (*keys, inner, outer)])
        _, first, of_code = np.unique(stacked, axis=1, return_index=True, return_inverse=True)
        order = np.argsort(np.argsort(first))
        of_code, first = order[of_code.ravel()], np.sort(first)
        divided = np.flatnonzero(outer[first] & ~inner[first])
        expand = np.concatenate([np.eye(len(first)), np.eye(len(first))[:, divided]], axis=1)
        inside = np.concatenate([inner[first], np.ones(len(divided), dtype=np.bool_)])
        return Classes(of_code=of_code, expand=expand, inside=inside)

    def ends(self, low: Vector, high: Vector, has: Vector) -> tuple[Vector, Vector]:
        """Return the smallest and the largest value of each class, and 0 for classes without values."""
        found = []
        for values, how, empty in ((low, np.minimum, np.inf), (high, np.maximum, -np.inf)):
            ends = np.full(len(self.expand), empty)
            how.at(ends, self.of_code, np.where(has > 0, values, empty))
            found.append(np.where(np.isfinite(ends), ends, 0.0) @ self.expand)
        return found[0], found[1]


def classes_of(
    system: System,
    marks: Mapping[str, tuple[NDArray[np.bool_], NDArray[np.bool_]]],
    column: str | None,
) -> dict[str, Classes] | None:
    """Return the classes of each column of the system, or None if they have too many cells.

    `marks` has the codes of each column that certainly and possibly satisfy the question. `column` is the
    column whose values are summed or averaged.
    """
    whole = [f for f in system.facts if {*system.columns} <= {*f.clique} and not f.is_interaction]
    for most in VALUES:
        found = {}
        for name, size in zip(system.columns, system.domain.shape(system.columns), strict=True):
            inner, outer = marks.get(name, (np.ones(size, dtype=np.bool_),) * 2)
            keys = [f.groups[name] for f in whole if _divides(f.groups[name], inner, outer)]
            if name == column:
                keys.append(_values(system, name, size, most))
            found[name] = Classes.of(keys, inner, outer)
        if np.prod([len(c.inside) for c in found.values()]) <= MOST_UNKNOWNS:
            return found
    return None


def _divides(groups: Codes, inner: NDArray[np.bool_], outer: NDArray[np.bool_]) -> bool:
    """Whether a group has codes that satisfy the question differently."""
    marks = inner.astype(np.int64) + outer
    size = int(groups.max()) + 1
    low, high = np.full(size, 2), np.zeros(size, dtype=np.int64)
    np.minimum.at(low, groups, marks)
    np.maximum.at(high, groups, marks)
    return bool((low < high).any())


def _values(system: System, name: str, size: int, most: int) -> Codes:
    """Return groups of codes for the values: the codes, the finest measured groups, or runs of codes."""
    if size <= most:
        return np.arange(size)
    measured = [f.groups[name] for f in system.facts if name in f.clique]
    suited = [g for g in measured if int(g.max()) < most]
    return max(suited, key=lambda g: int(g.max()), default=np.arange(size) * most // size)


@dataclass(frozen=True, eq=False, kw_only=True)
class Profile:
    """The equations of the unknown table, reduced to one row per cell (QR).

    `inside` marks the cells of the question. Shapes: `matrix`
    float64[rows, cells], `right` float64[rows], `design` float64[sums, cells] with unit noise.
    """

    matrix: Vector
    right: Vector
    design: Vector
    inside: NDArray[np.bool_]
    least: float
    _factors: dict[tuple[float, ...], float] = field(default_factory=dict, repr=False)

    @staticmethod
    def of(system: System, classes: Mapping[str, Classes]) -> Profile:
        """Return the equations of all facts of a system, in these classes."""
        rows, right, least = [], [], np.inf
        for fact in system.facts:
            if (found := _equations(fact, system.columns, classes)) is not None:
                rows.append(found[0])
                right.append(found[1])
                least = min(least, fact.variance)
        cells = int(np.prod([len(classes[name].inside) for name in system.columns]))
        if system.total is not None:
            rows.append(np.full((1, cells), 1 / SURE_OF_TOTAL))
            right.append(np.array([system.total / SURE_OF_TOTAL]))
        inside = reduce(np.multiply.outer, [classes[name].inside for name in system.columns])
        design, data = np.concatenate(rows), np.concatenate(right)
        design = design * _possible(system, classes).ravel()
        q, r = np.linalg.qr(design)
        return Profile(matrix=r, right=q.T @ data, design=design, inside=inside.ravel(), least=least)

    @cached_property
    def best(self) -> tuple[Vector, float]:
        """Return the table with the smallest Q, and this Q."""
        return self._fitted(self.matrix, self.right)

    def _fitted(self, matrix: Vector, right: Vector) -> tuple[Vector, float]:
        x, norm = nnls(matrix, right, maxiter=40 * matrix.shape[1])
        return x, norm**2

    def excess(
        self, row: Vector, value: float = 0.0, *, right: Vector | None = None, q: float | None = None
    ) -> float:
        """Return the increase of Q under the constraint <row, x> = value.

        If the fit does not converge, the value is not excluded, so the increase is 0.
        """
        scale = HEAVY * np.abs(self.matrix).max() / max(float(np.abs(row).max()), 1e-300)
        data = self.right if right is None else right
        try:
            _, found = self._fitted(np.vstack([self.matrix, scale * row]), np.append(data, scale * value))
        except RuntimeError:
            return 0.0
        return found - (self.best[1] if q is None else q)

    def excess_of_quantile(self, below: Vector, upto: Vector) -> float:
        """Return the increase of Q under <below, x> <= 0 <= <upto, x>, with one slack each."""
        cells, scale = self.matrix.shape[1], HEAVY * np.abs(self.matrix).max()
        matrix = np.zeros((len(self.matrix) + 2, cells + 2))
        matrix[:-2, :cells] = self.matrix
        matrix[-2, :cells], matrix[-2, cells] = scale * below, scale
        matrix[-1, :cells], matrix[-1, cells + 1] = scale * upto, -scale
        try:
            return self._fitted(matrix, np.append(self.right, (0.0, 0.0)))[1] - self.best[1]
        except RuntimeError:
            return 0.0

    def cut(self, level: float, factor: float) -> float:
        """Return the cut for one degree of freedom, times the calibrated factor."""
        return factor * deviations(level, self.least) ** 2

    def factor(self, rows: Vector, values: Vector) -> float:
        """Return the calibrated factor of the cut for a mean of `values`, at least 1.

        `rows` is the synthetic table, scaled to the number of records. Cells below their own noise are
        emptied, which is the conservative case.
        """
        noise = 1 / np.sqrt(np.maximum((self.design**2).sum(axis=0), 1e-12))
        truth = np.where(rows < noise, 0.0, rows)
        many = float(truth[self.inside].sum())
        if many <= 0:
            return 1.0
        mean = float((truth * values)[self.inside].sum()) / many
        row = np.where(self.inside, values - mean, 0.0)
        if not row.any():
            return 1.0
        q, _ = np.linalg.qr(self.design)
        centre, draw, found = self.design @ truth, np.random.default_rng(0), []
        for _ in range(DRAWS):
            right = q.T @ (centre + draw.standard_normal(len(centre)))
            try:
                least = self._fitted(self.matrix, right)[1]
            except RuntimeError:
                continue
            found.append(self.excess(row, right=right, q=least))
        return max(1.0, float(np.quantile(found, LEVEL)) / USUAL) if found else 1.0

    def mean(self, low: Vector, high: Vector, cut: float) -> Span:
        """Return the interval of the mean. Each end uses the smallest or the largest value of each class."""
        many = float(self.best[0][self.inside].sum())
        ends = []
        for values, end in ((low, float(low[self.inside].min())), (high, float(high[self.inside].max()))):
            near = float((self.best[0] * values)[self.inside].sum()) / many if many > 0 else end
            ends.append(self._reached(values, near, end, cut))
        return ends[0], ends[1]

    def _reached(self, values: Vector, near: float, end: float, cut: float) -> float:
        """Return the value farthest from `near` towards `end` that is not excluded."""

        def excess(t: float) -> float:
            return self.excess(np.where(self.inside, values - t, 0.0))

        if near == end or excess(end + (near - end) * 1e-6) <= cut:
            return end
        return _crossing(excess, near, end, cut)

    def total(self, values: Vector, cut: float, *, sign: float, most: float) -> float:
        """Return an end of the interval of the sum of `values`: the upper one if `sign` is positive."""
        row = np.where(self.inside, values, 0.0)
        near = float(row @ self.best[0])
        far = near + sign * most
        if not row.any() or self.excess(row, far) <= cut:
            return far
        return _crossing(lambda t: self.excess(row, t), near, far, cut)

    def quantile(self, order: Vector, at: tuple[float, float], cut: float) -> tuple[int, int]:
        """Return the first and the last class that can contain a quantile.

        `order` has the place of the class of each cell, from 0. The first end uses the quantile at[0], the
        last one at[1].
        """
        places = np.unique(order[self.inside])
        sums = np.array([float(self.best[0][self.inside & (order <= p)].sum()) for p in places])
        middle = int(np.argmax(sums >= 0.5 * sum(at) * sums[-1]))
        ends = []
        for p, way in zip(at, (-1, 1), strict=True):
            place = middle
            while 0 <= place + way < len(places) and self._holds(order, places[place + way], p) <= cut:
                place += way
            ends.append(int(places[place]))
        return ends[0], ends[1]

    def _holds(self, order: Vector, place: float, p: float) -> float:
        below = np.where(self.inside, (order < place) - p, 0.0)
        return self.excess_of_quantile(below, np.where(self.inside, (order <= place) - p, 0.0))


def _crossing(excess: Callable[[float], float], near: float, far: float, cut: float) -> float:
    """Return the value between `near` and `far` at which the increase of Q reaches the cut.

    The root of the increase is almost linear, so the Illinois form of false position needs few steps. The
    result is at most `PRECISE` of the cut's root too near, or it is too far.
    """
    goal = sqrt(cut)
    low, high = sqrt(max(excess(near), 0.0)) - goal, sqrt(max(excess(far), 0.0)) - goal
    side = 0
    for _ in range(STEPS):
        if high - low <= 0 or near == far:
            break
        middle = far - high * (far - near) / (high - low)
        found = sqrt(max(excess(middle), 0.0)) - goal
        if abs(found) <= PRECISE * goal:
            return middle
        if found < 0:
            near, low, high, side = middle, found, high / 2 if side < 0 else high, -1
        else:
            far, high, low, side = middle, found, low / 2 if side > 0 else low, 1
    return far


def _possible(system: System, classes: Mapping[str, Classes]) -> Vector:
    """Return 1 for cells that can contain a record, and 0 for others."""
    if not system.zeros or system.domain.size(system.columns) > MOST_CELLS:
        return np.ones([len(classes[name].inside) for name in system.columns])
    found = allowed_cells(system.domain, system.columns, system.zeros).astype(np.float64)
    return np.minimum(table_in(classes, system.columns, found), 1.0)


def table_in(classes: Mapping[str, Classes], columns: Sequence[str], table: Vector) -> Vector:
    """Sum a table of codes to classes. A divided base class is in both of its classes."""
    for axis, name in enumerate(columns):
        one = classes[name]
        sums = np.zeros((len(one.expand), len(one.of_code)))
        sums[one.of_code, np.arange(len(one.of_code))] = 1.0
        table = np.moveaxis(np.tensordot(one.expand.T @ sums, table, axes=(1, axis)), 0, axis)
    return np.asarray(table)


def _equations(
    fact: Fact, columns: Sequence[str], classes: Mapping[str, Classes]
) -> tuple[Vector, Vector] | None:
    """Return the rows of the design and the right side of a fact, both with unit noise.

    The result is None if the fact measures nothing about these columns, because the sums of an interaction
    are zero.
    """
    design, counts, places = np.ones((1, 1)), fact.counts, list(fact.clique)
    if fact.is_interaction and not {*places} <= {*columns}:
        return None
    for name in [n for n in places if n not in columns]:
        axis = places.index(name)
        counts = counts.sum(axis=axis) / np.sqrt(counts.shape[axis])
        design = design / np.sqrt(fact.counts.shape[fact.clique.index(name)])
        places.remove(name)
    counts = np.transpose(counts, [places.index(name) for name in columns if name in places])
    axis = 0
    for name in columns:
        if name not in places:
            design = np.asarray(np.kron(design, np.ones((1, len(classes[name].inside)))))
            continue
        summed, part = _axis(fact, name, classes[name])
        counts = np.moveaxis(np.tensordot(summed, counts, axes=(1, axis)), 0, axis)
        design = np.asarray(np.kron(design, part @ classes[name].expand))
        axis += 1
    sd = float(np.sqrt(fact.variance))
    return design / sd, counts.ravel() / sd


def _axis(fact: Fact, name: str, classes: Classes) -> tuple[Vector, Vector]:
    """Return the matrices that map the groups of a fact, and the base classes, to sums with unit noise."""
    groups, base = fact.groups[name], classes.of_code
    size, wide = int(groups.max()) + 1, int(base.max()) + 1
    meet = np.zeros((size, wide))
    meet[groups, base] = 1.0
    if fact.is_interaction:
        if size < len(groups):
            return np.ones((1, size)) / np.sqrt(size), np.zeros((1, wide))
        sums = meet.T - meet.sum(axis=0)[:, None] / size  # centred codes, summed to classes
        values, vectors = np.linalg.eigh(sums @ sums.T)
        kept = values > 1e-9
        white = vectors[:, kept].T / np.sqrt(values[kept])[:, None]
        return white @ meet.T, white @ (np.eye(wide) - meet.sum(axis=0)[:, None] / size)
    if (meet.sum(axis=1) == 1).all():  # the groups refine the classes
        each = 1 / np.sqrt(meet.sum(axis=0))
        return meet.T * each[:, None], np.diag(each)
    if (meet.sum(axis=0) == 1).all():  # the classes refine the groups
        return np.eye(size), meet
    return np.ones((1, size)) / np.sqrt(size), np.ones((1, wide)) / np.sqrt(size)

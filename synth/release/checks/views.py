"""Compute bounds for marginals in the codes of the domain or in measured groups of codes.

A bound on a table of groups implies a bound on the table of codes (`View.fine`). A cell whose groups are all
single codes is the same in both tables. In any other cell, with true count M and released count M^, the two
counts may be distributed over the codes in the worst possible way. Then their distance is at most M + M^ <=
|M - M^| + 2 M^. Hence

    ||M_r(D) - M_r(Dhat)||_1 <= ||coarse M_r(D) - coarse M_r(Dhat)||_1 + 2 (released rows in merged cells).

This bound is useful if merged values are rare, which is the case if only rare values are merged. It is
useless if a column is divided into a few ranges of neighbouring values.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from synth.core.domain import Clique, Domain
from synth.core.measurements.noisy import Measurement
from synth.core.model import Projectable
from synth.core.table import in_groups
from synth.estimates.concentration import (
    LARGEST_SIGN_TABLE,
    euclidean_radius,
    l1_radius,
    sign_radius,
)
from synth.estimates.effects import Pool

NO_GROUPS: Mapping[str, tuple[int, ...]] = {}


class Released:
    """The counts of the released table, scaled to the total."""

    def __init__(self, synthetic: Projectable, total: float) -> None:
        self._synthetic, self.total = synthetic, max(float(total), 1.0)

    def counts(
        self, clique: Clique, groups: Mapping[str, tuple[int, ...]] = NO_GROUPS
    ) -> NDArray[np.float64]:
        """Return the counts of a clique in the codes of the domain or in groups of codes. Shapes:
        float64[shape(clique)].
        """
        table = in_groups(self._synthetic, clique, groups)
        rows = float(table.sum())
        return table * (self.total / rows) if rows > 0 else np.asarray(table, dtype=np.float64)


class View:
    """A domain in certain codes, with the measurements made in exactly these codes and the released table."""

    def __init__(
        self,
        domain: Domain,
        measurements: Sequence[Measurement],
        released: Released,
        groups: Mapping[str, tuple[int, ...]],
    ) -> None:
        named = zip(domain.names, domain.sizes, strict=True)
        sizes = [max(groups[n]) + 1 if n in groups else s for n, s in named]
        self.domain = Domain(domain.names, tuple(sizes))
        self.groups, self._released = dict(groups), released
        own = [m for m in measurements if m.groups == self._within(m.clique)]
        self.pool = Pool(self.domain, [replace(m, groups={}) for m in own])

    @property
    def total(self) -> float:
        return self._released.total

    def counts(self, clique: Clique) -> NDArray[np.float64]:
        """Return the counts of the released table in the codes of this view. Shapes:
        float64[shape(clique)].
        """
        return self._released.counts(clique, self.groups)

    def measured(self, cliques: Sequence[Clique], *, beta: float) -> list[float]:
        """Return bounds on ||M_r(D) - M_r(Dhat)||_1 in these codes, for cliques inside measured cliques."""
        averages = [self.pool.average(r) for r in cliques]
        cells = np.array([self.domain.size(r) for r in cliques], dtype=np.int64)
        radii = l1_radius(cells, np.array([a.variance for a in averages]), beta=beta)
        bounds = []
        for clique, average, radius in zip(cliques, averages, radii, strict=True):
            centre, reach = average.counts, float(radius)
            if self.pool.is_joined(clique):
                centre, reach = self.pool.estimate(clique), self._joined_radius(clique, beta)
            elif self.domain.size(clique) <= LARGEST_SIGN_TABLE:
                better = self._sign_radius(clique, beta)
                if better < reach:
                    centre, reach = self.pool.estimate(clique), better
            below = float(np.minimum(centre, 0.0).sum())
            l1 = float(np.abs(np.maximum(centre, 0.0) - self.counts(clique)).sum())
            bounds.append(l1 + max(reach + below, 0.0))
        return bounds

    def _joined_radius(self, clique: Clique, beta: float) -> float:
        """Return the radius for a table whose cells depend on each other.

        The radius is computed from sign patterns if the table has few cells, and otherwise from the sum of
        squares.
        """
        cells = self.domain.size(clique)
        if cells <= LARGEST_SIGN_TABLE:
            return self._sign_radius(clique, beta)
        squares = cells * self.pool.cell_variance(clique)
        radius = euclidean_radius(cells, squares, self.pool.largest_eigenvalue(clique), beta=beta)
        return self.pool.rounded(clique) + radius

    def _sign_radius(self, clique: Clique, beta: float) -> float:
        """Return the radius for a small table from sign patterns, by least squares."""
        return self.pool.rounded(clique) + sign_radius(self.pool.covariance(clique), beta=beta)

    def merges(self, clique: Clique) -> bool:
        """Whether a code of this view groups several codes of a column."""
        return any(max(np.bincount(group_of)) > 1 for group_of in self._within(clique).values())

    def tells(self, clique: Clique) -> bool:
        """Whether a table in these codes shows how its columns are related.

        If all values of one column are in the same group, the table only describes the other columns.
        """
        within = self._within(clique)
        return len(clique) < 2 or not any(len(g) > 1 and max(g) == 0 for g in within.values())

    def fine(self, clique: Clique, l1: float) -> float:
        """Return a bound on the table in the codes of the domain, derived from a bound in the codes of this
        view.
        """
        if not self._within(clique):
            return l1
        alone = np.ones(self.domain.shape(clique), dtype=np.bool_)
        for axis, name in enumerate(clique):
            if name in self.groups:
                single = np.bincount(self.groups[name]) == 1
                alone &= single.reshape([-1 if i == axis else 1 for i in range(alone.ndim)])
        return l1 + 2.0 * float(self.counts(clique)[~alone].sum())

    def _within(self, clique: Clique) -> dict[str, tuple[int, ...]]:
        return {name: self.groups[name] for name in clique if name in self.groups}


class Views:
    """The views of a run: one for each set of codes that was used in a measurement.

    `all` has the view in the codes of the domain, then the view in the groups in which tables were measured,
    if there are any. If the columns of a table were measured earlier in other codes, for example first in
    groups and then in the codes of the domain, there is a further view for that table.
    """

    def __init__(self, domain: Domain, measurements: Sequence[Measurement], released: Released) -> None:
        self._domain, self._measurements, self._released = domain, measurements, released
        met: list[dict[str, tuple[int, ...] | None]] = []
        for m in measurements:
            if m.groups:
                requested = {name: m.groups.get(name) for name in m.clique}
                for codes in met:
                    if all(codes.get(name, own) == own for name, own in requested.items()):
                        codes |= requested
                        break
                else:
                    met.append(requested)
        self.fine = View(domain, measurements, released, {})
        groups = ({name: own for name, own in codes.items() if own is not None} for codes in met)
        self.all = (self.fine, *(View(domain, measurements, released, some) for some in groups))

    def of(self, groups: Mapping[str, tuple[int, ...]]) -> View:
        """Return the view for certain groups."""
        known = (view for view in self.all if view.groups == groups)
        return next(known, None) or View(self._domain, self._measurements, self._released, groups)

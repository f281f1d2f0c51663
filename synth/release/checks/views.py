"""The codes in which something is known of marginals: the domain's own, or groups that were asked in.

What is known of a table of groups says this of the table of codes (`View.fine`): in a cell whose groups are
single codes nothing is lost. In any other cell with true count M and released count M^ the codes may share M
and M^ out in the worst way, so they are at most M + M^ <= |M - M^| + 2 M^ apart. Hence

    ||M_r(D) - M_r(Dhat)||_1 <= ||coarse M_r(D) - coarse M_r(Dhat)||_1 + 2 (released rows in merged cells),

which says something where merged values are rare, as they are where only rare values are merged, and nothing
where a column is cut into a few runs of neighbours.
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
from synth.release.checks.concentration import (
    LARGEST_SIGN_TABLE,
    euclidean_radius,
    l1_radius,
    sign_radius,
)
from synth.release.checks.gls import Pool

NO_GROUPS: Mapping[str, tuple[int, ...]] = {}


class Released:
    """The released table's counts, weighted to the total."""

    def __init__(self, synthetic: Projectable, total: float) -> None:
        self._synthetic, self.total = synthetic, max(float(total), 1.0)

    def counts(
        self, clique: Clique, groups: Mapping[str, tuple[int, ...]] = NO_GROUPS
    ) -> NDArray[np.float64]:
        """Shapes: float64[shape(clique)] in the domain's own codes, or in groups of them."""
        table = in_groups(self._synthetic, clique, groups)
        rows = float(table.sum())
        return table * (self.total / rows) if rows > 0 else np.asarray(table, dtype=np.float64)


class View:
    """A domain in certain codes, the measurements asked in just these, and the released table in them."""

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
        """The released table. Shapes: float64[shape(clique)] in the codes of this view."""
        return self._released.counts(clique, self.groups)

    def measured(self, cliques: Sequence[Clique], *, beta: float) -> list[float]:
        """Bounds on ||M_r(D) - M_r(Dhat)||_1 in these codes, of cliques inside measured ones."""
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
        """Of a table whose cells depend on each other: by signs where they are few, else by their squares."""
        cells = self.domain.size(clique)
        if cells <= LARGEST_SIGN_TABLE:
            return self._sign_radius(clique, beta)
        squares = cells * self.pool.cell_variance(clique)
        radius = euclidean_radius(cells, squares, self.pool.largest_eigenvalue(clique), beta=beta)
        return self.pool.rounded(clique) + radius

    def _sign_radius(self, clique: Clique, beta: float) -> float:
        """Of a small table by least squares."""
        return self.pool.rounded(clique) + sign_radius(self.pool.covariance(clique), beta=beta)

    def merges(self, clique: Clique) -> bool:
        """Whether a code of this view groups several codes of a column."""
        return any(max(np.bincount(group_of)) > 1 for group_of in self._within(clique).values())

    def tells(self, clique: Clique) -> bool:
        """Whether a table in these codes says anything of how its columns go together: of one whose values
        are all in one group it counts the other columns alone."""
        within = self._within(clique)
        return len(clique) < 2 or not any(len(g) > 1 and max(g) == 0 for g in within.values())

    def fine(self, clique: Clique, l1: float) -> float:
        """A bound on the table in the domain's own codes from one on the table in these."""
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
    """The sets of codes that answers came in. `all`: the domain's own codes, then the groups that tables were
    measured in, if there are some. A table whose columns were measured in other codes before, such as one in
    its own where an earlier table had groups, is known in a further view."""

    def __init__(self, domain: Domain, measurements: Sequence[Measurement], released: Released) -> None:
        self._domain, self._measurements, self._released = domain, measurements, released
        met: list[dict[str, tuple[int, ...] | None]] = []
        for m in measurements:
            if m.groups:
                asked = {name: m.groups.get(name) for name in m.clique}
                for codes in met:
                    if all(codes.get(name, own) == own for name, own in asked.items()):
                        codes |= asked
                        break
                else:
                    met.append(asked)
        self.fine = View(domain, measurements, released, {})
        groups = ({name: own for name, own in codes.items() if own is not None} for codes in met)
        self.all = (self.fine, *(View(domain, measurements, released, some) for some in groups))

    def of(self, groups: Mapping[str, tuple[int, ...]]) -> View:
        """The view in certain groups."""
        known = (view for view in self.all if view.groups == groups)
        return next(known, None) or View(self._domain, self._measurements, self._released, groups)

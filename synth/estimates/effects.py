"""Compute best linear estimates of marginals from noisy marginals, in closed form.

Setting: measurement k, of the clique r_k, is y_k = M_{r_k}(D) + Z_k, where each cell of Z_k has the (proxy)
variance sigma_k^2. For a clique t inside some r_k, let y_k|t be y_k summed to t. y_k|t estimates M_t(D) with
variance sigma_k^2 n_{r_k} / n_t per cell, and its cells are independent. The inverse-variance average of AIM
(McKenna et al. 2022, Theorem 1 of section 5) is

    v_t = 1 / sum_k (n_t / (n_{r_k} sigma_k^2)),    m_t = v_t sum_k y_k|t n_t / (n_{r_k} sigma_k^2).

This average does not use measurements of the margins of t. To use these, every table is split into effects:
the effect e_t is m_t centred along each of its axes (the axis means are subtracted). Effects of different t
are uncorrelated, because y_k|s is constant along every axis that is not in s, and centring along that axis
removes it. Least squares therefore separates into one problem per effect, and the minimum-variance unbiased
estimate of any g inside a measured clique is

    mu_g(x) = sum_{t in g} (n_t / n_g) e_t(x_t),
    Cov mu_g(x, x') = sum_{t in g} (n_t / n_g)^2 v_t prod_{i in t} (1[x_i = x'_i] - 1/n_i)

These sums include the empty t, for which e_t is the estimated total. The tests compare the result with dense
least squares. A table that was computed from its interaction and from other measurements of its margins
(`measurements.joined`) is only used for the effect of its own clique.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import prod

import numpy as np
from numpy.typing import NDArray

from synth.core.domain import Clique, Domain, subsets
from synth.core.measurements.interactions import centred
from synth.core.measurements.noisy import Measurement
from synth.estimates.concentration import proxy_of


@dataclass(frozen=True, eq=False)
class Average:
    """An unbiased estimate with independent cells.

    Shapes: `counts: float64[shape(clique)]`. Units: `variance` in counts squared per cell.
    """

    counts: NDArray[np.float64]
    variance: float


class Pool:
    """All measurements of a run, prepared to be combined. Each average and each effect is computed only once.

    Measurements in coarser codes are excluded, because they do not show how the count of a group is
    distributed over its codes.
    """

    def __init__(self, domain: Domain, measurements: Sequence[Measurement]) -> None:
        self._domain = domain
        self._members = [m for m in measurements if not m.groups]
        self._around: dict[str, set[int]] = defaultdict(set)
        for position, m in enumerate(self._members):
            for name in m.clique:
                self._around[name].add(position)
        self._found: dict[Clique, tuple[Measurement, ...]] = {}
        self._averages: dict[Clique, Average] = {}
        self._effects: dict[Clique, NDArray[np.float64]] = {}

    def supports(self, clique: Clique) -> bool:
        """Whether a measured clique contains this clique."""
        return bool(self._containing(clique))

    def is_joined(self, clique: Clique) -> bool:
        """Whether a measurement of this clique is a joined table, whose cells depend on each other."""
        return any(m.joined for m in self._containing(clique))

    def rounded(self, clique: Clique) -> float:
        """Return the largest L1 error of `estimate` that the rounding of joined tables can cause.

        For each joined table, this is half of its number of cells: rounding changes a cell by at most half a
        count, and centring does not increase a sum of squares.
        """
        return sum(self._domain.size(r) / 2 for r in subsets(clique) if self.is_joined(r))

    def average(self, clique: Clique) -> Average:
        """Return m_t and v_t: the precision-weighted average of all measurements that contain the clique."""
        if clique not in self._averages:
            self._averages[clique] = self._averaged(clique)
        return self._averages[clique]

    def effect(self, clique: Clique) -> NDArray[np.float64]:
        """Return e_t, the average centred along each axis. Shapes: float64[shape(clique)]. Units: counts."""
        if clique not in self._effects:
            self._effects[clique] = centred(self.average(clique).counts)
        return self._effects[clique]

    def estimate(self, clique: Clique) -> NDArray[np.float64]:
        """Return mu_g, the least-squares estimate, which may be negative. Shapes: float64[shape(clique)].
        Units: counts.
        """
        size, shape = self._domain.size(clique), self._domain.shape(clique)
        total = np.zeros(shape)
        for part in subsets(clique, smallest=0):
            within = tuple(n if name in part else 1 for name, n in zip(clique, shape, strict=True))
            total += self.effect(part).reshape(within) * (self._domain.size(part) / size)
        return total

    def cell_variance(self, clique: Clique) -> float:
        """Return the (proxy) variance of one cell of `estimate`, which is the same for every cell."""
        return sum(
            weight * prod(1.0 - 1.0 / n for n in self._domain.shape(part))
            for part, weight in self._weights(clique)
        )

    def largest_eigenvalue(self, clique: Clique) -> float:
        """Return the largest eigenvalue of the covariance of `estimate`: max_t v_t n_t / n_g."""
        size = self._domain.size(clique)
        return max(w * size / self._domain.size(part) for part, w in self._weights(clique))

    def covariance(self, clique: Clique) -> NDArray[np.float64]:
        """Return the covariance of the cells of `estimate` in C order, for small tables. Shapes: float64[n,
        n].
        """
        size = self._domain.size(clique)
        total = np.zeros((size, size))
        for part, weight in self._weights(clique):
            term = np.full((1, 1), weight)
            for name, n in zip(clique, self._domain.shape(clique), strict=True):
                term = np.kron(term, np.eye(n) - 1.0 / n if name in part else np.ones((n, n)))
            total += term
        return total

    def _containing(self, clique: Clique) -> tuple[Measurement, ...]:
        """Return the measurements used for this clique, in the order of measurement. Their cliques contain
        it.
        """
        if clique not in self._found:
            positions: Iterable[int] = range(len(self._members))
            if clique:
                positions = sorted(set.intersection(*(self._around[name] for name in clique)))
            members = (self._members[position] for position in positions)
            self._found[clique] = tuple(m for m in members if not m.joined or m.clique == clique)
        return self._found[clique]

    def _averaged(self, clique: Clique) -> Average:
        size = self._domain.size(clique)
        precision, weighted = 0.0, np.zeros(self._domain.shape(clique))
        for m in self._containing(clique):
            away = tuple(i for i, name in enumerate(m.clique) if name not in clique)
            weight = size / (m.counts.size * proxy_of(m))
            precision += weight
            weighted += weight * m.counts.sum(axis=away)
        if precision == 0.0:
            raise ValueError("no measurement contains this clique")
        return Average(weighted / precision, 1.0 / precision)

    def _weights(self, clique: Clique) -> list[tuple[Clique, float]]:
        """Return (t, (n_t / n_g)^2 v_t) for every subset t."""
        size = self._domain.size(clique)
        return [
            (part, (self._domain.size(part) / size) ** 2 * self.average(part).variance)
            for part in subsets(clique, smallest=0)
        ]

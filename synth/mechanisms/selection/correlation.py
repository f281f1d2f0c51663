"""Estimate the dependence of a pair that other measured pairs do not explain (ABSyn's conditional R-score).

Source: Jia et al., ABSyn (TIFS 2024), section V and Algorithm 1. Only noisy measurements are used.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from synth.core.domain import Clique, Domain


def wanted_pairs(domain: Domain, weights: Mapping[Clique, float]) -> dict[Clique, float]:
    """Return the pairs among weighted cliques, with weights scaled to at most 1. Pairs with a single-valued
    column are excluded, because such a column depends on nothing.

    >>> wanted_pairs(Domain(("a", "b", "c"), (2, 2, 1)), {("a",): 1.0, ("a", "b"): 2.0, ("a", "c"): 2.0})
    {('a', 'b'): 1.0}
    """
    pairs = {r: w for r, w in weights.items() if len(r) == 2 and min(domain.shape(r)) > 1}
    return {r: w / max(pairs.values()) for r, w in pairs.items()}


@dataclass(frozen=True, eq=False)
class Correlations:
    """Noisy dependence of pairs of columns.

    Shapes: `counts: float64[pairs]`, ||M_ab - M_a M_b / n||_1 in counts, clipped to the possible range.
    `most: float64[pairs]`, the value of `counts` at complete dependence. `ends: int64[pairs, 2]`, the
    positions of the columns.
    """

    domain: Domain
    pairs: tuple[Clique, ...]
    counts: NDArray[np.float64]
    most: NDArray[np.float64]
    ends: NDArray[np.int64]

    @staticmethod
    def of(
        domain: Domain, pairs: Sequence[Clique], noisy: NDArray[np.float64], *, total: float
    ) -> Correlations:
        """Return the noisy InDif of pairs of columns with at least two values each. For n records and m
        values in the smaller column, InDif is between 0 and 2 n (m - 1) / m (ABSyn, before Eq. 6).
        """
        smaller = np.array([min(domain.shape(pair)) for pair in pairs], dtype=np.float64)
        most = total * 2 * (smaller - 1) / smaller
        ends = np.array([domain.axes(pair) for pair in pairs], dtype=np.int64).reshape(-1, 2)
        return Correlations(domain, tuple(pairs), np.clip(noisy, 0.0, most), most, ends)

    def missing(self, noise: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the CR-score of each pair: the dependence, in counts, that would be missing if only some
        pairs were measured.

        Shapes: `noise: float64[pairs]`, the expected L1 error of each measured pair in counts, or infinity if
        the pair is not measured.

        The model's information about an unmeasured pair is the strongest path of measured pairs between its
        columns, where the strength of a path is the product of the normalised scores (Eq. 6 and 8). The
        missing part is (1 - path) times the score, as in the authors' code. In Eq. 7, it is the score minus
        the path, which would treat a pair as known as soon as some path is as strong as the pair. On a path,
        only the part of a measured score that exceeds its noise counts.
        """
        known = np.maximum(self.counts - noise, 0.0) / self.most
        edges = np.zeros((len(self.domain), len(self.domain)))
        a, b = self.ends.T
        edges[a, b] = edges[b, a] = known
        return np.where(np.isinf(noise), self.counts * (1.0 - strongest_paths(edges)[a, b]), 0.0)


def strongest_paths(edges: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the largest product of edges over all paths, for every pair of nodes.

    This is Algorithm 1 for all sources at once, by the algorithm of Floyd and Warshall with the maximum and
    the product. Shapes: float64[d, d], symmetric, entries in [0, 1].

    >>> strongest_paths(np.array([[0.0, 0.5, 0.1], [0.5, 0.0, 0.8], [0.1, 0.8, 0.0]]))[0, 2]
    np.float64(0.4)
    """
    paths = edges.copy()
    for via in range(len(paths)):
        np.maximum(paths, np.outer(paths[:, via], paths[via]), out=paths)
    return paths

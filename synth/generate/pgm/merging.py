"""What the noisy answers say about each clique, once, in the tree's layout."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from synth.answers import Measurement
from synth.domain import Clique, Domain
from synth.generate.pgm.tree import layout_order
from synth.zeros import Zero


@dataclass(frozen=True, eq=False)
class Estimate:
    """What is thought of a clique after a noisy answer was smoothed or summed: as a measurement, but real.

    Shapes: `counts: float64[shape(clique)]`; `variance` in counts squared, per cell. `ridge` is a factor on
    the penalty of its log-factor: below 1 for a table known to be far from independence.
    """

    clique: Clique
    counts: NDArray[np.float64]
    variance: Fraction
    ridge: float = 1.0


@dataclass(frozen=True, eq=False)
class MergedTable:
    """The merged measurement of one clique. `counts` has its columns in the tree's layout; `sigma` is in
    counts; `ridge` as in `Estimate`, averaged like the counts."""

    clique: Clique
    counts: NDArray[np.float64]
    sigma: float
    ridge: float = 1.0


def in_layout(domain: Domain, clique: Sequence[str]) -> tuple[int, ...]:
    """The axes of a clique's table in the order of the tree's layout: an argument for `transpose`."""
    place = _places(domain)
    return tuple(sorted(range(len(clique)), key=lambda i: place[clique[i]]))


@lru_cache(maxsize=8)
def _places(domain: Domain) -> dict[str, int]:
    return {domain.names[i]: rank for rank, i in enumerate(layout_order(domain))}


def merge(domain: Domain, measurements: Iterable[Measurement | Estimate]) -> list[MergedTable]:
    """One piece of evidence per clique, in the order first measured; repeats are weighted by 1/sigma^2.

    That is exact: the likelihood of several answers about one clique is that of their weighted mean with
    variance 1 / sum(1 / sigma^2). The empty clique tells only the total and is left out.
    """
    sums: dict[Clique, tuple[Fraction, NDArray[np.float64], float]] = {}
    for m in measurements:
        clique = domain.clique(m.clique)
        if m.counts.shape != domain.shape(m.clique):
            raise ValueError("a measurement has another shape than its clique in this domain")
        if m.variance <= 0:
            raise ValueError("a measurement without noise cannot be weighted; its variance must be positive")
        if clique:
            precision = 1 / m.variance
            table = np.transpose(m.counts, in_layout(domain, m.clique)) * float(precision)
            weight, weighted, ridge = sums.get(clique, (Fraction(0), np.zeros(table.shape), 0.0))
            ridge += float(precision) * (m.ridge if isinstance(m, Estimate) else 1.0)
            sums[clique] = (weight + precision, np.add(weighted, table), ridge)
    return [
        MergedTable(clique, weighted / float(weight), math.sqrt(1 / weight), ridge / float(weight))
        for clique, (weight, weighted, ridge) in sums.items()
    ]


def zero_factors(domain: Domain, zeros: Iterable[Zero]) -> dict[Clique, NDArray[np.float64]]:
    """Log-factors in the tree's layout: minus infinity in forbidden cells, 0 elsewhere; one per clique."""
    factors: dict[Clique, NDArray[np.float64]] = {}
    for zero in zeros:
        if zero.forbidden.shape != domain.shape(zero.clique):
            raise ValueError("a structural zero has another shape than its clique in this domain")
        forbidden = np.transpose(zero.forbidden, in_layout(domain, zero.clique))
        table = np.where(forbidden, -np.inf, 0.0)
        clique = domain.clique(zero.clique)
        factors[clique] = np.minimum(factors[clique], table) if clique in factors else table
    return factors

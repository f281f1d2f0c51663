"""Merge the noisy measurements of each clique into one table in the tree's layout."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from synth.core.domain import Clique, Domain
from synth.core.measurements.noisy import Measurement
from synth.core.zeros import Zero
from synth.models.pgm.tree import layout_order


@dataclass(frozen=True, eq=False)
class Estimate:
    """An estimate of a marginal from smoothed or summed measurements. Its counts are real numbers.

    Shapes: `counts: float64[shape(clique)]`. `variance`: the variance of a cell, in counts squared. `ridge`:
    a factor for the penalty of the log-factor, which is below 1 for a table that is known to be far from
    independence.
    """

    clique: Clique
    counts: NDArray[np.float64]
    variance: Fraction
    ridge: float = 1.0


@dataclass(frozen=True, eq=False)
class MergedTable:
    """The merged measurement of a clique. The axes of `counts` are in the order of the tree's layout. `sigma`
    is in counts. `ridge` is as in `Estimate`, averaged like the counts.
    """

    clique: Clique
    counts: NDArray[np.float64]
    sigma: float
    ridge: float = 1.0


def in_layout(domain: Domain, clique: Sequence[str]) -> tuple[int, ...]:
    """Return the axes of a clique's table in the order of the tree's layout, as an argument for
    `transpose`.
    """
    place = _places(domain)
    return tuple(sorted(range(len(clique)), key=lambda i: place[clique[i]]))


@lru_cache(maxsize=8)
def _places(domain: Domain) -> dict[str, int]:
    return {domain.names[i]: rank for rank, i in enumerate(layout_order(domain))}


def merged(tables: Iterable[Measurement | Estimate]) -> list[Estimate]:
    """Return one table for every clique, in the order of the first measurements. Repeated measurements are
    weighted by 1/sigma^2.

    Merging is exact: the likelihood of several measurements of one clique is the likelihood of their weighted
    mean with variance 1 / sum(1 / sigma^2).

    Raises: ValueError for a table without noise.
    """
    sums: dict[Clique, tuple[Fraction, NDArray[np.float64], float]] = {}
    for m in tables:
        if m.variance <= 0:
            raise ValueError("a measurement without noise cannot be weighted; its variance must be positive")
        precision = 1 / m.variance
        weight, weighted, ridge = sums.get(m.clique, (Fraction(0), np.zeros(m.counts.shape), 0.0))
        ridge += float(precision) * (m.ridge if isinstance(m, Estimate) else 1.0)
        sums[m.clique] = (weight + precision, weighted + m.counts * float(precision), ridge)
    return [
        Estimate(clique, weighted / float(weight), 1 / weight, ridge / float(weight))
        for clique, (weight, weighted, ridge) in sums.items()
    ]


def merge(domain: Domain, measurements: Iterable[Measurement | Estimate]) -> list[MergedTable]:
    """Return the merged tables in the tree's layout. The empty clique is omitted, because it only measures
    the total.
    """
    tables = merged(_laid_out(domain, m) for m in measurements)
    return [MergedTable(m.clique, m.counts, math.sqrt(m.variance), m.ridge) for m in tables if m.clique]


def _laid_out(domain: Domain, m: Measurement | Estimate) -> Estimate:
    if m.counts.shape != domain.shape(m.clique):
        raise ValueError("a measurement has another shape than its clique in this domain")
    counts = np.transpose(m.counts, in_layout(domain, m.clique)).astype(np.float64)
    ridge = m.ridge if isinstance(m, Estimate) else 1.0
    return Estimate(domain.clique(m.clique), counts, m.variance, ridge)


def zero_factors(domain: Domain, zeros: Iterable[Zero]) -> dict[Clique, NDArray[np.float64]]:
    """Return one log-factor per clique in the tree's layout: minus infinity in forbidden cells, 0 in other
    cells.
    """
    factors: dict[Clique, NDArray[np.float64]] = {}
    for zero in zeros:
        if zero.forbidden.shape != domain.shape(zero.clique):
            raise ValueError("a structural zero has another shape than its clique in this domain")
        forbidden = np.transpose(zero.forbidden, in_layout(domain, zero.clique))
        table = np.where(forbidden, -np.inf, 0.0)
        clique = domain.clique(zero.clique)
        factors[clique] = np.minimum(factors[clique], table) if clique in factors else table
    return factors

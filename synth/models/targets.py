"""Convert noisy measurements to targets for columns and pairs, in the codes of the measured pairs. Mixtures,
copulas, networks and particles are fitted to these targets by least squares.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from synth.core.domain import Domain
from synth.core.evidence import Evidence
from synth.core.zeros import Zero, allowed_cells
from synth.models.base import Projected
from synth.models.coarse import Coarsening, coarsening_for_relations, onto, summed
from synth.models.estimates.columns import one_ways
from synth.models.pgm import Estimate

Pair = tuple[int, int]
"""Positions of two columns in the domain, the first before the second."""


@dataclass(frozen=True, eq=False)
class NoisyTable:
    """The noisy table of a pair. Shapes: `counts: float64[sizes of the pair]`. `sigma`: the noise of a cell,
    in counts.
    """

    counts: NDArray[np.float64]
    sigma: float


@dataclass(frozen=True, eq=False, kw_only=True)
class Targets:
    """Noisy columns and pairs in the coarser codes of a `Coarsening`.

    `columns[i]`: float64[sizes[i]], non-negative counts that sum to `total`. `sigmas[i]`: the noise of a cell
    in counts, infinite for an unmeasured column. Repeated measurements of a pair are averaged by precision. A
    measurement of more than two columns is summed for each of its pairs. `zeros` and `ordered` are in coarser
    codes.
    """

    coarsening: Coarsening
    total: float
    columns: tuple[NDArray[np.float64], ...]
    sigmas: tuple[float, ...]
    pairs: Mapping[Pair, NoisyTable]
    zeros: tuple[Zero, ...]
    ordered: Mapping[str, int]

    @property
    def domain(self) -> Domain:
        """The domain in coarser codes."""
        return self.coarsening.coarse

    @cached_property
    def firsts(self) -> NDArray[np.intp]:
        """The position of each column's first code in a consecutive numbering of all codes, and finally the
        number of all codes.
        """
        return np.concatenate([[0], np.cumsum(self.domain.sizes)]).astype(np.intp)

    @cached_property
    def shares(self) -> NDArray[np.float64]:
        """The distributions of all columns in this numbering. Shapes: float64[firsts[-1]]."""
        return np.concatenate(self.columns) / self.total

    def span(self, i: int) -> slice:
        """Return the range of a column's codes in the numbering of `firsts`."""
        return slice(int(self.firsts[i]), int(self.firsts[i + 1]))

    @property
    def typical_sigma(self) -> float:
        """The median noise of a measured pair, in counts. It is infinite if no pair was measured."""
        return float(np.median([t.sigma for t in self.pairs.values()])) if self.pairs else math.inf


def targets_of(evidence: Evidence) -> Targets:
    """Return the evidence as columns and pairs. A column is the mean of its smoothed one-way measurements and
    of the margins of all its pairs, weighted by precision.

    Raises: ValueError if a column was measured in two different sets of groups, or if a group contains codes
    that a zero treats differently.
    """
    likely = one_ways(evidence)
    coarsening = coarsening_for_relations(evidence, likely)
    domain = coarsening.coarse
    zeros = coarsening.zeros(evidence.zeros)
    pairs = noisy_pairs(evidence, coarsening)
    columns, sigmas = _columns(domain, [summed(coarsening, e) for e in likely.values()], pairs, zeros)
    return Targets(
        coarsening=coarsening,
        total=evidence.total,
        columns=columns,
        sigmas=sigmas,
        pairs=pairs,
        zeros=zeros,
        ordered=coarsening.ordered(evidence.ordered),
    )


def noisy_pairs(evidence: Evidence, coarsening: Coarsening) -> dict[Pair, NoisyTable]:
    """Return the measured pairs in coarser codes. A measurement of more than two columns is summed for each
    of its pairs.
    """
    domain = coarsening.coarse
    tables = (onto(coarsening, m) for m in evidence.measurements if len(m.clique) > 1)
    sums: dict[Pair, tuple[float, NDArray[np.float64]]] = {}
    for table in tables:
        axes = domain.axes(table.clique)
        for one, other in combinations(range(len(axes)), 2):
            rest = tuple(k for k in range(len(axes)) if k not in (one, other))
            counts = table.counts.sum(axis=rest, dtype=np.float64)
            precision = counts.size / (table.counts.size * float(table.variance))
            if axes[one] > axes[other]:
                counts = counts.T
            pair = min(axes[one], axes[other]), max(axes[one], axes[other])
            weight, weighted = sums.get(pair, (0.0, np.zeros(counts.shape)))
            sums[pair] = weight + precision, weighted + precision * counts
    return {pair: NoisyTable(weighted / weight, weight**-0.5) for pair, (weight, weighted) in sums.items()}


def _columns(
    domain: Domain, own: Iterable[Estimate], pairs: Mapping[Pair, NoisyTable], zeros: tuple[Zero, ...]
) -> tuple[tuple[NDArray[np.float64], ...], tuple[float, ...]]:
    precisions, weighted, totals = [], [], []
    for estimate in own:
        precision = 1 / float(estimate.variance) if estimate.variance else 0.0
        precisions.append(precision)
        weighted.append(precision * estimate.counts if precision else estimate.counts * 1e-12)
        totals.append(float(estimate.counts.sum()))
    for pair, table in pairs.items():
        for axis, i in enumerate(pair):
            margin = table.counts.sum(axis=1 - axis)
            precision = margin.size / (table.counts.size * table.sigma**2)
            weighted[i] = weighted[i] + precision * margin
            precisions[i] += precision
    columns = []
    for name, counts, total in zip(domain.names, weighted, totals, strict=True):
        allowed = allowed_cells(domain, (name,), zeros)
        counts = np.where(allowed, np.maximum(counts, 0.0), 0.0)
        counts = counts if counts.sum() > 0 else allowed.astype(np.float64)
        columns.append(counts * (total / counts.sum()))
    return tuple(columns), tuple(p**-0.5 if p else math.inf for p in precisions)


class OverTargets(Projected):
    """Base class of the models that are fitted to targets."""

    if TYPE_CHECKING:

        @property
        def targets(self) -> Targets: ...

    @property
    def domain(self) -> Domain:
        return self.targets.coarsening.domain

    @property
    def total(self) -> float:
        return self.targets.total

"""Compare tables by noisy measurements that their own models were not fitted to.

This is public post-processing. A model was fitted to the measurements of its run, so its error on these
measurements is too small. Hold-out measurements and the measurements of other runs on the same private table
do not have this bias. Let d be the difference between a table's marginal and the true one. Split d into
effects d_t, as `check.gls` splits a marginal. The effects are orthogonal: the sum of d^2 over the cells of
clique g is sum_{t in g} (n_t / n_g) |d_t|^2. The effect e_t of a measurement has noise of variance v_t in f_t
directions, f_t = prod_{i in t} (n_i - 1). The noise is independent of the table's effect s_t and of the noise
in all other effects, even if one measurement is summed to many marginals. So

    E |s_t - e_t|^2 - f_t v_t  =  |d_t|^2

with variance 2 f_t v_t^2 + 4 v_t |d_t|^2 for Gaussian noise, and variances add over t. The empty t, which is
the number of rows, is excluded: a synthetic table is scaled to the total of the measurements. The result is
the root mean square over all cells of the compared tables, with its noise. Tables are compared on the same
marginals: those for which each table has a measurement that it was not fitted to. v_t is a proxy, which
exceeds the variance of rounded noise by at most 0.8% if sigma is at least 1.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from synth.core.cliques import subsets
from synth.core.domain import Clique
from synth.core.evidence import Evidence
from synth.core.measurements.interactions import centred
from synth.core.table import CodeTable
from synth.release.checks.gls import Pool

SIGMAS = 2.0
"""Two errors are reported as equal if their squares differ by at most this many standard deviations."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Pools:
    """The noisy tables of one run, separated into those its model was fitted to and the hold-out ones. Unit:
    counts.
    """

    fitted: Pool
    held_back: Pool
    total: float

    @staticmethod
    def of(evidence: Evidence) -> Pools:
        """Pool the fitted and the hold-out measurements of a run."""
        return Pools(
            fitted=Pool(evidence.domain, evidence.measurements),
            held_back=Pool(evidence.domain, evidence.held_back),
            total=evidence.total,
        )


@dataclass(frozen=True, eq=False, kw_only=True)
class Contender:
    """A table to compare.

    It has the run whose measurements its model was fitted to, and its records in the codes of every run, by
    run. Several tables can come from one run.
    """

    name: str
    run: str
    tables: Mapping[str, CodeTable]


@dataclass(frozen=True, kw_only=True)
class Missed:
    """The error of a table on marginals that it was not fitted to.

    Units: `square` and `doubt` (one standard deviation of it) in counts squared per cell. `square` can be
    negative if the noise dominates. `marginals` is the number of cliques compared.
    """

    square: float
    doubt: float
    marginals: int

    @property
    def is_lost(self) -> bool:
        """Whether the error cannot be distinguished from noise."""
        return self.square < SIGMAS * self.doubt

    @property
    def counts(self) -> float:
        """Return the typical error of one cell, or a probable upper limit if the error cannot be
        distinguished from noise.
        """
        above = SIGMAS * self.doubt if self.is_lost else 0.0
        return math.sqrt(max(self.square, 0.0) + above)

    def ties(self, other: Missed) -> bool:
        """Whether the difference from another error is within the noise.

        The two errors are treated as independent. If both use the same measurements, they share most of the
        noise, and the test is too conservative.
        """
        return abs(self.square - other.square) <= SIGMAS * math.hypot(self.doubt, other.doubt)


def missed(
    contenders: Sequence[Contender], pools: Mapping[str, Pools], *, columns: int
) -> dict[str, Missed | None]:
    """Return the error of each table over all comparable marginals with this number of columns.

    The result is None if there are no such marginals.
    """
    names = [set(c.tables[run].domain.names) for c in contenders for run in c.tables]
    shared = sorted(set.intersection(*names)) if names else []
    cliques = [
        clique
        for clique in combinations(shared, columns)
        if all(next(_unseen(clique, c, pools), None) is not None for c in contenders)
    ]
    return {c.name: _missed(cliques, c, pools) if cliques else None for c in contenders}


def _unseen(clique: Clique, contender: Contender, pools: Mapping[str, Pools]) -> Iterator[tuple[Pool, str]]:
    """Return every pool that contains the clique and that the model was not fitted to, with its run."""
    for run, known in pools.items():
        for pool in (known.held_back, *(() if run == contender.run else (known.fitted,))):
            if pool.supports(clique):
                yield pool, run


def _missed(cliques: Sequence[Clique], contender: Contender, pools: Mapping[str, Pools]) -> Missed:
    weights: dict[tuple[Pool, str], dict[Clique, float]] = defaultdict(lambda: defaultdict(float))
    cells = 0
    for clique in cliques:
        for pool, run in _unseen(clique, contender, pools):
            domain = contender.tables[run].domain
            in_order = domain.clique(clique)
            cells += domain.size(in_order)
            for part in subsets(in_order):
                weights[pool, run][part] += domain.size(part) / domain.size(in_order)
    square = of_noise = of_both = 0.0
    for (pool, run), parts in weights.items():
        table = contender.tables[run]
        scale = pools[run].total / max(table.rows, 1)
        for part, weight in parts.items():
            freedom = math.prod(n - 1 for n in table.domain.shape(part))
            noise = pool.average(part).variance
            distance = float(np.square(centred(table.project(part)) * scale - pool.effect(part)).sum())
            square += weight * (distance - freedom * noise)
            of_noise += weight**2 * 2.0 * freedom * noise**2
            of_both += weight**2 * 4.0 * noise * (distance - freedom * noise)
    doubt = math.sqrt(of_noise + max(of_both, 0.0))
    return Missed(square=square / cells, doubt=doubt / cells, marginals=len(cliques))

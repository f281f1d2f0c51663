"""Build the queries of the accuracy check of a synthetic table: marginals, ranges and predictions.

The synthetic rows are public once they are drawn, so a query may depend on them. With released counts s_r,
scaled to the total N of the measurements, the private side returns, with noise:

    ||M_r(D) - s_r||_1    for every column and every pair r (`Scores` of an `L1Gap`)
    the mean of these distances over a fixed set of triples, and over pairs if not all pairs were measured
    the mean of |rows of D in a range - released rows in it| over fixed random ranges
    the number of rows whose declared target a classifier of the released rows predicts correctly (`Hits`)

The first query uses a part of the budget (`LIST_SHARES`), and the others use equal parts of the rest. If the
noise of one pair exceeds `MOST_NOISE`, only the mean over pairs is measured. The same applies to columns.
Triples, pairs and ranges are drawn with a fixed seed that does not depend on the table.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from synth.core.accounting import rho_of
from synth.core.domain import Clique, Domain
from synth.core.table import CodeTable
from synth.private.queries import Hits, MeanScore, Query, Scores
from synth.private.scores import L1Gap, RangeGap
from synth.release.verdict.training import trained

LIST_SHARES = (0.0, 0.4, 0.8)
"""Share of the budget of the check for tables that are measured one by one: none, columns, or also pairs.

Single columns get less, because the mean over pairs is then a query of its own.
"""

MOST_NOISE = 0.05
"""Largest standard deviation of an error (TVD) at which single tables are still measured separately."""

MOST_TABLES = 1_830
"""Maximum number of columns and pairs that are measured one by one. It covers a table with 60 columns.

If there are more columns and pairs, a fixed random part of them is measured.
"""

MOST_IN_MEAN = 1_000
"""Maximum number of pairs, triples or ranges in a measured mean."""

MOST_CELLS = 1 << 15
"""Maximum number of cells of a measured table. `MOST_CELLS_TOGETHER` is the limit for all tables of a
mean.
"""

MOST_CELLS_TOGETHER = 1 << 22

INCLUDED = (
    f"The mean of triples covers at most {MOST_IN_MEAN:,} of them. Triples with more than {MOST_CELLS:,} "
    "combinations of values are excluded. "
    "Random ranges: counts of the rows in ranges of up to three columns."
)
"""What the means are about, in words."""

MOST_LISTED = 100_000
"""Maximum number of triples that are listed. It covers a table with 85 columns."""

SEED = 31
"""Seed for drawing triples and ranges. It is fixed, so anyone can rebuild the queries from the released
rows. If it or a limit changes, accuracy checks of earlier packages can no longer be read.
"""

LEAST_RANGE, MOST_RANGE = 0.2, 0.8
"""Smallest and largest proportion of a column's codes in a range."""


@dataclass(frozen=True, eq=False, kw_only=True)
class VerdictQueries:
    """The queries about one released table. The keys of `means` are the names of the averaged quantities.

    `each` is None if single tables are not measured; `widest` is the result of `widest_judged`.
    """

    widest: int
    each: Scores | None
    means: dict[str, MeanScore]
    hits: Hits | None

    def priced(self, units: int) -> list[tuple[Query[Any], float]]:
        """Return the queries with their costs in rho, which add up to at most `units`."""
        others: list[Query[Any]] = [*self.means.values(), *([self.hits] if self.hits else [])]
        first = int(units * LIST_SHARES[self.widest])
        rest = rho_of((units - first) // len(others))
        listed = [(self.each, rho_of(first))] if self.each else []
        return [*listed, *((query, rest) for query in others)]


def widest_judged(columns: int, noise: float) -> int:
    """Return the number of columns of the widest tables that are measured one by one: 2, 1 or 0 (none).

    `noise` is the standard deviation of the error of a single table measured with the whole budget.
    """
    return next((w for w in (2, 1) if noise * noise_factor(columns, w) <= MOST_NOISE), 0)


def noise_factor(columns: int, widest: int) -> float:
    """Return the noise of one of the tables that are measured one by one, relative to a single table measured
    with the whole budget.
    """
    tables = min(columns + math.comb(columns, 2), max(MOST_TABLES, columns)) if widest == 2 else columns
    return math.sqrt(tables / LIST_SHARES[widest])


def queries_about(
    released: CodeTable, total: float, *, target: str | None, widest: int = 2
) -> VerdictQueries:
    """Return the queries about a released table. `total` is the number of rows that the table represents, and
    `widest` is the result of `widest_judged`.
    """
    domain, rng = released.domain, np.random.default_rng(SEED)
    scaled = Scaled(released, total)
    singles: list[Clique] = [(name,) for name in domain.names]
    pairs = _small(combinations(domain.names, 2), domain)
    some = _some(pairs, MOST_TABLES - len(singles), rng)
    listed = [*(singles if widest else []), *(some if widest == 2 else [])]
    triples = _within(_some(_small(_triples(domain.names, rng), domain), MOST_IN_MEAN, rng), domain, rng)
    means = {}
    if not widest:
        means["columns"] = MeanScore(scaled.gap(_some(singles, MOST_IN_MEAN, rng)))
    if pairs and (widest < 2 or len(some) < len(pairs)):
        means["pairs"] = MeanScore(scaled.gap(_within(_some(pairs, MOST_IN_MEAN, rng), domain, rng)))
    if triples:
        means["triples"] = MeanScore(scaled.gap(triples))
    means["ranges"] = MeanScore(scaled.ranges(triples or pairs or singles, rng))
    hits = None
    if target is not None and len(domain) > 1 and domain.size((target,)) > 1:
        classifier, guess = trained(released, target)
        hits = Hits(classifier, guess=guess)
    each = Scores(scaled.gap(listed)) if listed else None
    return VerdictQueries(widest=widest, each=each, means=means, hits=hits)


@dataclass(frozen=True, eq=False)
class Scaled:
    """The counts of a released table, scaled to the total it represents."""

    table: CodeTable
    total: float

    def counts(self, clique: Clique) -> NDArray[np.float64]:
        """Return the scaled marginal. Shapes: float64[shape(clique)]."""
        return self.table.project(clique) * (self.total / max(self.table.rows, 1))

    def gap(self, cliques: Sequence[Clique]) -> L1Gap:
        """Return the score that measures the L1 distance from these marginals."""
        tables = tuple(self.counts(clique) for clique in cliques)
        return L1Gap(tuple(cliques), tables, (1,) * len(tables), (0.0,) * len(tables))

    def ranges(self, cliques: Sequence[Clique], rng: np.random.Generator) -> RangeGap:
        """Return the score for one random range in each of some of the cliques."""
        domain = self.table.domain
        chosen = [cliques[i] for i in rng.integers(len(cliques), size=MOST_IN_MEAN)]
        ranges = tuple(tuple(_range(size, rng) for size in domain.shape(clique)) for clique in chosen)
        inside = [
            float(self.counts(clique)[np.ix_(*one)].sum()) for clique, one in zip(chosen, ranges, strict=True)
        ]
        return RangeGap(tuple(chosen), ranges, np.array(inside))


def _range(size: int, rng: np.random.Generator) -> tuple[int, ...]:
    """Return consecutive codes of a column: at least one code, and not all codes if there are several."""
    length = round(size * rng.uniform(LEAST_RANGE, MOST_RANGE))
    length = min(max(length, 1), max(size - 1, 1))
    start = int(rng.integers(size - length + 1))
    return tuple(range(start, start + length))


def _triples(names: Sequence[str], rng: np.random.Generator) -> Iterator[Clique]:
    """Return all triples of columns, or random triples if listing all of them would take seconds."""
    if math.comb(len(names), 3) <= MOST_LISTED:
        return combinations(names, 3)
    drawn = {tuple(sorted(rng.choice(len(names), 3, replace=False))) for _ in range(4 * MOST_IN_MEAN)}
    return ((names[a], names[b], names[c]) for a, b, c in sorted(drawn))


def _small(cliques: Iterator[Clique], domain: Domain) -> list[Clique]:
    return [clique for clique in cliques if domain.size(clique) <= MOST_CELLS]


def _some(cliques: Sequence[Clique], most: int, rng: np.random.Generator) -> list[Clique]:
    """Return the cliques, or a random part of them if there are more than `most`, in the original order."""
    if len(cliques) <= most:
        return list(cliques)
    return [cliques[i] for i in sorted(rng.choice(len(cliques), size=max(most, 0), replace=False))]


def _within(cliques: Sequence[Clique], domain: Domain, rng: np.random.Generator) -> list[Clique]:
    """Return the cliques, or a random part of them whose tables together have at most `MOST_CELLS_TOGETHER`
    cells, in the original order.
    """
    sizes = np.array([domain.size(clique) for clique in cliques], dtype=np.int64)
    if sizes.sum() <= MOST_CELLS_TOGETHER:
        return list(cliques)
    order = rng.permutation(len(cliques))
    kept = int(np.searchsorted(np.cumsum(sizes[order]), MOST_CELLS_TOGETHER, side="right"))
    return [cliques[i] for i in sorted(order[:kept])]

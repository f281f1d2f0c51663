"""The first pass: measure every column, then score the distance of every pair from independence, or from the
starting table.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from synth.core.domain import Clique
from synth.core.evidence import Start
from synth.core.measurements.chance import by_chance
from synth.core.measurements.noisy import Answer, Measurement, NoisyNumbers, NoisyScores
from synth.core.numbers import number_of
from synth.mechanisms.blend import constants as c
from synth.mechanisms.selection.split import MEAN_ABSOLUTE
from synth.mechanisms.shared.answers import evidence_of
from synth.mechanisms.shared.base import LEAST_LEFT, Problem
from synth.mechanisms.shared.columns_first import (
    LEAST_SIGMAS,
    ask_columns,
    groups_of_at_least,
    independent_pairs,
    measure_columns,
    pairs_of,
)
from synth.models.coarse import Coarsening
from synth.models.estimates.columns import one_ways
from synth.models.estimates.starting import in_groups, starting_pairs
from synth.private.queries import Interaction, Scores
from synth.private.scores import L1Gap
from synth.private.source import Source


@dataclass(frozen=True, eq=False, kw_only=True)
class FirstPass:
    """Noisy measurements of the columns, and noisy distances of the pairs from their expected counts. The
    expected counts are those of independence or of the starting table.

    `weights`: the pairs of the workload. `scores` is empty if there are no pairs. `columns`: likely counts of
    each column. `expected`: float64[groups of the pair], the expected counts. `typical`: the sigma of a pair
    in counts if all pairs have the same cost. `share`: the budget share of the columns. `interactions`:
    whether columns and pairs are measured as interactions. `starts`: whether there is a starting table.
    """

    measured: tuple[Measurement | NoisyNumbers, ...]
    weights: Mapping[Clique, float]
    columns: Mapping[str, NDArray[np.float64]]
    expected: Mapping[Clique, NDArray[np.float64]]
    scores: tuple[NoisyScores, ...]
    total: float
    typical: float
    share: float
    interactions: bool = False
    starts: bool = False

    @property
    def values(self) -> NDArray[np.float64]:
        """Return the noisy scores, shrunk to their mean if there is a starting table, because most pairs then
        have similar scores.
        """
        (scores,) = self.scores
        return scores.likely if self.starts else scores.values

    @property
    def seen(self) -> float:
        """Return the excess of the mean score over the sampling error, in standard deviations of its
        noise.
        """
        (scores,) = self.scores
        chance = float(np.mean([by_chance(table) for table in self.expected.values()]))
        return (float(self.values.mean()) - chance) * math.sqrt(len(self.values)) / scores.sigma

    @property
    def distances(self) -> dict[Clique, float]:
        """Return the distance of each pair from its expected counts, in counts. It includes the sampling
        error.
        """
        return {r: max(v, 0.0) for r, v in zip(self.expected, self.values.tolist(), strict=True)}

    @property
    def departures(self) -> dict[Clique, float]:
        """Return the likely distance of each pair from independence, in counts. With a starting table, it is
        sqrt(e^2 + s^2), where e is the distance of the pair from the starting table, and s is the distance of
        the starting table from independence.
        """
        if not self.starts:
            return self.distances
        return {
            r: math.hypot(distance, float(np.abs(table - _independent(table)).sum()))
            for (r, distance), table in zip(self.distances.items(), self.expected.values(), strict=True)
        }

    @property
    def off(self) -> float:
        """Return the root mean square of all distances from the starting table, in counts. It is infinite if
        there is no starting table.
        """
        return float(np.sqrt(np.mean(np.square([*self.distances.values()])))) if self.starts else math.inf

    def with_columns(self, source: Source, problem: Problem, *, share: float, budget: float) -> FirstPass:
        """Measure every column once more, with this share of the remaining budget, unless it is 0.

        `budget`: the rho before the first query, used for progress messages.
        """
        if share == 0:
            return self
        left = source.left.rho
        fresh = ask_columns(
            source, problem, rho=share * left, done=1 - left / budget, interactions=self.interactions
        )
        measured = (*self.measured, *fresh)
        total = evidence_of(measured, source, problem).total
        return replace(
            self, measured=measured, columns=_likely_columns(measured, source, problem), total=total
        )


def first_pass(
    source: Source,
    problem: Problem,
    *,
    columns_share: float = 0.0,
    looking_share: float = 0.0,
    interactions: bool = False,
) -> FirstPass:
    """Measure every column, and score the distance of every pair from independence or from the starting
    table.

    `columns_share`: the budget share of the columns, or 0 for `selection.split.one_way_share`.
    `looking_share`: the budget share of the scores, or 0 for `likely_scoring`. `interactions`: whether pairs
    will be measured as interactions. Columns then need a larger share, and pairs have less noise. Privacy:
    measurements, and one batch of scores of sensitivity 1.
    """
    domain, weights = source.domain, pairs_of(problem)
    budget, interactions = source.left.rho, interactions and bool(weights)
    most = 1 - (looking_share or c.MOST_SCORING) - LEAST_LEFT
    measured, total, share = measure_columns(
        source,
        problem,
        given=columns_share,
        pairs=bool(weights),
        most=most,
        interactions=interactions,
    )
    columns = _likely_columns(measured, source, problem)
    expected: dict[Clique, NDArray[np.float64]] = {}
    scores: tuple[NoisyScores, ...] = ()
    typical = math.inf
    if weights:
        wanted = looking_share or likely_scoring(domain.sizes, total=total, sigma=source.terms.sigma(budget))
        scoring = budget * max(wanted, c.LEAST_SCORING)
        each = (source.left.rho - scoring) / (c.MEASURED_PAIRS * len(weights))
        typical = source.terms.sigma(each)
        if interactions:
            requested = [Interaction.of(domain, r) for r in weights if min(domain.shape(r)) > 1]
            typical = float(np.mean([query.cell_sigma(each, source.terms) for query in requested]))
        least = max(LEAST_SIGMAS * typical, c.SCORED_GROUP * math.sqrt(total))
        coarse = groups_of_at_least(domain, columns, problem, runs=least, heaps=least)
        if problem.start is None:
            expected = independent_pairs(coarse, columns, tuple(weights), total)
        else:
            expected = _started_pairs(coarse, columns, tuple(weights), total, problem.start)
        fact = f"scoring {number_of(len(weights), 'pair')}"
        problem.tell("score", share, fact)
        scores = source.ask([(Scores(distances_from(expected), groups=coarse.groups), scoring)])
    return FirstPass(
        measured=tuple(measured),
        weights=weights,
        columns=columns,
        expected=expected,
        scores=scores,
        total=total,
        typical=typical,
        share=share,
        interactions=interactions,
        starts=problem.start is not None,
    )


def _independent(table: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.outer(table.sum(axis=1), table.sum(axis=0)) / max(float(table.sum()), 1e-9)


def _started_pairs(
    coarse: Coarsening,
    columns: Mapping[str, NDArray[np.float64]],
    pairs: Sequence[Clique],
    total: float,
    start: Start,
) -> dict[Clique, NDArray[np.float64]]:
    """Return the expected counts of pairs, computed from the noisy columns and the relations of the starting
    table.
    """
    domain = coarse.coarse
    sums = [coarse.sum(columns[name], (name,)) for name in domain.names]
    margins = [counts * (total / counts.sum()) for counts in sums]
    rows, places = in_groups(start.codes, domain, coarse.groups), [domain.axes(r) for r in pairs]
    found = starting_pairs(domain, rows, margins, [(a, b) for a, b in places])
    return {r: found[a, b] for r, (a, b) in zip(pairs, places, strict=True)}


def likely_scoring(sizes: Sequence[int], *, total: float, sigma: float) -> float:
    """Return the budget share with which the scores of the pairs are precise enough.

    `sizes`: codes per column. A typical pair is assumed to have as many cells as the geometric mean of all
    pairs. `sigma`: the noise, in counts, of a query that uses the whole budget.
    """
    pairs = math.comb(len(sizes), 2)
    if not pairs:
        return 0.0
    cells = math.exp(2 * sum(map(math.log, sizes)) / len(sizes))
    error = cells * MEAN_ABSOLUTE * sigma * math.sqrt(c.MEASURED_PAIRS * pairs)
    wanted = pairs * (sigma / min(c.FINE * max(total, 1.0), c.FINE_OF_ERROR * error)) ** 2
    return min(max(wanted, c.LEAST_SCORING), c.MOST_SCORING)


def distances_from(expected: Mapping[Clique, NDArray[np.float64]]) -> L1Gap:
    """Return the score that measures the distance of each table from its expected counts."""
    return L1Gap(
        cliques=tuple(expected),
        estimates=tuple(expected.values()),
        weights=(1,) * len(expected),
        penalties=(0.0,) * len(expected),
    )


def _likely_columns(
    measured: Sequence[Answer], source: Source, problem: Problem
) -> dict[str, NDArray[np.float64]]:
    return {name: e.counts for name, e in one_ways(evidence_of(measured, source, problem)).items()}

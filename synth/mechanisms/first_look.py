"""A look at all pairs at once, after the columns: how far is each from independence?"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from synth.core.domain import Clique
from synth.core.measurements.noisy import Answer, Measurement, NoisyNumbers, NoisyScores
from synth.core.numbers import number_of
from synth.core.progress import Progress
from synth.mechanisms.answers import evidence_of
from synth.mechanisms.base import LEAST_LEFT, Problem
from synth.mechanisms.columns_first import (
    LEAST_SIGMAS,
    groups_of_at_least,
    independent_pairs,
    measure_columns,
    pairs_of,
)
from synth.mechanisms.selection.split import MEAN_ABSOLUTE
from synth.models.columns import one_ways
from synth.private.queries import Interaction, Scores
from synth.private.scores import L1Gap
from synth.private.source import Source

LOOKING, LEAST_LOOK = 0.05, 0.001
"""Most and least of rho for the errors of all pairs: a number per pair is easier to learn than a table."""

FINE, SMALL = 0.003, 0.5
"""Noise of this part of the records, and of the error that measuring a typical pair leaves, is fine enough:
what a look need not pay for is left for the pairs."""

CLEAR = 2.5
"""While looking, groups hold at least this many roots of the number of records: then a pair has so few cells
that chance alone makes it differ from independence by a third of the records at most."""

MEASURED = 0.4
"""The part of all pairs that typically gets measured, for what a typical pair's noise will be."""


@dataclass(frozen=True, eq=False, kw_only=True)
class FirstLook:
    """The answers about columns, and about the distance of every pair from what the columns expect of it.

    `weights`: the pairs of the workload; without one there are no `scores`. `columns`: the likely counts of
    each column's codes. `expected`: float64[groups of the pair], counts under independence. `typical`: sigma
    of a pair at an even price, in counts. `share`: the part of the price that the columns took.
    `interactions`: whether columns were asked as such, and pairs will be.
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


def first_look(
    source: Source,
    problem: Problem,
    *,
    columns_share: float = 0.0,
    looking_share: float = 0.0,
    interactions: bool = False,
) -> FirstLook:
    """Ask for every column (`columns_first.measure_columns`), and how far every pair is from independence.

    `columns_share`: the part of the price for columns, 0 for what `select.split.one_way_share` says;
    `looking_share`: that for the look, at least `LEAST_LOOK`, 0 for `likely_look`. `interactions`: pairs will
    be asked as such, so that columns need more, and a pair's cells have less noise at its price. Privacy:
    measurements, and one batch of scores of sensitivity 1 each.
    """
    domain, weights = source.domain, pairs_of(problem)
    budget, interactions = source.left.rho, interactions and bool(weights)
    most = 1 - (looking_share or LOOKING) - LEAST_LEFT
    measured, total, share = measure_columns(
        source,
        problem,
        given=columns_share,
        pairs=bool(weights),
        most=most,
        interactions=interactions,
    )
    columns = likely_columns(measured, source, problem)
    expected: dict[Clique, NDArray[np.float64]] = {}
    scores: tuple[NoisyScores, ...] = ()
    typical = math.inf
    if weights:
        sigma = source.terms.sigma(budget)
        share_of_look = looking_share or likely_look(domain.sizes, total=total, sigma=sigma)
        looking = budget * max(share_of_look, LEAST_LOOK)
        typical = source.terms.sigma((source.left.rho - looking) / (MEASURED * len(weights)))
        if interactions:
            each = (source.left.rho - looking) / (MEASURED * len(weights))
            asked = [Interaction.of(domain, r) for r in weights if min(domain.shape(r)) > 1]
            typical = float(np.mean([question.cell_sigma(each, source.terms) for question in asked]))
        least = max(LEAST_SIGMAS * typical, CLEAR * math.sqrt(total))
        seen = groups_of_at_least(domain, columns, problem, runs=least, heaps=least)
        expected = independent_pairs(seen, columns, tuple(weights), total)
        problem.report(
            Progress(stage="score", done=share, fact=f"looking at {number_of(len(weights), 'pair')}")
        )
        scores = source.ask([(Scores(gaps_to(expected), groups=seen.groups), looking)])
    return FirstLook(
        measured=tuple(measured),
        weights=weights,
        columns=columns,
        expected=expected,
        scores=scores,
        total=total,
        typical=typical,
        share=share,
        interactions=interactions,
    )


def likely_look(sizes: Sequence[int], *, total: float, sigma: float) -> float:
    """The part of a price for a look at all pairs: what makes it fine, between `LEAST_LOOK` and `LOOKING`.

    `sizes`: codes per column; a typical pair has as many cells as the geometric mean of all. `sigma`: the
    noise in counts that the whole price would buy."""
    pairs = math.comb(len(sizes), 2)
    if not pairs:
        return 0.0
    cells = math.exp(2 * sum(map(math.log, sizes)) / len(sizes))
    error = cells * MEAN_ABSOLUTE * sigma * math.sqrt(MEASURED * pairs)
    wanted = pairs * (sigma / min(FINE * max(total, 1.0), SMALL * error)) ** 2
    return min(max(wanted, LEAST_LOOK), LOOKING)


def likely_columns(
    measured: Sequence[Answer], source: Source, problem: Problem
) -> dict[str, NDArray[np.float64]]:
    """The likely counts of every column by what was measured of it."""
    return {name: e.counts for name, e in one_ways(evidence_of(measured, source, problem)).items()}


def gaps_to(expected: Mapping[Clique, NDArray[np.float64]]) -> L1Gap:
    """How far each table is from its expectation, in counts."""
    return L1Gap(
        cliques=tuple(expected),
        estimates=tuple(expected.values()),
        weights=(1,) * len(expected),
        penalties=(0.0,) * len(expected),
    )

"""A look at all pairs at once, after the columns: how far is each from independence?"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from synth.answers import Measurement, NoisyScores
from synth.domain import Clique
from synth.generate.columns import one_ways
from synth.measure.questions import Scores
from synth.measure.score import L1Gap
from synth.measure.source import Source
from synth.mechanisms.answers import evidence_of
from synth.mechanisms.base import LEAST_LEFT, Problem
from synth.mechanisms.columns_first import (
    LEAST_SIGMAS,
    groups_of_at_least,
    independent_pairs,
    measure_columns,
    pairs_of,
)
from synth.numerals import number_of
from synth.progress import Progress

LOOKING = 0.05
"""Part of rho for the errors of all pairs: a number per pair is far easier to learn than a table."""

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
    """

    measured: tuple[Measurement, ...]
    weights: Mapping[Clique, float]
    columns: Mapping[str, NDArray[np.float64]]
    expected: Mapping[Clique, NDArray[np.float64]]
    scores: tuple[NoisyScores, ...]
    total: float
    typical: float
    share: float


def first_look(
    source: Source, problem: Problem, *, columns_share: float = 0.0, looking_share: float = LOOKING
) -> FirstLook:
    """Ask for every column (`columns_first.measure_columns`), and how far every pair is from independence.

    `columns_share`: the part of the price for columns, 0 for what `select.split.one_way_share` says. Privacy:
    measurements, and one batch of scores of sensitivity 1 each.
    """
    domain, weights = source.domain, pairs_of(problem)
    looking = looking_share * source.left.rho
    most = 1 - looking_share - LEAST_LEFT
    measured, total, share = measure_columns(
        source, problem, given=columns_share, pairs=bool(weights), most=most
    )
    columns = likely_columns(measured, source, problem)
    expected: dict[Clique, NDArray[np.float64]] = {}
    scores: tuple[NoisyScores, ...] = ()
    typical = math.inf
    if weights:
        typical = source.terms.sigma((source.left.rho - looking) / (MEASURED * len(weights)))
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
    )


def likely_columns(
    measured: Sequence[Measurement], source: Source, problem: Problem
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

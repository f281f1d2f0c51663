"""What a look at tables of three columns and more compares: how far is each from what its pairs explain?

Tables are counted in a few codes per column, and held against records of a model of the pairs that were
measured. A table stands out if it is further from these than noise explains and by enough to be worth it;
what records that fall at random explain is taken out before, what the model is likely to be off by in pairs,
and the tables inside it that stand out. Post-processing of noisy answers, public sizes and a noisy number of
records.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from synth.core.axis import Grouping
from synth.core.domain import Clique, Domain
from synth.core.measurements.joined import asks_interaction
from synth.core.measurements.noisy import Answer, Measurement, NoisyNumbers, NoisyScores
from synth.mechanisms.base import Problem
from synth.mechanisms.columns_first import groups_of_at_least
from synth.mechanisms.first_look import FirstLook
from synth.mechanisms.selection.resolution import by_chance, without_sampling
from synth.mechanisms.selection.split import MEAN_ABSOLUTE
from synth.models.coarse import Coarsening
from synth.private.scores import L1Gap

FEW = 4
"""Columns of at most so many codes are looked at in their own."""

LEAST_RUN, LEAST_HEAP = 1 / 4, 1 / 5
"""The part of all records that a run of codes in order, and a code in no order by itself, hold at least."""

THIN = 1 / 200
"""A group that holds a smaller part of the records, which is less than any that halving makes, is looked at
together with another one."""

HALVED = 5
"""How often these parts are halved for a column that nearly all records have one code of."""

CHANCE = 0.01
"""At most so probably does noise make any table stand out."""

WORTHWHILE = 0.25
"""A smaller part of the records, in L1 distance, is not worth what its measuring takes from pairs: on Adult
tables of the income and four others are off by .18 at most, where sums of four columns are by .26."""

SAMPLED = 1 - 2 / math.pi
"""The variance of the absolute value of a standard normal: so much varies a distance by records at random."""


def few_codes(domain: Domain, problem: Problem, look: FirstLook, *, part: float = 1.0) -> Coarsening:
    """The fewest groups, of halving sizes, in which a column still has more than one. `part`: of the sizes
    that they begin with."""
    groupings: dict[str, Grouping] = {}
    for halved in range(HALVED + 1):
        total = part * look.total / 2**halved
        coarse = groups_of_at_least(
            domain, look.columns, problem, runs=LEAST_RUN * total, heaps=LEAST_HEAP * total
        )
        for g in (_without_thin(g, look.columns[g.column]) for g in coarse.groupings):
            if g.size > 1 and domain.size([g.column]) > FEW:
                groupings.setdefault(g.column, g)
    return Coarsening(domain, tuple(groupings.values()))


def _without_thin(g: Grouping, counts: NDArray[np.float64]) -> Grouping:
    """Groups that hold next to nothing, such as missing values where hardly any are, as part of the group
    before: nothing is drawn back from these codes, and every group makes all tables larger. Shapes: `counts`
    float64[codes]."""
    held = np.bincount(g.group_of, weights=np.maximum(counts, 0.0), minlength=g.size)
    places = np.maximum(np.cumsum(held >= THIN * held.sum()) - 1, 0)
    return replace(g, group_of=tuple(places[list(g.group_of)].tolist()))


def sure_sigmas(count: int) -> float:
    """What the largest of so many standard normals exceeds with probability `CHANCE` at most."""
    return NormalDist().inv_cdf(1 - CHANCE / count)


def counted(
    few: Coarsening, total: float, records: NDArray[np.int64], tables: Sequence[Clique]
) -> dict[Clique, NDArray[np.float64]]:
    """Counts of tables in few codes, as the records have them, scaled to `total`. Shapes: `records`
    int64[any, len(domain)]."""
    coarse = records.copy()
    for axis, name in enumerate(few.domain.names):
        if name in few.groups:
            coarse[:, axis] = np.array(few.groups[name])[records[:, axis]]
    expected: dict[Clique, NDArray[np.float64]] = {}
    for r in tables:
        shape = few.coarse.shape(r)
        cells = np.ravel_multi_index(tuple(coarse[:, few.domain.axes(r)].T), shape)
        counts = np.bincount(cells, minlength=math.prod(shape)).reshape(shape)
        expected[r] = counts.astype(np.float64) * (total / len(records))
    return expected


def noise_of(measured: Iterable[Answer]) -> dict[Clique, float]:
    """Of every table, and of every interaction, the root of the noise's variance summed over its cells, in
    counts."""
    noise: dict[Clique, float] = {}
    for answer in measured:
        if isinstance(answer, Measurement):
            noise[answer.clique] = answer.sigma * math.sqrt(answer.counts.size)
        elif isinstance(answer, NoisyNumbers) and asks_interaction(answer):
            noise[tuple(answer.asked["clique"])] = answer.sigma * math.sqrt(answer.values.size)
    return noise


def unsure_pairs(few: Coarsening, look: FirstLook, noise: Mapping[Clique, float]) -> dict[Clique, float]:
    """How far a model is likely to be off in each pair: by its noise in few codes if it was measured, but by
    no more than the pair is from independence, as a pair is that was not. `noise`: of `noise_of`."""
    (first,) = look.scores
    values = zip(look.expected, first.values.tolist(), strict=True)
    known = {r: without_sampling(max(value, 0.0), look.expected[r]) for r, value in values}
    spread = {r: MEAN_ABSOLUTE * root * math.sqrt(few.coarse.size(r)) for r, root in noise.items()}
    return {r: min(distance, spread.get(r, math.inf)) for r, distance in known.items()}


def standing_out(
    scores: NoisyScores,
    *,
    total: float,
    records: float,
    unsure: Mapping[Clique, float],
) -> dict[Clique, float]:
    """The tables that are further from what was expected of them than those inside them that stand out, with
    the distance that neither pairs nor these explain, in counts: those of fewer columns first, and of these
    the furthest. What was expected stands in `scores`, which say it of a run that goes on as well. `records`:
    how many the expectation is of, which scatter too. `unsure`: what a model of pairs is off by in each of
    them, which is taken out in squares."""
    assert isinstance(scores.score, L1Gap)
    expected = dict(zip(scores.score.cliques, scores.score.estimates, strict=True))
    noise, sampled = math.sqrt(scores.sigma**2 + SAMPLED * total), math.sqrt(1 + total / records)
    least, sure = WORTHWHILE * total, sure_sigmas(len(expected)) * noise
    values = dict(zip(expected, scores.values.tolist(), strict=True))
    far, explained = dict[Clique, float](), dict[Clique, float]()
    for r, value in values.items():
        explained[r] = (sampled * by_chance(expected[r])) ** 2
        explained[r] += sum(unsure[pair] ** 2 for pair in combinations(r, 2))
        far[r] = math.sqrt(max(value**2 - explained[r], 0.0))
    standing: dict[Clique, float] = {}
    for width in sorted({len(r) for r in expected}):
        more: dict[Clique, float] = {}
        for r in (r for r in expected if len(r) == width):
            inside = max((far[s] for s in standing if set(s) < set(r)), default=0.0)
            excess = math.sqrt(max(far[r] ** 2 - inside**2, 0.0))
            above = values[r] - math.sqrt(explained[r] + inside**2)
            if excess > least and above > sure * (math.sqrt(2) if inside else 1):
                more[r] = excess
        standing |= {r: more[r] for r in sorted(more, key=more.__getitem__, reverse=True)}
    return standing

"""Find scored tables whose distance from a model cannot be explained by noise or by their pairs.

Tables are counted in a few codes per column and compared with records of a model of the measured pairs. Three
parts are subtracted from the squared distance of each table: the sampling error, the likely error of the
model in its pairs, and the largest excess of a smaller table inside it. This is post-processing of noisy
scores, public sizes and a noisy number of records.
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
from synth.core.measurements.chance import by_chance
from synth.core.measurements.joined import asks_interaction
from synth.core.measurements.noisy import Answer, Measurement, NoisyNumbers, NoisyScores
from synth.core.table import CodeTable
from synth.mechanisms.blend import constants as c
from synth.mechanisms.blend.first_pass import FirstPass
from synth.mechanisms.selection.resolution import without_sampling
from synth.mechanisms.selection.split import MEAN_ABSOLUTE
from synth.mechanisms.shared.base import Problem
from synth.mechanisms.shared.columns_first import groups_of_at_least
from synth.models.coarse import Coarsening
from synth.private.scores import L1Gap

SAMPLED = 1 - 2 / math.pi
"""Sampling variance of a distance, per record: the variance of |Z| for a standard normal variable Z."""


def few_codes(domain: Domain, problem: Problem, first: FirstPass, *, part: float = 1.0) -> Coarsening:
    """Merge the codes of each column into as few groups as possible, but at least two.

    `part`: the share of the records in a group at first. It is halved until there are two groups, at most
    `HALVINGS` times.
    """
    groupings: dict[str, Grouping] = {}
    for halved in range(c.HALVINGS + 1):
        total = part * first.total / 2**halved
        coarse = groups_of_at_least(
            domain, first.columns, problem, runs=c.RUN_PART * total, heaps=c.HEAP_PART * total
        )
        for g in (_without_thin(g, first.columns[g.column]) for g in coarse.groupings):
            if g.size > 1 and domain.size([g.column]) > c.FEW_CODES:
                groupings.setdefault(g.column, g)
    return Coarsening(domain, tuple(groupings.values()))


def _without_thin(g: Grouping, counts: NDArray[np.float64]) -> Grouping:
    """Merge almost empty groups, such as rare missing values, with the previous group. Shapes: `counts`
    float64[codes].
    """
    held = np.bincount(g.group_of, weights=np.maximum(counts, 0.0), minlength=g.size)
    places = np.maximum(np.cumsum(held >= c.THIN_PART * held.sum()) - 1, 0)
    return replace(g, group_of=tuple(places[list(g.group_of)].tolist()))


def sure_sigmas(count: int) -> float:
    """Return the value that the largest of `count` standard normal variables exceeds with probability
    `FALSE_ALARM`.
    """
    return NormalDist().inv_cdf(1 - c.FALSE_ALARM / count)


def counted(
    few: Coarsening, total: float, records: NDArray[np.int64], tables: Sequence[Clique]
) -> dict[Clique, NDArray[np.float64]]:
    """Count the records in each table, in coarser codes, and scale the counts to `total`. Shapes: `records`
    int64[any, len(domain)].
    """
    coarse = records.copy()
    for axis, name in enumerate(few.domain.names):
        if name in few.groups:
            coarse[:, axis] = np.array(few.groups[name])[records[:, axis]]
    table = CodeTable(few.coarse, coarse)
    return {r: table.fresh_counts(r).astype(np.float64) * (total / len(records)) for r in tables}


def noise_of(measured: Iterable[Answer]) -> dict[Clique, float]:
    """Return the square root of the summed noise variances of all cells, for each marginal and each
    interaction.
    """
    noise: dict[Clique, float] = {}
    for answer in measured:
        if isinstance(answer, Measurement):
            noise[answer.clique] = answer.sigma * math.sqrt(answer.counts.size)
        elif isinstance(answer, NoisyNumbers) and asks_interaction(answer):
            noise[tuple(answer.requested["clique"])] = answer.sigma * math.sqrt(answer.values.size)
    return noise


def unsure_pairs(few: Coarsening, first: FirstPass, noise: Mapping[Clique, float]) -> dict[Clique, float]:
    """Return the likely error of a model in each pair. This is the noise of the pair in coarser codes if the
    pair was measured, but at most its distance from independence. `noise`: the result of `noise_of`.
    """
    known = {r: without_sampling(value, first.expected[r]) for r, value in first.distances.items()}
    spread = {r: MEAN_ABSOLUTE * root * math.sqrt(few.coarse.size(r)) for r, root in noise.items()}
    return {r: min(distance, spread.get(r, math.inf)) for r, distance in known.items()}


def standing_out(
    batches: Sequence[NoisyScores], *, total: float, records: float, unsure: Mapping[Clique, float]
) -> dict[Clique, float]:
    """Return the significant tables and their excess in counts, ordered by number of columns and then by
    excess.

    A table is significant if its excess is at least `WORTHWHILE` times the number of records, and if noise
    alone would cause it with probability at most `FALSE_ALARM`. The expected counts are taken from the
    scores, so that a resumed run makes the same decisions. `records`: the number of model records from which
    the expected counts were computed. `unsure`: the result of `unsure_pairs`.
    """
    expected = dict[Clique, NDArray[np.float64]]()
    values, noise = dict[Clique, float](), dict[Clique, float]()
    for scores in batches:
        assert isinstance(scores.score, L1Gap)
        cliques = scores.score.cliques
        expected |= dict(zip(cliques, scores.score.estimates, strict=True))
        values |= dict(zip(cliques, scores.values.tolist(), strict=True))
        noise |= dict.fromkeys(cliques, math.sqrt(scores.sigma**2 + SAMPLED * total))
    sampled = math.sqrt(1 + total / records)
    least, sure = c.WORTHWHILE * total, sure_sigmas(len(expected))
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
            if excess > least and above > sure * noise[r] * (math.sqrt(2) if inside else 1):
                more[r] = excess
        standing |= {r: more[r] for r in sorted(more, key=more.__getitem__, reverse=True)}
    return standing

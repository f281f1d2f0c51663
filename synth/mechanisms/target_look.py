"""A look at relations of a declared target that no pair shows, such as the XOR of two to four columns.

All tables of the target with two, three and four other columns are counted in a few codes per column, and one
batch of noisy scores says how far each is from what a model of the pairs that were measured expects of it: a
public table of records drawn from it. A table stands out if it is further from that than noise explains and
by enough to be worth it; what records that fall at random explain is taken out before, what the model is
likely to be off by in pairs, and the tables inside it that stand out.

Privacy: one batch of scores of sensitivity 1 each. What is looked at follows from noisy answers, a noisy
number of records, public sizes and the price.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, islice
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from synth.answers import NoisyScores
from synth.axis import Grouping
from synth.domain import Clique, Domain
from synth.generate.coarse import Coarsening
from synth.measure.questions import Scores
from synth.measure.source import Source
from synth.mechanisms.base import Problem
from synth.mechanisms.columns_first import groups_of_at_least
from synth.mechanisms.first_look import FirstLook, gaps_to
from synth.numerals import number_of
from synth.progress import Progress
from synth.select.resolution import by_chance, without_sampling
from synth.select.split import MEAN_ABSOLUTE

OTHERS = (2, 3, 4)
"""How many columns the target is looked at with."""

FEW = 4
"""Columns of at most so many codes are looked at in their own."""

LEAST_RUN, LEAST_HEAP = 1 / 4, 1 / 5
"""The part of all records that a run of codes in order, and a code in no order by itself, hold at least."""

THIN = 1 / 200
"""A group that holds a smaller part of the records, which is less than any that halving makes, is looked at
together with another one."""

HALVED = 5
"""How often these parts are halved for a column that nearly all records have one code of."""

MOST_TABLE_CELLS = 1_000
"""A table of more cells is not looked at: records that fall at random would hide what it shows."""

MOST_TABLES, MOST_CELLS = 20_000, 1 << 21
"""Most tables of a look, and most cells of all of them: counting them takes seconds, and the ledger
keeps what is expected of them."""

CHANCE = 0.01
"""At most so probably does noise make any table stand out."""

HIDDEN = 0.5
"""Of the distance of all records, what noise may hide if a look is to be of use."""

WORTHWHILE = 0.25
"""A smaller part of the records, in L1 distance, is not worth what its measuring takes from pairs: on Adult
tables of the income and four others are off by .18 at most, where sums of four columns are by .26."""

MOST_FOUND = 3
"""Most tables that are told to stand out."""

SAMPLED = 1 - 2 / math.pi
"""The variance of the absolute value of a standard normal: so much varies a distance by records at random."""


@dataclass(frozen=True, eq=False, kw_only=True)
class TargetLook:
    """`scores`: the answer, if anything was asked. `found`: the tables that stand out most, with the distance
    that no pair explains, in counts. `columns`: those of every table that stands out but the target."""

    scores: tuple[NoisyScores, ...] = ()
    found: Mapping[Clique, float]
    columns: tuple[str, ...] = ()


def look_at_target(
    source: Source,
    problem: Problem,
    look: FirstLook,
    records: NDArray[np.int64],
    noise: Mapping[Clique, float],
    *,
    target: str,
    share: float,
    done: float = 0.0,
) -> TargetLook:
    """Look at tables of the target, at a share of what is left; at none where noise would hide them all.

    Shapes: `records` int64[any, len(domain)], drawn from a model of all answers so far. `noise`: of every
    pair that was measured, the root of the noise's variance summed over its cells, in counts. `done`: the
    part of the budget that was spent before, which progress tells.
    """
    few = _few_codes(source.domain, problem, look)
    rho = share * source.left.rho
    tables = _tables(few.coarse, target, look)
    kept = _affordable(
        few.coarse, tables, most=HIDDEN * look.total, unit=source.terms.l1 / math.sqrt(2 * rho)
    )
    told = f"{number_of(len(tables), 'table')} of {target} with two to four others"
    fact = f"looking at {len(kept):,} of {told}" if kept else f"too much noise to look at any of {told}"
    problem.report(Progress(stage="score", done=done, fact=fact))
    if not kept:
        return TargetLook(found={})
    expected = _expected(few, look.total, records, kept)
    scores = source.ask([(Scores(gaps_to(expected), groups=few.groups), rho)])
    sampled = math.sqrt(1 + look.total / len(records))
    unsure = _unsure(few, look, noise)
    found, columns = _standing_out(
        scores[0], expected, target, total=look.total, sampled=sampled, unsure=unsure
    )
    return TargetLook(scores=scores, found=found, columns=columns)


def _few_codes(domain: Domain, problem: Problem, look: FirstLook) -> Coarsening:
    """The fewest groups, of halving sizes, in which a column still has more than one."""
    groupings: dict[str, Grouping] = {}
    for halved in range(HALVED + 1):
        total = look.total / 2**halved
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


def _tables(domain: Domain, target: str, look: FirstLook) -> list[Clique]:
    """All tables with the target whose pairs were looked at, those of fewer columns first."""
    varied = [name for name in domain.names if name != target and domain.size([name]) > 1]
    tables = [domain.clique((target, *others)) for count in OTHERS for others in combinations(varied, count)]
    return [r for r in tables if all(pair in look.expected for pair in combinations(r, 2))]


def _affordable(domain: Domain, tables: Sequence[Clique], *, most: float, unit: float) -> list[Clique]:
    """Those of as many columns as there is time and memory for, as long as the noise of the batch hides less
    than `most`, in counts. `unit`: sigma of a score that is asked alone."""
    kept: list[Clique] = []
    small = [r for r in tables if domain.size(r) <= MOST_TABLE_CELLS]
    for count in OTHERS:
        wanted = [r for r in small if len(r) <= count + 1]
        if len(wanted) > MOST_TABLES or sum(domain.size(r) for r in wanted) > MOST_CELLS:
            break
        if wanted and _sigmas(len(wanted)) * unit * math.sqrt(len(wanted)) > most:
            break
        kept = wanted
    return kept


def _sigmas(count: int) -> float:
    """What the largest of so many standard normals exceeds with probability `CHANCE` at most."""
    return NormalDist().inv_cdf(1 - CHANCE / count)


def _expected(
    few: Coarsening, total: float, records: NDArray[np.int64], tables: Sequence[Clique]
) -> dict[Clique, NDArray[np.float64]]:
    """Counts of tables in few codes, as the records have them."""
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


def _unsure(few: Coarsening, look: FirstLook, noise: Mapping[Clique, float]) -> dict[Clique, float]:
    """How far a model is likely to be off in each pair: by its noise in few codes if it was measured, but by
    no more than the pair is from independence, as a pair is that was not."""
    (first,) = look.scores
    values = zip(look.expected, first.values.tolist(), strict=True)
    known = {r: without_sampling(max(value, 0.0), look.expected[r]) for r, value in values}
    spread = {r: MEAN_ABSOLUTE * root * math.sqrt(few.coarse.size(r)) for r, root in noise.items()}
    return {r: min(distance, spread.get(r, math.inf)) for r, distance in known.items()}


def _standing_out(
    scores: NoisyScores,
    expected: Mapping[Clique, NDArray[np.float64]],
    target: str,
    *,
    total: float,
    sampled: float,
    unsure: Mapping[Clique, float],
) -> tuple[dict[Clique, float], tuple[str, ...]]:
    """The tables that are further from what was expected of them than those inside them that stand out: the
    furthest of them, at most a few, those of fewer columns first; and the columns of them all. `sampled`: by
    how much more records at random scatter, since the expectation is of records too. `unsure`: what a model
    of pairs is off by in each of them, which is taken out in squares."""
    noise = math.sqrt(scores.sigma**2 + SAMPLED * total)
    least, sure = WORTHWHILE * total, _sigmas(len(expected)) * noise
    values = dict(zip(expected, scores.values.tolist(), strict=True))
    far, explained = dict[Clique, float](), dict[Clique, float]()
    for r, value in values.items():
        explained[r] = (sampled * by_chance(expected[r])) ** 2
        explained[r] += sum(unsure[pair] ** 2 for pair in combinations(r, 2))
        far[r] = math.sqrt(max(value**2 - explained[r], 0.0))
    standing: dict[Clique, float] = {}
    for count in OTHERS:
        more: dict[Clique, float] = {}
        for r in (r for r in expected if len(r) == count + 1):
            inside = max((far[s] for s in standing if set(s) < set(r)), default=0.0)
            excess = math.sqrt(max(far[r] ** 2 - inside**2, 0.0))
            above = values[r] - math.sqrt(explained[r] + inside**2)
            if excess > least and above > sure * (math.sqrt(2) if inside else 1):
                more[r] = excess
        standing |= {r: more[r] for r in sorted(more, key=more.__getitem__, reverse=True)}
    names = {name for r in standing for name in r} - {target}
    return dict(islice(standing.items(), MOST_FOUND)), tuple(sorted(names))

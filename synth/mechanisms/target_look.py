"""A look at relations of a declared target that no pair shows, such as the XOR of two to four columns.

All tables of the target with two, three and four other columns are counted in a few codes per column, and one
batch of noisy scores says how far each is from independence. What pairs show is known from the first look
(`first_look`): what a tree of pairs says of a table is no further from independence than its pairs together,
since every pair that joins moves the table by at most its own distance. So a table stands out if it is
further from independence than its pairs together, and than the tables inside it that stand out, by more than
noise and records that fall at random explain. That misses weak relations beside strong pairs, and is seldom
wrong.

Privacy: one batch of scores of sensitivity 1 each. What is looked at follows from noisy columns, a noisy
number of records, public sizes and the price.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import combinations
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

OTHERS = (2, 3, 4)
"""How many columns the target is looked at with."""

FEW = 4
"""Columns of at most so many codes are looked at in their own."""

LEAST_RUN, LEAST_HEAP = 1 / 4, 1 / 5
"""The part of all records that a run of codes in order, and a code in no order by itself, hold at least."""

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

WORTHWHILE = 0.1
"""A smaller part of the records, in L1 distance, is not worth a table of its own."""

MOST_FOUND = 3
"""Most tables that are told to stand out."""

SAMPLED = 1 - 2 / math.pi
"""The variance of the absolute value of a standard normal: so much varies a distance by records at random."""


@dataclass(frozen=True, eq=False, kw_only=True)
class TargetLook:
    """`scores`: the answer, if anything was asked. `found`: tables that stand out, with the distance that no
    pair explains, in counts."""

    scores: tuple[NoisyScores, ...] = ()
    found: Mapping[Clique, float]


def look_at_target(
    source: Source, problem: Problem, look: FirstLook, *, target: str, share: float
) -> TargetLook:
    """Look at tables of the target, at a share of what is left; at none where noise would hide them all."""
    few = _few_codes(source.domain, problem, look)
    rho = share * source.left.rho
    tables = _tables(few.coarse, target, look)
    kept = _affordable(
        few.coarse, tables, most=HIDDEN * look.total, unit=source.terms.l1 / math.sqrt(2 * rho)
    )
    fact = (
        f"looking at {len(kept):,} of {number_of(len(tables), 'table')} of {target} with two to four others"
    )
    problem.report(Progress(stage="score", done=look.share, fact=fact))
    if not kept:
        return TargetLook(found={})
    expected = _independent(few, look, kept)
    scores = source.ask([(Scores(gaps_to(expected), groups=few.groups), rho)])
    return TargetLook(scores=scores, found=_standing_out(scores[0], expected, look))


def _few_codes(domain: Domain, problem: Problem, look: FirstLook) -> Coarsening:
    """The fewest groups, of halving sizes, in which a column still has more than one."""
    groupings: dict[str, Grouping] = {}
    for halved in range(HALVED + 1):
        total = look.total / 2**halved
        coarse = groups_of_at_least(
            domain, look.columns, problem, runs=LEAST_RUN * total, heaps=LEAST_HEAP * total
        )
        for g in coarse.groupings:
            if g.size > 1 and domain.size([g.column]) > FEW:
                groupings.setdefault(g.column, g)
    return Coarsening(domain, tuple(groupings.values()))


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


def _independent(
    few: Coarsening, look: FirstLook, tables: Sequence[Clique]
) -> dict[Clique, NDArray[np.float64]]:
    """Expected counts of tables under independence of the noisy columns."""
    shares = {name: few.sum(counts, (name,)) / look.total for name, counts in look.columns.items()}
    return {r: look.total * reduce(np.multiply.outer, [shares[name] for name in r]) for r in tables}


def _standing_out(
    scores: NoisyScores, expected: Mapping[Clique, NDArray[np.float64]], look: FirstLook
) -> dict[Clique, float]:
    """The tables that are furthest from what their pairs, and found tables inside them, explain; at most a
    few, those of fewer columns first."""
    (first,) = look.scores
    pairs = zip(look.expected, first.values.tolist(), strict=True)
    known = {r: without_sampling(max(value, 0.0), look.expected[r]) for r, value in pairs}
    sigmas, sampled = _sigmas(len(expected)), SAMPLED * look.total
    values = dict(zip(expected, scores.values.tolist(), strict=True))
    found: dict[Clique, float] = {}
    for count in OTHERS:
        more: dict[Clique, float] = {}
        for r in (r for r in expected if len(r) == count + 1):
            inside = list(combinations(r, 2))
            explained = sum(known[pair] for pair in inside)
            explained += sum(excess for s, excess in found.items() if set(s) < set(r))
            excess = values[r] - math.hypot(explained, by_chance(expected[r]))
            noise = math.sqrt(scores.sigma**2 + len(inside) * first.sigma**2 + sampled)
            if excess > max(sigmas * noise, WORTHWHILE * look.total):
                more[r] = excess
        best = sorted(more, key=more.__getitem__, reverse=True)
        found |= {r: more[r] for r in best[: MOST_FOUND - len(found)]}
    return found

"""A look at relations of a declared target that no pair shows, such as the XOR of two to four columns.

All tables of the target with two, three and four other columns are counted in a few codes per column, and one
batch of noisy scores says how far each is from what a model of the pairs that were measured expects of it: a
public table of records drawn from it. What stands out is found as in `beyond_pairs`.

Privacy: one batch of scores of sensitivity 1 each. What is looked at follows from noisy answers, a noisy
number of records, public sizes and the price.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, islice

import numpy as np
from numpy.typing import NDArray

from synth.core.domain import Clique, Domain
from synth.core.measurements.noisy import NoisyScores
from synth.core.numbers import number_of
from synth.core.progress import Progress
from synth.mechanisms.base import Problem
from synth.mechanisms.beyond_pairs import counted, few_codes, standing_out, sure_sigmas, unsure_pairs
from synth.mechanisms.first_look import FirstLook, gaps_to
from synth.private.queries import Scores
from synth.private.source import Source

OTHERS = (2, 3, 4)
"""How many columns the target is looked at with."""

MOST_TABLE_CELLS = 1_000
"""A table of more cells is not looked at: records that fall at random would hide what it shows."""

MOST_TABLES, MOST_CELLS = 20_000, 1 << 21
"""Most tables of a look, and most cells of all of them: counting them takes seconds, and the ledger
keeps what is expected of them."""

HIDDEN = 0.5
"""Of the distance of all records, what noise may hide if a look is to be of use."""

MOST_FOUND = 3
"""Most tables that are told to stand out."""


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
    few = few_codes(source.domain, problem, look)
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
    expected = counted(few, look.total, records, kept)
    (scores,) = source.ask([(Scores(gaps_to(expected), groups=few.groups), rho)])
    standing = standing_out(
        scores,
        total=look.total,
        records=len(records),
        unsure=unsure_pairs(few, look, noise),
    )
    columns = tuple(sorted({name for r in standing for name in r} - {target}))
    found = dict(islice(standing.items(), MOST_FOUND))
    return TargetLook(scores=(scores,), found=found, columns=columns)


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
        if wanted and sure_sigmas(len(wanted)) * unit * math.sqrt(len(wanted)) > most:
            break
        kept = wanted
    return kept

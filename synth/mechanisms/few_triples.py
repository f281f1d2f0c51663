"""A look for the few tables of three columns that show what no pair does, such as an XOR among many columns.

All tables of three columns are counted in a few codes per column, and one batch of noisy scores says how far
each is from what a tree of the pairs that were measured expects of it, with those pairs as margins. What
stands out is found as in `beyond_pairs`; as much of it as a small part of the price buys is measured, in the
codes of the pairs, beside them. Where one clique holds the whole table and all tables of three columns would
be clear, `triple_look` serves better: it also keeps what is no relation.

Our own. Privacy: one batch of scores of sensitivity 1 each. What is looked at and measured follows from noisy
answers, a noisy number of records, public sizes and the price.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from synth.core.domain import Clique, Domain
from synth.core.measurements.noisy import Answer, NoisyScores
from synth.core.numbers import number_of
from synth.core.progress import Progress
from synth.mechanisms.base import Problem
from synth.mechanisms.beyond_pairs import (
    LEAST_RUN,
    counted,
    few_codes,
    noise_of,
    standing_out,
    unsure_pairs,
)
from synth.mechanisms.first_look import FirstLook, gaps_to
from synth.mechanisms.selection.split import MEAN_ABSOLUTE
from synth.mechanisms.triple_look import triples_of, wants_triples
from synth.models.coarse import Coarsening
from synth.models.proportional import fitted_to
from synth.models.refined import Refined
from synth.private.queries import Scores
from synth.private.source import Source

FAINT = 0.055
"""Noise of this part of the records is faint enough: what is worth it (`beyond_pairs.WORTHWHILE`) is more
than the largest of `MOST_TABLES` scores is by chance."""

CHEAP, CHEAP_ENOUGH = 0.06, 0.2
"""The part of what is left that a look with so much noise may cost; a dearer one is not made. And where the
table is for more than pairs."""

HELD = 10.0
"""Records that a cell holds on average at the least in the tables that are looked at."""

MOST_TABLES, MOST_CELLS = 3_000, 1 << 21
"""Most tables of a look, all those of 27 columns, and most cells of all of them: the ledger keeps what is
expected of each."""

OWN_CELLS = 1 << 20
"""Most cells of a table in the domain's codes, in which records are swapped towards it: no larger one is
looked at."""

RECORDS = 50_000
"""Records of the tree that the look is held against."""

MOST_PART = 0.15
"""Part of what is left after the look that goes to tables of three columns at the most: pairs hardly lose."""


@dataclass(frozen=True, kw_only=True)
class TriplesToAsk:
    """In which codes to look at which tables of three columns, and for which price."""

    few: Coarsening
    tables: tuple[Clique, ...]
    rho: float


@dataclass(frozen=True, eq=False, kw_only=True)
class FewTriples:
    """`scores`: the answer. `found`: the tables that stand out, the furthest first, with the distance that no
    pair explains, in counts."""

    scores: tuple[NoisyScores, ...]
    found: Mapping[Clique, float]


def triples_to_ask(source: Source, problem: Problem, look: FirstLook) -> TriplesToAsk | None:
    """All tables of three columns whose pairs were looked at, where a look costs next to nothing; else None.

    A column has as many codes as leave the cells of three of them held and all tables together small.
    """
    count = math.comb(sum(size > 1 for size in source.domain.sizes), 3)
    if not 1 <= count <= MOST_TABLES or look.total <= 0:
        return None
    cells = min(min(look.total, RECORDS) / HELD, MOST_CELLS / count)
    few = few_codes(source.domain, problem, look, part=min(1.0, cells ** (-1 / 3) / LEAST_RUN))
    tables = tuple(
        r
        for r in triples_of(source.domain, look)
        if few.coarse.size(r) <= cells and source.domain.size(r) <= OWN_CELLS
    )
    rho = len(tables) * (source.terms.l1 / (FAINT * look.total)) ** 2 / 2
    most = CHEAP_ENOUGH if wants_triples(problem) else CHEAP
    return TriplesToAsk(few=few, tables=tables, rho=rho) if 0 < rho <= most * source.left.rho else None


def look_for_triples(
    source: Source,
    problem: Problem,
    look: FirstLook,
    asked: TriplesToAsk,
    model: Refined,
    measured: Sequence[Answer],
    *,
    done: float,
    rng: np.random.Generator,
) -> FewTriples:
    """Hold these tables against `model`, which is of all answers so far, `measured` the pairs among them.
    `done`: the part of the budget that was spent before, which progress tells."""
    fact = f"looking at {number_of(len(asked.tables), 'table')} of three columns"
    problem.report(Progress(stage="score", done=done, fact=fact))
    gaps = gaps_to(_expected(asked, look.total, model, rng))
    (scores,) = source.ask([(Scores(gaps, groups=asked.few.groups), asked.rho)])
    found = standing_out(
        scores,
        total=look.total,
        records=RECORDS,
        unsure=unsure_pairs(asked.few, look, noise_of(measured)),
    )
    return FewTriples(scores=(scores,), found=found)


def _expected(
    asked: TriplesToAsk, total: float, model: Refined, rng: np.random.Generator
) -> dict[Clique, NDArray[np.float64]]:
    """Counts of the tables in few codes: of records of the tree, brought to the model's pairs."""
    records = model.coarsening.refine(model.tree.sample(RECORDS, rng), rng)
    pairs = list(dict.fromkeys(pair for r in asked.tables for pair in combinations(r, 2)))
    told: dict[Clique, NDArray[np.float64]] = {}
    for pair, table in zip(pairs, model.coarse_many(pairs), strict=True):
        told[pair] = asked.few.sum(model.coarsening.spread(table, pair), pair)
    return {
        r: fitted_to(table, {(a, b): told[r[a], r[b]] for a, b in combinations(range(3), 2)})
        for r, table in counted(asked.few, total, records, asked.tables).items()
    }


def parts_of_price(
    coarse: Domain, found: Mapping[Clique, float], pairs: Iterable[Clique], *, source: Source
) -> dict[Clique, float]:
    """The part of what is left that each table gets that would be clear: as much as its cells would get
    beside those of the pairs by the plain rule of `select.split`, until `MOST_PART` is spent."""
    whole = sum(coarse.size(r) ** (2 / 3) for r in pairs)
    parts: dict[Clique, float] = {}
    left = MOST_PART
    for r, distance in found.items():
        part = min(coarse.size(r) ** (2 / 3) / whole, left)
        noise = (
            coarse.size(r) * MEAN_ABSOLUTE * source.terms.sigma(part * source.left.rho) if part else math.inf
        )
        if noise <= distance:
            parts[r] = part
            left -= part
    return parts

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
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from synth.answers import Measurement, NoisyScores
from synth.domain import Clique, Domain
from synth.generate.coarse import Coarsening
from synth.generate.proportional import fitted_to
from synth.generate.refined import Refined
from synth.measure.questions import Scores
from synth.measure.source import Source
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
from synth.numerals import number_of
from synth.progress import Progress
from synth.select.split import MEAN_ABSOLUTE

FAINT, CHEAP = 0.055, 0.06
"""Noise of this part of the records is faint enough: what is worth it (`beyond_pairs.WORTHWHILE`) is more
than the largest of `MOST_TABLES` scores is by chance; and the part of what is left that such a look may
cost."""

HELD = 10.0
"""Records that a cell holds on average at the least in the tables that are looked at."""

MOST_TABLES, MOST_CELLS = 3_000, 1 << 21
"""Most tables of a look, all those of 27 columns, and most cells of all of them: the ledger keeps what is
expected of each."""

RECORDS = 50_000
"""Records of the tree that the look is held against."""

MOST_PART = 0.15
"""Part of what is left after the look that goes to tables of three columns at the most: pairs hardly lose."""


@dataclass(frozen=True, eq=False, kw_only=True)
class FewTriples:
    """`scores`: the answer. `found`: the tables that stand out, the furthest first, with the distance that no
    pair explains, in counts."""

    scores: tuple[NoisyScores, ...]
    found: Mapping[Clique, float]


def price_of_look(source: Source, look: FirstLook) -> float | None:
    """The rho for which all tables of three columns can be looked at; None where that is too much."""
    varied = sum(source.domain.size([name]) > 1 for name in source.domain.names)
    tables = math.comb(varied, 3)
    if not 1 <= tables <= MOST_TABLES or look.total <= 0:
        return None
    rho = tables * (source.terms.l1 / (FAINT * look.total)) ** 2 / 2
    return rho if rho <= CHEAP * source.left.rho else None


def look_for_triples(
    source: Source,
    problem: Problem,
    look: FirstLook,
    model: Refined,
    measured: Iterable[Measurement],
    *,
    rho: float,
    done: float,
    rng: np.random.Generator,
) -> FewTriples:
    """Look at tables of three columns at this price. `model`: of all answers so far, `measured` the pairs
    among them. `done`: the part of the budget that was spent before, which progress tells."""
    part = min(1.0, (HELD / look.total) ** (1 / 3) / LEAST_RUN)
    few = few_codes(source.domain, problem, look, part=part)
    tables = _tables(few.coarse, look)
    fact = f"looking at {number_of(len(tables), 'table')} of three columns"
    problem.report(Progress(stage="score", done=done, fact=fact))
    if not tables:
        return FewTriples(scores=(), found={})
    expected = _expected(few, look.total, model, tables, rng)
    scores = source.ask([(Scores(gaps_to(expected), groups=few.groups), rho)])
    unsure = unsure_pairs(few, look, noise_of(list(measured)))
    found = standing_out(scores[0], expected, total=look.total, records=RECORDS, unsure=unsure)
    return FewTriples(scores=scores, found=found)


def _tables(coarse: Domain, look: FirstLook) -> list[Clique]:
    """All that are small enough and whose pairs were looked at, as long as there is room for them."""
    varied = [name for name in coarse.names if coarse.size([name]) > 1]
    tables, cells = list[Clique](), 0
    for r in (coarse.clique(names) for names in combinations(varied, 3)):
        size = coarse.size(r)
        is_held = size * HELD <= look.total and all(pair in look.expected for pair in combinations(r, 2))
        if is_held and cells + size <= MOST_CELLS:
            tables.append(r)
            cells += size
    return tables


def _expected(
    few: Coarsening, total: float, model: Refined, tables: list[Clique], rng: np.random.Generator
) -> dict[Clique, NDArray[np.float64]]:
    """Counts of tables in few codes: of records of the tree, brought to the model's pairs."""
    records = model.coarsening.refine(model.tree.sample(RECORDS, rng), rng)
    pairs = list(dict.fromkeys(pair for r in tables for pair in combinations(r, 2)))
    told = {pair: few.sum(table, pair) for pair, table in zip(pairs, model.project_many(pairs), strict=True)}
    return {
        r: fitted_to(table, {(a, b): told[r[a], r[b]] for a, b in combinations(range(3), 2)})
        for r, table in counted(few, total, records, tables).items()
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

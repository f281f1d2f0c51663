"""Score all tables of three columns after their pairs are measured, and measure the tables that the pairs do
not explain.

There are two cases. The choice depends on public sizes, a noisy record count and the budget.
`with_all_triples` is used if one clique can contain the whole table and all tables of three columns would be
significant when measured at the same cost. It measures every table whose distance from a model of the pairs
exceeds its noise. `with_few_triples` is used if scoring is cheap. It measures only significant tables, such
as an XOR among many columns.

This is our own method, based on the steps of PrivMRF (Cai, Lei, Wei, Xiao 2021), which scores wider tables.
On NLTCS at epsilon 5, PrivMRF has about the same error for three columns and twice the error for pairs.
Privacy: batches of scores of sensitivity 1, and measurements.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from synth.core.domain import Clique, Domain, subsets
from synth.core.measurements.noisy import Answer
from synth.core.numbers import number_of
from synth.mechanisms.blend import constants as c
from synth.mechanisms.blend.excess import (
    counted,
    few_codes,
    noise_of,
    standing_out,
    sure_sigmas,
    unsure_pairs,
)
from synth.mechanisms.blend.first_pass import FirstPass, distances_from
from synth.mechanisms.blend.measuring import Measuring
from synth.mechanisms.selection.split import MEAN_ABSOLUTE
from synth.mechanisms.shared.base import Problem
from synth.models.base import Generator, Setting
from synth.models.blend.refined import Refined, RefinedRecords
from synth.models.coarse import Coarsening
from synth.models.estimates.proportional import fitted_to
from synth.private.queries import Interaction, Scores
from synth.private.source import Source


def tables_of(domain: Domain, first: FirstPass, *, columns: int = 3) -> list[Clique]:
    """Return all tables of `columns` columns whose pairs were scored. Columns with a single code are
    excluded.
    """
    varied = [name for name in domain.names if domain.size([name]) > 1]
    tables = [domain.clique(names) for names in combinations(varied, columns)]
    return [r for r in tables if all(pair in first.weights for pair in combinations(r, 2))]


def all_are_clear(source: Source, problem: Problem, first: FirstPass, *, rho: float) -> bool:
    """Return whether the average table of three columns would be significant if all were measured at the same
    cost, for rho in total. If interactions are measured, the cost includes the interactions of the pairs.
    """
    tables = tables_of(source.domain, first)
    if not tables:
        return False
    units = float(len(tables))
    if first.interactions:
        units = len(tables) + len(first.weights) / c.TRIPLE_OF_PAIR
    noise = float(np.mean([_noise(source, first, r, rho / units) for r in tables]))
    clear = c.ALL_CLEAR_WIDER if _is_wider(problem) else c.ALL_CLEAR
    return noise <= clear * first.total


def with_all_triples(m: Measuring, generator: Generator) -> tuple[Answer, ...]:
    """Measure pairs, score tables of three columns, and measure the significant tables.

    If interactions are measured, all pairs have the same cost: if triples are significant, so is every pair.
    """
    source, problem, first = m.source, m.problem, m.first
    parts = dict.fromkeys(first.weights, 1.0) if first.interactions else m.parts
    pairs = m.measure(c.BEFORE_ALL_TRIPLES * m.left, parts)
    model = generator.fit(m.evidence(pairs), seed=problem.seed, device=problem.device)
    tables = tables_of(source.domain, first)
    m.report("score", f"scoring {number_of(len(tables), 'table')} of three columns")
    expected = dict(zip(tables, model.project_many(tables), strict=True))
    requested = [(Scores(distances_from(expected), groups={}), c.ALL_TRIPLES_SCORING * m.left)]
    wider = tables_to_score(source, problem, first, columns=4)
    if wider is not None:
        four = dict(zip(wider.tables, model.project_many(wider.tables), strict=True))
        requested.append((Scores(distances_from(four), groups={}), wider.rho))
    scores, *rest = source.ask(requested)
    noise = noise_of([*first.measured, *pairs])
    far = {
        r: beyond_noise(source.domain, r, max(distance, 0.0), noise)
        for r, distance in zip(tables, scores.likely.tolist(), strict=True)
    }
    again, found = parts_of_clear(source, first, far, parts), dict[Clique, float]()
    if rest:
        unsure = unsure_pairs(m.coarsening, first, noise)
        standing = standing_out([scores, *rest], total=first.total, records=math.inf, unsure=unsure)
        found = {r: excess for r, excess in standing.items() if len(r) > 3}
    return (*pairs, *m.measure(m.left, _beside(m, found, again)), scores, *rest)


def beyond_noise(domain: Domain, r: Clique, distance: float, noise: Mapping[Clique, float]) -> float:
    """Subtract the part of a table's squared distance that the noise of its measured columns and pairs
    explains, and return the root. `noise`: the result of `noise_of` for the measured columns and pairs.
    """
    squares = sum(noise[s] ** 2 * domain.size(s) for s in subsets(r)[:-1] if s in noise)
    return math.sqrt(max(distance**2 - (MEAN_ABSOLUTE**2) * squares, 0.0))


def parts_of_clear(
    source: Source, first: FirstPass, far: Mapping[Clique, float], pairs: Mapping[Clique, float]
) -> dict[Clique, float]:
    """Split the remaining budget equally over the tables of three columns with the largest distances. Tables
    are included as long as their distance exceeds the noise that they would then have.

    `far`: the distances of the tables, in counts. An interaction of three columns gets `TRIPLE_OF_PAIR` times
    the share of a pair. A pair inside it that is not in `pairs` gets the same share as the interaction. If
    marginals are measured, pairs get no further share, because a marginal of three columns contains its
    pairs.
    """
    each = c.TRIPLE_OF_PAIR * sum(pairs.values()) / len(pairs)
    furthest = sorted(far, key=lambda r: (-far[r], r))

    def parts(count: int) -> dict[Clique, float]:
        tables = dict.fromkeys(furthest[:count], each)
        if not first.interactions:
            return tables or dict(pairs)
        inside: dict[Clique, float] = dict.fromkeys(
            (pair for r in tables for pair in combinations(r, 2)), each
        )
        return {**tables, **inside, **pairs}

    def is_clear(place: int) -> bool:
        rho = source.left.rho * each / sum(parts(place + 1).values())
        return far[furthest[place]] > _noise(source, first, furthest[place], rho)

    return parts(bisect_left(range(len(furthest)), True, key=lambda place: not is_clear(place)))


@dataclass(frozen=True, kw_only=True)
class TablesToScore:
    """The tables to score, the codes in which they are counted, and the privacy cost of the scores."""

    few: Coarsening
    tables: tuple[Clique, ...]
    rho: float


def tables_to_score(
    source: Source, problem: Problem, first: FirstPass, *, columns: int = 3
) -> TablesToScore | None:
    """Return all tables of three or four columns if scoring them costs almost nothing, and otherwise None.

    Tables of four columns are only scored if pairs are measured as interactions, because columns with more
    codes have too many cells. Their scores may have more noise, which may hide an excess of half of the
    records. Codes are merged so that an average cell contains at least `RECORDS_PER_CELL` records and the
    tables together have at most `MOST_SCORED_CELLS` cells.
    """
    count = math.comb(sum(size > 1 for size in source.domain.sizes), columns)
    is_narrow = columns == 3 or first.interactions
    if not (is_narrow and 1 <= count <= c.MOST_TRIPLES and first.total > 0):
        return None
    cells = min(min(first.total, c.MODEL_RECORDS) / c.RECORDS_PER_CELL, c.MOST_SCORED_CELLS / count)
    few = few_codes(source.domain, problem, first, part=min(1.0, cells ** (-1 / columns) / c.RUN_PART))
    tables = tuple(
        r
        for r in tables_of(source.domain, first, columns=columns)
        if few.coarse.size(r) <= cells and source.domain.size(r) <= c.MOST_OWN_CELLS
    )
    if not tables:
        return None
    noise, most = (c.FAINT, c.CHEAP) if columns == 3 else (c.HIDDEN / sure_sigmas(len(tables)), c.CHEAP_FOUR)
    rho = len(tables) * (source.terms.l1 / (noise * first.total)) ** 2 / 2
    most = c.CHEAP_WIDER if _is_wider(problem) else most
    return TablesToScore(few=few, tables=tables, rho=rho) if rho <= most * source.left.rho else None


def with_few_triples(
    m: Measuring, requested: TablesToScore, tree: RefinedRecords, rng: np.random.Generator
) -> tuple[Answer, ...]:
    """Measure pairs, score tables of three and of four columns against a tree fitted to these pairs, and
    measure the significant tables and the pairs again.
    """
    source, problem, first = m.source, m.problem, m.first
    pairs = m.measure(c.BEFORE_SCORES * m.left, m.parts)
    model = tree.fitted(m.evidence(pairs), Setting(seed=problem.seed, device=problem.device))
    batches = [b for b in (requested, tables_to_score(source, problem, first, columns=4)) if b is not None]
    tables = [r for batch in batches for r in batch.tables]
    m.report("score", f"scoring {number_of(len(tables), 'table')} of three columns or more")
    expected = _expected(requested.few, tables, first.total, model, rng)
    gaps = [distances_from({r: expected[r] for r in b.tables}) for b in batches]
    scores = source.ask(
        [(Scores(g, groups=requested.few.groups), b.rho) for g, b in zip(gaps, batches, strict=True)]
    )
    unsure = unsure_pairs(requested.few, first, noise_of(pairs))
    found = standing_out(scores, total=first.total, records=c.MODEL_RECORDS, unsure=unsure)
    joined: dict[Clique, float] = {r: x for r, x in found.items() if first.interactions and len(r) == 3}
    parts = parts_of_clear(source, first, joined, m.parts)
    others = {r: excess for r, excess in found.items() if r not in joined}
    return (*pairs, *m.measure(m.left, _beside(m, others, parts)), *scores)


def _expected(
    few: Coarsening, tables: Sequence[Clique], total: float, model: Refined, rng: np.random.Generator
) -> dict[Clique, NDArray[np.float64]]:
    """Count the tables in records drawn from the tree, and fit them to the pairs of the model."""
    records = model.coarsening.refine(model.tree.sample(c.MODEL_RECORDS, rng), rng)
    pairs = list(dict.fromkeys(pair for r in tables for pair in combinations(r, 2)))
    margins: dict[Clique, NDArray[np.float64]] = {}
    for pair, table in zip(pairs, model.coarse_many(pairs), strict=True):
        margins[pair] = few.sum(model.coarsening.spread(table, pair), pair)
    return {
        r: fitted_to(table, {(a, b): margins[r[a], r[b]] for a, b in combinations(range(len(r)), 2)})
        for r, table in counted(few, total, records, tables).items()
    }


def parts_beside_pairs(m: Measuring, found: Mapping[Clique, float]) -> dict[Clique, float]:
    """Return the share of the remaining budget for each table that is significant at this share.

    The share is n^(2/3) / sum_r n_r^(2/3), where n is the number of cells of the table and n_r that of pair
    r. The shares sum to at most `MOST_FOR_TRIPLES`.
    """
    coarse = m.coarsening.coarse
    whole = sum(coarse.size(r) ** (2 / 3) for r in m.parts)
    parts: dict[Clique, float] = {}
    for r, distance in found.items():
        part = min(coarse.size(r) ** (2 / 3) / whole, c.MOST_FOR_TRIPLES - sum(parts.values()))
        if part > 0 and coarse.size(r) * MEAN_ABSOLUTE * m.source.terms.sigma(part * m.left) <= distance:
            parts[r] = part
    return parts


def _beside(
    m: Measuring, found: Mapping[Clique, float], parts: Mapping[Clique, float]
) -> dict[Clique, float]:
    """Return the shares of `parts_beside_pairs`, and split the rest in proportion to `parts`."""
    tables = parts_beside_pairs(m, found)
    rest, whole = 1 - sum(tables.values()), sum(parts.values())
    return tables | {r: rest * part / whole for r, part in parts.items()}


def _is_wider(problem: Problem) -> bool:
    """Return whether the workload contains tables of three or more columns."""
    return any(len(r) > 2 for r in problem.workload.cliques)


def _noise(source: Source, first: FirstPass, r: Clique, rho: float) -> float:
    """Return the expected L1 norm of a table's noise at a privacy cost, in counts."""
    if first.interactions:
        sigma = Interaction.of(source.domain, r).cell_sigma(rho, source.terms)
    else:
        sigma = source.terms.sigma(rho)
    return source.domain.size(r) * MEAN_ABSOLUTE * sigma

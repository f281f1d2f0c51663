"""Score tables of a declared target with two to four other columns, and measure relations that no pair shows.

All these tables are counted in a few codes per column and compared with records of a model of the measured
pairs (`excess`). Tables with a significant excess are measured. If they are too large or too noisy, many
tables with different groups of codes are measured instead (`tilings`).

Privacy: two batches of scores of sensitivity 1, and measurements. The choice of scored tables depends only on
noisy measurements, public sizes and the budget.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, islice

import numpy as np
from numpy.typing import NDArray

from synth.core.domain import Clique, Domain
from synth.core.graphs.junction import JunctionGraph
from synth.core.measurements.noisy import Answer, NoisyScores
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
from synth.mechanisms.blend.tilings import tilings
from synth.mechanisms.selection.split import MEAN_ABSOLUTE
from synth.models.base import Generator
from synth.models.blend.refined import narrowed
from synth.private.queries import Scores
from synth.private.scores import L1Gap


@dataclass(frozen=True, kw_only=True)
class Target:
    """A column that the other columns should predict.

    `share`: the share of the remaining budget for its scores. `cells`: the maximum number of cells of a
    clique of the tree. `may_tile`: whether the generator uses tilings.
    """

    name: str
    share: float
    cells: int
    may_tile: bool


@dataclass(frozen=True, eq=False, kw_only=True)
class TargetScores:
    """The scored tables of the target.

    `scores`: the noisy scores, if any table was scored. `found`: the tables with an excess in both scores,
    and their excess in counts. `columns`: the columns of all tables with an excess, except the target and
    tables whose second score has no excess.
    """

    scores: tuple[NoisyScores, ...] = ()
    found: Mapping[Clique, float]
    columns: tuple[str, ...] = ()


def weights_with(target: str, weights: Mapping[Clique, float]) -> dict[Clique, float]:
    """Scale the weights of the target's pairs so that they sum to the weight of all other pairs. If their sum
    is already larger, the weights are unchanged.

    >>> weights_with("y", {("a", "b"): 1.0, ("a", "c"): 1.0, ("b", "c"): 1.0, ("a", "y"): 1.0})
    {('a', 'b'): 1.0, ('a', 'c'): 1.0, ('b', 'c'): 1.0, ('a', 'y'): 3.0}
    """
    mine = sum(w for r, w in weights.items() if target in r)
    others = sum(weights.values()) - mine
    factor = others / mine if 0 < mine < others else 1.0
    return {r: w * factor if target in r else w for r, w in weights.items()}


def with_target(
    m: Measuring, target: Target, generator: Generator, rng: np.random.Generator
) -> tuple[Answer, ...]:
    """Measure pairs, score the target's tables against a model of these pairs, and measure tables with an
    excess, or tilings. Spend the remaining budget on the pairs again.
    """
    source, problem = m.source, m.problem
    pairs = m.measure(c.BEFORE_SCORES * m.left, m.parts)
    model = generator.fit(m.evidence(pairs), seed=problem.seed, device=problem.device)
    scored = score_target(m, model.sample(c.MODEL_RECORDS, rng), noise_of(pairs), target)
    tables = _measurable(m, scored.found, target.cells)
    tiled: tuple[Answer, ...] = ()
    if scored.found and not tables and target.may_tile:
        tiles = tilings(
            source.domain,
            scored.columns,
            m.first.columns,
            target=target.name,
            ordered=problem.ordered,
            rng=rng,
        )
        if tiles:
            m.report("measure", f"measuring {number_of(len(tiles), 'table')}")
            price = c.TARGET_TABLES * m.left / len(tiles)
            tiled = source.ask([(tile, price) for tile in tiles])
    each = c.TARGET_TABLES / (1 - c.TARGET_TABLES) * sum(m.parts.values()) / max(len(tables), 1)
    rest = m.measure(m.left, {**dict.fromkeys(tables, each), **m.parts})
    return (*pairs, *tiled, *rest, *scored.scores)


def score_target(
    m: Measuring, records: NDArray[np.int64], noise: Mapping[Clique, float], target: Target
) -> TargetScores:
    """Score the tables of the target, or none of them if noise would hide any excess. Then score up to
    `MOST_FOUND` tables with an excess again, smaller tables first: the largest of many noisy scores can be
    large by chance, and a wrong choice costs most of the budget. All scores have the same noise.

    Shapes: `records` int64[any, len(domain)], drawn from a model of all measurements made so far. `noise`:
    the result of `noise_of` for the measured pairs.
    """
    source, first = m.source, m.first
    few = few_codes(source.domain, m.problem, first)
    rho = target.share * m.left
    tables = _tables(few.coarse, target.name, first)
    unit = source.terms.l1 / math.sqrt(2 * rho)
    kept = _affordable(few.coarse, tables, most=c.HIDDEN * first.total, unit=unit)
    wanted = f"{number_of(len(tables), 'table')} of {target.name} with two to four others"
    fact = f"scoring {len(kept):,} of {wanted}" if kept else f"too much noise to score any of {wanted}"
    m.report("score", fact)
    if not kept:
        return TargetScores(found={})
    rho /= _in_all(len(kept))
    expected = counted(few, first.total, records, kept)
    unsure = unsure_pairs(few, first, noise)

    def score(
        some: Mapping[Clique, NDArray[np.float64]],
    ) -> tuple[NoisyScores, dict[Clique, float]]:
        (scores,) = source.ask([(Scores(distances_from(some), groups=few.groups), len(some) * rho)])
        return scores, standing_out([scores], total=first.total, records=len(records), unsure=unsure)

    scores, standing = score(expected)
    if not standing:
        return TargetScores(scores=(scores,), found={})
    assert isinstance(scores.score, L1Gap)
    same = dict(zip(scores.score.cliques, scores.score.estimates, strict=True))
    repeated = {r: same[r] for r in islice(standing, c.MOST_FOUND)}
    again, found = score(repeated)
    known = [r for r in standing if r in found or r not in repeated]
    return TargetScores(
        scores=(scores, again),
        found=found,
        columns=tuple(sorted({name for r in known for name in r} - {target.name})),
    )


def _tables(domain: Domain, target: str, first: FirstPass) -> list[Clique]:
    """Return the tables of the target in which every pair was scored, smaller tables first."""
    varied = [name for name in domain.names if name != target and domain.size([name]) > 1]
    tables = [
        domain.clique((target, *others)) for count in c.OTHERS for others in combinations(varied, count)
    ]
    return [r for r in tables if all(pair in first.expected for pair in combinations(r, 2))]


def _in_all(tables: int) -> int:
    """Return the largest number of scores of this many tables, of which some are scored again."""
    return tables + min(tables, c.MOST_FOUND)


def _affordable(domain: Domain, tables: Sequence[Clique], *, most: float, unit: float) -> list[Clique]:
    """Return the tables with up to the largest number of columns for which time and memory suffice and the
    noise of the batch hides less than `most` counts. `unit`: the sigma of a score that is requested alone.
    """
    kept: list[Clique] = []
    small = [r for r in tables if domain.size(r) <= c.MOST_TABLE_CELLS]
    for count in c.OTHERS:
        wanted = [r for r in small if len(r) <= count + 1]
        cells = sum(domain.size(r) for r in wanted)
        if len(wanted) > c.MOST_TARGET_TABLES or cells > c.MOST_SCORED_CELLS:
            break
        if wanted and sure_sigmas(len(wanted)) * unit * math.sqrt(_in_all(len(wanted))) > most:
            break
        kept = wanted
    return kept


def _measurable(m: Measuring, found: Mapping[Clique, float], most_cells: int) -> list[Clique]:
    """Return the tables that fit into the tree together and whose noise is below their excess."""
    coarse = m.coarsening.coarse
    most = narrowed(most_cells, len(coarse))
    fixed, kept = [z.clique for z in m.problem.zeros], list[Clique]()
    for r, excess in found.items():
        sigma = m.source.terms.sigma(c.TARGET_TABLES * m.left / len(found))
        is_clear = coarse.size(r) * MEAN_ABSOLUTE * sigma <= excess
        if is_clear and JunctionGraph.of(coarse, [*fixed, *kept, r]).largest <= most:
            kept.append(r)
    return kept

"""A look at all tables of three columns, once their pairs are known: what do they show that no pair does?

Where the cells of three columns hold many times their noise, a model of pairs alone is off by what it cannot
say, and no longer by noise. One batch of noisy scores tells how far every such table is from a model of the
pairs; those further from it than they would be when measured are worth their price. Tables of three columns
tell of their pairs as well, so that little is lost of these.

Our own, after the steps of PrivMRF (Cai, Lei, Wei, Xiao 2021), which look at wider tables; on NLTCS at
epsilon 5 they are about as good at three columns, and twice as far off in pairs.
Privacy: one batch of scores of sensitivity 1 each. Whether anything is looked at follows from public sizes,
groups of codes by noisy answers, a noisy number of records and the price.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from synth.core.cliques import subsets
from synth.core.domain import Clique, Domain
from synth.core.measurements.noisy import NoisyScores
from synth.core.model import Model
from synth.core.numbers import number_of
from synth.core.progress import Progress
from synth.mechanisms.base import Problem
from synth.mechanisms.first_look import FirstLook, gaps_to
from synth.mechanisms.selection.split import MEAN_ABSOLUTE, sigma_grid, split
from synth.private.queries import Interaction, Scores
from synth.private.source import Source

CLEAR, CLEAR_ENOUGH = 0.02, 0.08
"""Of all records, in L1 distance: with all tables of three columns measured alike, by so much noise may put
an average one off if a look is to be of use. On NLTCS a model of pairs is off by half of the first on
average, in some by twice as much. The second where the table is for more than pairs: there, at epsilon 2.5,
triples are .0029 off for .0055, pairs .0012 for .0011 (three runs)."""


OF_PAIR = 1 / 5
"""The price of an interaction of three columns over that of one of two: between four and seven make the noise
of all pairs and all triples of 10 to 20 yes-no columns least, and pairs lose a seventh to a sixth by it."""


@dataclass(frozen=True, eq=False, kw_only=True)
class TripleLook:
    """`scores`: the answer. `likely`: how far each table is from the model, in counts, without the luck of
    the draw."""

    scores: tuple[NoisyScores, ...]
    likely: dict[Clique, float]


def wants_triples(problem: Problem) -> bool:
    """Whether tables of three columns and more are what the table is for."""
    return any(len(r) > 2 for r in problem.workload.cliques)


def triples_of(domain: Domain, look: FirstLook) -> list[Clique]:
    """All tables of three columns with more than one code whose pairs were looked at."""
    varied = [name for name in domain.names if domain.size([name]) > 1]
    tables = [domain.clique(names) for names in combinations(varied, 3)]
    return [r for r in tables if all(pair in look.weights for pair in combinations(r, 2))]


def triples_are_clear(source: Source, problem: Problem, look: FirstLook, *, rho: float) -> bool:
    """Whether all tables of three columns, measured alike at this price, would on average be clear enough for
    what the table is for; or all their interactions, beside those of the pairs."""
    tables = triples_of(source.domain, look)
    if not tables:
        return False
    if look.interactions:
        each = rho * OF_PAIR / (len(look.weights) + OF_PAIR * len(tables))
        noise = float(np.mean([_noise(source, r, each) for r in tables]))
    else:
        cells = float(np.mean([source.domain.size(r) for r in tables]))
        noise = cells * MEAN_ABSOLUTE * source.terms.sigma(rho / len(tables))
    return noise <= (CLEAR_ENOUGH if wants_triples(problem) else CLEAR) * look.total


def _noise(source: Source, r: Clique, rho: float) -> float:
    """The expected L1 norm of the noise of an interaction at a price, in counts."""
    question = Interaction.of(source.domain, r)
    return source.domain.size(r) * MEAN_ABSOLUTE * question.cell_sigma(rho, source.terms)


def look_at_triples(
    source: Source, problem: Problem, look: FirstLook, model: Model, *, share: float, done: float
) -> TripleLook:
    """Look at all tables of three columns at a share of what is left. `model` knows their pairs. `done`: the
    part of the budget that was spent before, which progress tells."""
    tables = triples_of(source.domain, look)
    fact = f"looking at {number_of(len(tables), 'table')} of three columns"
    problem.report(Progress(stage="score", done=done, fact=fact))
    expected = dict(zip(tables, model.project_many(tables), strict=True))
    (scores,) = source.ask([(Scores(gaps_to(expected), groups={}), share * source.left.rho)])
    likely = np.maximum(scores.likely, 0.0).tolist()
    return TripleLook(scores=(scores,), likely=dict(zip(tables, likely, strict=True)))


def prices_of_tables(source: Source, look: TripleLook) -> dict[Clique, float]:
    """rho of every table that is worth it, the furthest first, which sum to all that is left; none if no
    table is. Tables of three columns tell of their pairs, so that these get nothing of their own."""
    tables, likely = list(look.likely), np.array(list(look.likely.values()))
    sigmas = sigma_grid(source.terms.sigma(source.left.rho / len(tables)))
    cells = np.array([source.domain.size(r) for r in tables])
    costs = np.minimum(np.outer(cells, MEAN_ABSOLUTE * sigmas), likely[:, None])
    costs[:, -1] = likely
    bought, _ = split(costs, sigmas, rho=source.left.rho, price=source.terms.rho_for)
    furthest = sorted(np.flatnonzero(bought).tolist(), key=lambda i: (-likely[i], tables[i]))
    return {tables[i]: float(bought[i]) for i in furthest}


def beyond_noise(domain: Domain, r: Clique, distance: float, noise: Mapping[Clique, float]) -> float:
    """How far a table is from a model, in counts, less what the noise of the tables inside explains, in
    squares. `noise`: of `noise_of`, for the columns and pairs that were measured."""
    squares = sum(noise[s] ** 2 * domain.size(s) for s in subsets(r)[:-1] if s in noise)
    return math.sqrt(max(distance**2 - (MEAN_ABSOLUTE**2) * squares, 0.0))


def parts_of_interactions(
    source: Source, far: Mapping[Clique, float], pairs: Mapping[Clique, float]
) -> dict[Clique, float]:
    """Parts of all that is left for the interactions of pairs and of those tables of three columns, the
    furthest first, that are further from what their pairs say than the noise they would get. `far`: how far,
    in counts. `pairs`: parts that are theirs alone; one that is not among them and lies in such a table gets
    what the table gets."""
    each = OF_PAIR * sum(pairs.values()) / len(pairs)
    furthest = sorted(far, key=lambda r: (-far[r], r))

    def parts(count: int) -> dict[Clique, float]:
        tables = furthest[:count]
        held: dict[Clique, float] = dict.fromkeys((pair for r in tables for pair in combinations(r, 2)), each)
        return {**dict.fromkeys(tables, each), **held, **pairs}

    def is_clear(place: int) -> bool:
        rho = source.left.rho * each / sum(parts(place + 1).values())
        return far[furthest[place]] > _noise(source, furthest[place], rho)

    clear = bisect_left(range(len(furthest)), True, key=lambda place: not is_clear(place))
    return parts(clear)

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

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from synth.answers import NoisyScores
from synth.domain import Clique, Domain
from synth.measure.questions import Scores
from synth.measure.source import Source
from synth.mechanisms.base import Problem
from synth.mechanisms.first_look import FirstLook, gaps_to
from synth.model import Model
from synth.numerals import number_of
from synth.progress import Progress
from synth.select.split import MEAN_ABSOLUTE, sigma_grid, split

CLEAR, CLEAR_ENOUGH = 0.02, 0.08
"""Of all records, in L1 distance: with all tables of three columns measured alike, by so much noise may put
an average one off if a look is to be of use. On NLTCS a model of pairs is off by half of the first on
average, in some by twice as much. The second where the table is for more than pairs: there, at epsilon 2.5,
triples are .0029 off for .0055, pairs .0012 for .0011 (three runs)."""


@dataclass(frozen=True, eq=False, kw_only=True)
class TripleLook:
    """`scores`: the answer. `prices`: rho of every table that is worth it, which sum to what was offered;
    none if no table is."""

    scores: tuple[NoisyScores, ...]
    prices: dict[Clique, float]


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
    what the table is for."""
    tables = triples_of(source.domain, look)
    if not tables:
        return False
    cells = float(np.mean([source.domain.size(r) for r in tables]))
    most = CLEAR_ENOUGH if wants_triples(problem) else CLEAR
    return cells * MEAN_ABSOLUTE * source.terms.sigma(rho / len(tables)) <= most * look.total


def look_at_triples(
    source: Source, problem: Problem, look: FirstLook, model: Model, *, share: float, done: float
) -> TripleLook:
    """Look at all tables of three columns at a share of what is left, and split the rest over them. `model`
    knows their pairs. `done`: the part of the budget that was spent before, which progress tells."""
    tables = triples_of(source.domain, look)
    fact = f"looking at {number_of(len(tables), 'table')} of three columns"
    problem.report(Progress(stage="score", done=done, fact=fact))
    expected = dict(zip(tables, model.project_many(tables), strict=True))
    (scores,) = source.ask([(Scores(gaps_to(expected), groups={}), share * source.left.rho)])
    likely = np.maximum(scores.likely, 0.0)
    sigmas = sigma_grid(source.terms.sigma(source.left.rho / len(tables)))
    cells = np.array([source.domain.size(r) for r in tables])
    costs = np.minimum(np.outer(cells, MEAN_ABSOLUTE * sigmas), likely[:, None])
    costs[:, -1] = likely
    bought, _ = split(costs, sigmas, rho=source.left.rho, price=source.terms.rho_for)
    furthest = sorted(np.flatnonzero(bought).tolist(), key=lambda i: (-likely[i], tables[i]))
    return TripleLook(scores=(scores,), prices={tables[i]: float(bought[i]) for i in furthest})

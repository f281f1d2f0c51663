"""PrivMRF: a Markov random field over wide marginals (Cai, Lei, Wei, Xiao; VLDB 2021).

Pseudo-code (comments in `run` use the same numbers)
  1. Measure every column with a small part of rho, and estimate the number of records N from the columns.
  2. Score the dependence of all pairs at once, with 0.1 of rho.
  3. Build the attribute graph: add the strongest pairs first, while the triangulation is within the capacity.
  4. Call a marginal useful if the mean count of its cells is at least theta times their expected noise. This
     is the noise if d + 0.8 d marginals share the remaining budget.
  5. Build a network of useful families by R-score in every maximal clique, measure at most the d best
     families, and fit a model p.
  6. Make min(d / 2, 8) steps with 0.1 of rho in total. In each step, draw up to 400 useful marginals inside
     cliques by weight, and:
  7.   Score ||M_r(D) - M_r(p)||_1 for all of them at once.
  8.   Measure those with the largest errors, 0.8 d in all steps together, and fit p.
  9.   Halve the weights of the lower half.
  10. If no candidates remain, measure the same marginals again with the remaining budget. Fit the final
      model.

Necessary differences from the paper:

- N uses part of the budget. The authors' code adds noise of about one record to N without charging any
  budget, although a value of N with so little noise costs ten times the whole budget.
- Dependence is measured in counts, where its sensitivity is 4, and not as a share of the secret N.

Other differences:

- N is estimated from all columns, not from a separate count: the columns cost little, and the ridge fit uses
  them.
- Line 3 adds pairs in the order of their scores, while the paper computes the fill-in of every pair again in
  every step.
- Networks start from the strongest column and parents are added greedily, while the paper starts from any
  column and tries all sets (`families`).
- All marginals have the same privacy cost, as in the paper, except in line 10.
- The fit is the ridge fit of `models.pgm`.

Privacy: d measurements, one batch of pair scores (sensitivity 4), one batch of L1 scores (sensitivity 1) per
step, and the measurements of the selected marginals. `rng` draws candidates but never noise. Cost: about d^2
/ 2 triangulations, and one fit per step.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from synth.core.domain import Clique
from synth.core.graphs.junction import JunctionGraph
from synth.core.numbers import number_of
from synth.core.options import option
from synth.mechanisms.selection.candidates import WeightedCandidates
from synth.mechanisms.selection.correlation import wanted_pairs
from synth.mechanisms.selection.families import Strength, families
from synth.mechanisms.shared.answers import Answers
from synth.mechanisms.shared.base import CELLS_PER_MB, Fitted, Mechanism, Occasion, Problem, Purpose
from synth.mechanisms.shared.shared_options import capacity, columns_share
from synth.private.scores import InDif, L1Gap
from synth.private.source import Source

DRAWN = 400
"""Number of candidates that are scored in one step."""


@dataclass(frozen=True, kw_only=True)
class PrivMRF(Mechanism):
    """Hyper-parameters of PrivMRF. The values are those of the paper, except for the capacity (5e7 cells in
    the paper).
    """

    name: ClassVar[str] = "privmrf"
    title: ClassVar[str] = "PrivMRF"
    purpose: ClassVar[Purpose] = Purpose.MODEL
    summary: ClassVar[str] = (
        "Builds a graph of related columns, and measures larger tables where the graph is dense."
    )
    column_power: ClassVar[float] = 0.0
    suits: ClassVar[str] = "Tables with groups of three or more related columns, at larger budgets."
    avoid: ClassVar[str] = "Small budgets, because the counts of large tables then fall below the noise."
    pace: ClassVar[float | None] = 0.6
    paper: ClassVar[str] = (
        "Cai et al., Data Synthesis via Differentially Private Markov Random Fields, VLDB 2021"
    )

    columns_share: float = columns_share(0.05, high=0.5)
    scores_share: float = option(
        0.1,
        label="Scores share",
        help="Share of the budget for the scores of pairs, and the same again for the search steps.",
        low=0.01,
        high=0.2,
        part="looking",
    )
    theta: float = option(
        6.0,
        label="Usefulness",
        help="Minimum ratio between the mean count of a table's cells and their noise.",
        low=1,
        high=100,
    )
    arity: int = option(
        6, label="Columns per table", help="Maximum number of columns in one table.", low=2, high=8
    )
    capacity_mb: float = capacity()

    def is_avoided(self, occasion: Occasion) -> bool:
        return occasion.epsilon < 1

    def run(self, source: Source, problem: Problem, *, rng: np.random.Generator) -> Fitted:
        domain, answers = source.domain, Answers(self, source, problem)
        d, budget, looking = len(domain), source.left.rho, self.scores_share * source.left.rho
        one_ways = [(name,) for name in domain.names]
        answers.measure_each(one_ways, rho=self.columns_share * budget / d)  # line 1
        problem.tell("graph", self.columns_share, f"measured {number_of(d, 'column')}")
        graph, strength = self._attribute_graph(source, problem, answers, rho=looking)  # lines 2 and 3
        wanted, rest = int(0.8 * d), source.left.rho - looking
        noise = math.sqrt(2 / math.pi) * source.terms.sigma(rest / (d + wanted))

        def useful(r: Clique) -> bool:  # line 4
            return len(r) <= self.arity and domain.size(r) * self.theta * noise <= answers.total

        measured = families(domain, graph.maximal, strength, useful=useful, most=d)  # line 5
        pool = WeightedCandidates.inside(graph.maximal, useful, arity=self.arity).without(measured)
        price = (rest if pool else source.left.rho) / (len(measured) + (wanted if pool else 0))
        answers.measure_each(measured, rho=price)
        model = answers.fit()
        steps = min(d // 2, 8)
        for step in range(steps if pool else 0):  # line 6
            drawn = pool.draw(DRAWN, rng)
            gap = L1Gap(
                cliques=drawn,
                estimates=tuple(model.project_many(drawn)),
                weights=(1,) * len(drawn),
                penalties=(0.0,) * len(drawn),
            )
            scores = answers.score(gap, rho=looking / steps)  # line 7
            drawn, order = tuple(scores.score.cliques), np.argsort(-scores.values, kind="stable")
            count = wanted * (step + 1) // steps - wanted * step // steps
            chosen = [drawn[i] for i in order[:count]]
            answers.measure_each(chosen, rho=price)  # line 8
            model = answers.fit(model)
            pool = pool.halved([drawn[i] for i in order[len(order) // 2 :]]).without(chosen)  # line 9
            measured = measured + chosen
            fact = f"measured {len(measured):,} of {number_of(d + wanted, 'table')}"
            problem.tell("steps", answers.done, fact)
            if not pool:
                break
        if source.left.rho > price / 2:  # line 10
            answers.measure_all(dict.fromkeys(measured, 1 / len(measured)), rho=source.left.rho)
        return answers.fitted(model)

    def _attribute_graph(
        self, source: Source, problem: Problem, answers: Answers, *, rho: float
    ) -> tuple[JunctionGraph, Strength]:
        """Return the graph of strong pairs, and their noisy total variation distances from independence."""
        domain, limit = source.domain, self.capacity_mb * CELLS_PER_MB
        graph = JunctionGraph.of(domain, [zero.clique for zero in problem.zeros])
        strength = np.zeros((len(domain), len(domain)))
        pairs = tuple(wanted_pairs(domain, problem.workload.candidates()))
        if pairs:
            noisy = answers.score(InDif(pairs), rho=rho).values
            a, b = np.array([domain.axes(pair) for pair in pairs]).T
            strength[a, b] = strength[b, a] = np.clip(noisy / (2 * answers.total), 0.0, 1.0)
            for i in np.argsort(-noisy, kind="stable"):
                if noisy[i] > 0 and graph.fits(pairs[i], limit):
                    graph = graph.joined(pairs[i])
        return graph, strength

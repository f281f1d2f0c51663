"""Blend, the default method: measure the pairs that matter, and blend models of the noisy measurements.

Notation. The table has d columns and m pairs of columns, and column i has n_i codes. For a set r of columns,
M_r is the table of counts and c_r its number of cells. N is the noisy record count, and p_i are the noisy
proportions of column i. rho is the remaining budget, sigma(x) the noise of a measurement that costs x, and
w_r the weight of pair r in the workload. The numbers below are the constants in the table of
`blend.constants`.

Algorithm.
  1. Columns. Measure N with 0.5% of rho. Then measure each column i at the cost
         s rho n_i^(2/3) / sum_j n_j^(2/3),
     where the share s is `selection.split.one_way_share`.
  2. Scores. Score all pairs r = (a, b), with 0.1% to 5% of rho (`likely_scoring`):
         e_r = ||M_r - N p_a p_b||_1 + noise.
  3. Plan. Predict the error of two plans, and choose the plan with the smaller error. Separate costs:
         T = min sum_r w_r E_r(sigma(x_r)) over costs x_r with sum_r x_r = rho,
     where E_r <= e_r is the expected error of a table after shrinkage. Equal costs, with a model that learns
     from all pairs:
         A = sum_r w_r (sd(e) + 0.8 sigma(rho / m) sqrt(c_r)) / sqrt((d - 2) / 2).
  4. Pairs. Let t = N / (mean(c) sigma(rho / m)) and u = max(0, 1 - t / 5). Separate costs: if z is the excess
     of the mean e_r over sampling error, in standard deviations, measure the columns again with
     u min(0.9, 2 / max(z, 0)^2) rho, unless there is a target. Then measure the pairs at the costs that
     minimise T. For pairs outside the best clique tree, the part of e_r that is not sampling error is
     multiplied by 0.6. Merge neighbouring codes into the finest groups with a predicted error of at most 1.1
     times the smallest.
     Equal costs: measure the columns again with u 2 min(s, 0.4 - s) rho, and then all pairs at the same cost.
     Merge codes only if t < 0.7.
  5. Larger tables. Skip this line unless the predicted error of all triples is at most 0.02 N (case a), or
     scores of all triples with noise 0.055 N cost at most 6% of rho (case b). If the workload contains
     triples, these limits are 0.08 N and 20%. Spend 40% (a) or 25% (b) of rho on line 4, fit a model, and
     score all triples, with 10% of the rest in case a:
         x_r = ||M_r - model_r||_1 + noise.
     Measure the triples with x_r above their noise (a), or with x_r^2 - u_r^2 > (N / 4)^2 (b), where u_r is
     the part of x_r that sampling and the errors of pairs explain. In case b, triples get at most 15% of the
     rest, and noise alone leads to a measured triple with a probability of at most 1%. The pairs get what
     remains.
     Target: proceed as in case b for the tables of the target with 2 to 4 other columns, and score up to
     three with an excess again, smaller tables first. Spend 40% of the rest on those that still have an
     excess, or on 40 tilings if they are too large or too noisy. In line 3, the pairs of the target
     get the same total weight as all other pairs, and equal costs require A < T / 2.
  6. Interactions. If no column has more than three codes, measure interactions instead of tables in lines 1
     to 5. Line 5 then also scores all tables of four columns if detecting x_r = N / 2 costs at most 1% of
     rho.
  7. Weights. Draw e ~ N(0, sigma^2) for each measurement y. Fit a tree, a forest, a mixture and a copula to
     y + e / 2, and find the weights with which their blend is closest to y - 2 e, which also determines the
     steps and the pull of the mixture. Both are independent given the true counts (`models.blend`).
  8. Records. Fit the models again to y, blend their tables of pairs by these weights, draw records, and swap
     values towards the blended tables.

A public starting table changes lines 2 to 7. Line 2 measures the distances from this table with the noisy
columns, and lines 3 and 4 use the likely values of e_r. Line 3 chooses the plan and the groups as if there
were no starting table: if s_r is the distance of the starting table from independence, the distance of a pair
from independence is about sqrt(e_r^2 + s_r^2). In A, sd(e) / sqrt((d - 2) / 2) is at most the root mean
square of e_r. Line 5 is skipped unless there is a target. In line 7, the starting table and independence are
further models, and departures are measured from the starting table instead of from independence. The noisy
columns are shrunk towards the columns of the starting table (`models.estimates.starting`). Within groups of
codes, the starting table determines the proportions.

Source: our own method. Privacy: all queries are measurements or scores of sensitivity 1 with Gaussian noise;
there are at most three batches of scores. Every decision depends only on noisy measurements, public facts and
the run's own random number generator. Bounds: tables that are measured in the domain's own codes have a
bound, as in Grove. Time: one to two times the time of Grove on tables of 15 to 50 columns, and two to three
times as much with a target or in case a.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from synth.core.domain import Domain
from synth.core.measurements.chance import by_chance
from synth.core.measurements.noisy import Answer
from synth.core.numbers import number_of
from synth.core.options import check_columns, option
from synth.mechanisms.blend import constants as c
from synth.mechanisms.blend.first_pass import FirstPass, first_pass, likely_scoring
from synth.mechanisms.blend.measuring import Measuring
from synth.mechanisms.blend.pair_plans import (
    allocation_of,
    columns_again,
    error_alike,
    error_one_by_one,
    plan_alike,
    plan_one_by_one,
)
from synth.mechanisms.blend.target import Target, weights_with, with_target
from synth.mechanisms.blend.triples import all_are_clear, tables_to_score, with_all_triples, with_few_triples
from synth.mechanisms.shared.answers import evidence_of
from synth.mechanisms.shared.base import Fitted, Mechanism, Occasion, Outlook, Problem, Prospect, Purpose
from synth.mechanisms.shared.columns_first import likely_share, suits_interactions
from synth.mechanisms.shared.shared_options import decided_columns_share, decided_looking_share
from synth.models.blend.blend import BlendedRecords
from synth.models.blend.refined import RefinedRecords, clique_cells_option
from synth.private.source import Source


@dataclass(frozen=True, kw_only=True)
class Blend(Mechanism):
    """Options: the largest clique of the tree, the budget share of each step, and a target column."""

    name: ClassVar[str] = "blend"
    title: ClassVar[str] = "Blend"
    purpose: ClassVar[Purpose] = Purpose.GENERAL
    summary: ClassVar[str] = (
        "Scores all pairs of columns, measures the important ones, and combines four models of the "
        "noisy measurements: a tree, a forest, a mixture and a copula."
    )
    paper: ClassVar[str] = "Our own, not yet published"
    suits: ClassVar[str] = "Any table: with few or many relations, narrow or wide, at any budget."
    avoid: ClassVar[str] = (
        "Relations of four or more columns that no pair shows, unless you declare a target. Relations "
        "of three columns at a small budget, with few rows, or with more than 27 columns."
    )
    generator: ClassVar[str] = "blend"
    pairs_per_column: ClassVar[float] = math.inf
    joins: ClassVar[bool] = False
    tiles: ClassVar[bool] = True
    starts: ClassVar[bool] = True

    columns_share: float = decided_columns_share()
    looking_share: float = decided_looking_share()
    target: str = option(
        "",
        label="Target",
        help="A column that the other columns should predict. Its pairs get more of the budget. Its tables "
        "with two to four other columns are scored, and measured if they contain more than the pairs. Empty: "
        "no target.",
        is_column=True,
    )
    target_share: float = option(
        0.05,
        label="Target share",
        help="Part of the remaining budget for scoring the tables of the target.",
        low=0.01,
        high=0.5,
    )
    clique_cells: int = clique_cells_option()

    def own_generator(self) -> BlendedRecords:
        return BlendedRecords(clique_cells=self.clique_cells)

    def asks_interactions(self, sizes: Sequence[int]) -> bool:
        return suits_interactions(sizes)

    def is_avoided(self, occasion: Occasion) -> bool:
        return occasion.k > 2

    def first_pass(self, prospect: Prospect) -> float | None:
        interactions = self.asks_interactions(prospect.sizes)
        return self.columns_share or likely_share(prospect, interactions=interactions)

    def choosing_pass(self, prospect: Prospect) -> float:
        return likely_scoring(prospect.sizes, total=prospect.rows, sigma=prospect.sigma)

    def outlook(self, domain: Domain, *, k: int) -> Outlook | None:
        """Return limits of the time, based on measurements on Adult, NLTCS and synthetic tables of 25 to 50
        columns. All models are fitted twice, and the second fit starts from the first. With a target, a run
        takes up to three times as long.
        """
        pairs = math.comb(len(domain), 2) if k > 1 else 0
        cells = min(self.clique_cells * max(1, len(domain) // 3), math.prod(domain.sizes))
        scores_triples = math.comb(len(domain), 3) <= c.MOST_TRIPLES
        fits = 3 if self.target else 2 if scores_triples else 1
        slowest = fits * (2 + 15e-3 * pairs + 2e-6 * cells + (30 if pairs else 0))
        return Outlook.of((0.1 + 1e-3 * pairs, slowest), cells=cells)

    def run(self, source: Source, problem: Problem, *, rng: np.random.Generator) -> Fitted:
        check_columns(self, source.domain.names)
        budget = source.left.rho
        first = first_pass(  # lines 1 and 2
            source,
            problem,
            columns_share=self.columns_share,
            looking_share=self.looking_share,
            interactions=self.asks_interactions(source.domain.sizes),
        )
        if self.target:
            first = replace(first, weights=weights_with(self.target, first.weights))
        requested: tuple[Answer, ...] = ()
        if first.weights:
            m = self._planned(source, problem, first, budget)  # lines 3 and 4
            first, requested = m.first, self._measured(m, rng)  # line 5
        evidence = evidence_of([*first.measured, *first.scores, *requested], source, problem)
        tables = len(evidence.measurements) + len(evidence.tilings)
        problem.tell("fit", 1.0, f"fitting {number_of(tables, 'table')}")
        return self.modelled(evidence, problem)  # lines 7 and 8

    def _planned(self, source: Source, problem: Problem, first: FirstPass, budget: float) -> Measuring:
        """Return the plan for the pairs with the smaller predicted error."""
        allocation = allocation_of(source, problem, first, first.distances)
        afresh = replace(allocation, errors=first.departures)
        least = c.ALIKE_IF if self.target else 1.0
        is_alike = error_alike(source, first) < least * error_one_by_one(afresh, source)
        keeps = self.columns_share or (self.target and not is_alike)
        again = 0.0 if keeps else columns_again(source, first, is_alike=is_alike)
        first = first.with_columns(source, problem, share=again, budget=budget)
        if is_alike:
            plan = plan_alike(allocation, source, first)
        else:
            held = [z.clique for z in problem.zeros]
            sampling = {r: by_chance(first.expected[r]) for r in first.weights}
            plan = plan_one_by_one(allocation, source, held, cap=self.clique_cells, sampling=sampling)
        return Measuring(source, problem, first, plan.coarsening, plan.parts, budget)

    def _measured(self, m: Measuring, rng: np.random.Generator) -> tuple[Answer, ...]:
        """Measure the pairs, and also larger tables if the generator uses them and the budget allows it."""
        source, problem, first = m.source, m.problem, m.first
        follower = problem.follower or problem.generator or self.own_generator()
        if self.target:
            target = Target(
                name=self.target,
                share=self.target_share,
                cells=self.clique_cells,
                may_tile=follower.tiles,
            )
            return with_target(m, target, self.own_generator(), rng)
        if isinstance(follower, BlendedRecords) and problem.start is None:
            in_one_clique = not m.coarsening.groupings and source.domain.size() <= self.clique_cells
            rest = (1 - c.BEFORE_ALL_TRIPLES) * (1 - c.ALL_TRIPLES_SCORING) * m.left
            if in_one_clique and all_are_clear(source, problem, first, rho=rest):
                return with_all_triples(m, self.own_generator())
            few = tables_to_score(source, problem, first)
            if few is not None:
                tree = RefinedRecords(clique_cells=self.clique_cells)
                return with_few_triples(m, few, tree, rng)
        return m.measure(m.left, m.parts)

"""Blend, the default: measure the pairs that matter, and blend models of the noisy measurements.

Pseudo-code. d columns of n_i codes; rho, the remaining budget; sigma(x), the noise at cost x; N, the noisy
record count; w_r, the weight of pair r in the workload; c_r, its cells.
  1. Measure N (0.5% of rho) and every column: costs ~ n_i^(2/3), share s = `selection.split.one_way_share`.
  2. Score all pairs at once: e_r = ||M_r - N p_a p_b||_1 + noise, for 0.1% to 5% of rho (`likely_scoring`).
  3. Predict the error of two plans and take the smaller. One by one: T = min sum_r w_r E_r(sigma_r) over
     costs that sum to rho, E_r <= e_r the error of a table after shrinkage. Alike: A = sum_r w_r (sd(e) + 0.8
     sigma(rho / pairs) sqrt(c_r)) / sqrt((d - 2) / 2), by a model that all pairs inform.
  4. Alike: with t = N / (mean(c) sigma), measure columns again for 2 min(s, 0.4 - s) max(0, 1 - t / 5) of
     rho, then all pairs at the same cost. One by one: the costs of T, with e_r beyond its sampling error
     counted 0.6 times beside the best clique tree. Codes merge into the shortest runs with T within 10% of
     its least; alike they do so only if t < 0.7.
  5. If the error of all triples is <= 2% of N, or scores with noise 0.055 N cost <= 6% of rho: spend 40% or
     25% on line 4, fit, score x_r = ||M_r - model_r||_1 of all triples, measure those with x_r above their
     noise, or x_r^2 - (what pairs and sampling explain) > (N / 4)^2; line 4 gets the rest. With a target: the
     same for its tables with 2 to 4 columns: 40% for 3 clear ones, or all for 40 tilings if none is. In line
     3 its pairs then weigh as much together as all others, and A has to be below T / 2.
  6. If no column has more than three codes, lines 1 to 5 measure interactions instead of tables. Line 5 then
     also scores all sets of four columns, where finding an x_r of N / 2 costs <= 1% of rho.
  7. Fit tree, forest, mixture and copula to y + e / 2 and find the weights that are nearest to y - 2 e, with
     e ~ N(0, sigma^2): both are independent given the truth (`models.blend`).
  8. Refit to y, blend the pair tables by these weights, draw records, swap them towards the tables.

With a public starting table, line 2 measures distances from it with the noisy columns, and lines 3 to 5 use
the likely distances e_r. Line 3 chooses the plan and the groups as if there were no table: with s_r, its
distance from independence, a pair is about sqrt(e_r^2 + s_r^2) from independence. In A, sd(e) / sqrt((d - 2)
/ 2) is at most the root mean square of e_r. Line 5 scores nothing more. The table and independence are
further models of line 7, and departures from independence become departures from the table. Noisy columns are
shrunk towards its columns (`models.estimates.starting`). Within groups of codes, details are those of the
table.

Our own. Constants: `blend.constants`. Privacy: `measure` and one to three batches of scores of sensitivity 1
each; all noise is Gaussian. Every decision follows from noisy measurements, public facts and the run's own
generator. Bounds: as for Grove, of tables measured in the domain's own codes. Cost: one to two times Grove's
on tables of 15 to 50 columns, two to three times as much with a target or where all triples are clear.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from synth.core.accounting import GAUSSIAN, Law
from synth.core.domain import Domain
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
from synth.mechanisms.selection.resolution import by_chance
from synth.mechanisms.shared.answers import evidence_of
from synth.mechanisms.shared.base import Fitted, Mechanism, Occasion, Outlook, Problem, Prospect, Purpose
from synth.mechanisms.shared.columns_first import likely_share, suits_interactions
from synth.mechanisms.shared.shared_options import decided_columns_share, decided_looking_share
from synth.models.blend.blend import BlendedRecords
from synth.models.blend.refined import RefinedRecords, clique_cells_option
from synth.private.source import Source


@dataclass(frozen=True, kw_only=True)
class Blend(Mechanism):
    """The largest clique of the tree, the shares of each step, and a target."""

    name: ClassVar[str] = "blend"
    law: ClassVar[Law] = GAUSSIAN
    title: ClassVar[str] = "Blend"
    purpose: ClassVar[Purpose] = Purpose.GENERAL
    summary: ClassVar[str] = (
        "Scores all pairs of columns, measures the important ones, and combines four models of the "
        "noisy measurements: a tree, a forest, a mixture and a copula."
    )
    paper: ClassVar[str] = "Our own; in no paper yet"
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
        help="A column that the others should predict. Its pairs get more of the budget. Its tables with two"
        " to four other columns are scored, and measured if they add to the pairs. Empty: no target.",
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
        """Measured on Adult, NLTCS and synthetic tables of 25 to 50 columns. Models are fitted twice, the
        second time starting from the first fit; up to three times as long with a target.
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
        """Take the plan for the pairs with the smaller predicted error."""
        allocation = allocation_of(source, problem, first, first.distances)
        afresh = replace(allocation, errors=first.departures)
        least = c.ALIKE_IF if self.target else 1.0
        if error_alike(source, first) < least * error_one_by_one(afresh, source):
            again = 0.0 if self.columns_share else columns_again(source, first)
            if again > 0:
                left = source.left.rho
                first = first.with_columns(source, problem, rho=again * left, done=1 - left / budget)
            plan = plan_alike(allocation, source, first)
        else:
            held = [z.clique for z in problem.zeros]
            sampling = {r: by_chance(first.expected[r]) for r in first.weights}
            plan = plan_one_by_one(allocation, source, held, cap=self.clique_cells, sampling=sampling)
        return Measuring(source, problem, first, plan.coarsening, plan.parts, budget)

    def _measured(self, m: Measuring, rng: np.random.Generator) -> tuple[Answer, ...]:
        """Measure the pairs, and larger tables where they are worth it and the generator reads them."""
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

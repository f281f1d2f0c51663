"""Grove: score every pair once, measure the important pairs, and adjust the records to all of them by swaps.

Pseudo-code (comments in `run` use the same numbers)
  1. Measure the smallest column with 0.5% of rho for an approximate number of records. Then measure every
     column at a cost proportional to n^(2/3). The share of the columns grows as the budget shrinks
     (`selection.split.one_way_share`). Let p be the independent model of these columns.
  2. Score all pairs of the workload at once, in groups of codes that avoid almost empty cells, with at most
     5% of rho: e_ab = ||M_ab - M_ab(p)||_1 + noise. Subtract the square of the sampling error from e_ab^2.
     If they hardly show a relation, measure the columns again with most of the rest (line 4 of `blend`).
  3. Merge codes into the smallest groups of neighbours for which the predicted error of all pairs is nearly
     minimal. The prediction includes the noise in the cells and the loss inside groups
     (`mechanisms.selection.resolution`).
  4. Grow clique trees by e_ab with a maximum clique size (`growth`). For each tree, split the rest of rho
     over the pairs inside and outside the tree so that the predicted error after shrinkage is minimal
     (`selection.split`). Keep the best tree.
  5. Measure these pairs, starting with the pairs of the tree.
  6. Fit the tree, correct the other pairs by their measurements, and swap records towards both
     (`models.refined`).

Grove is based on the select-measure-generate steps of MST (McKenna, Miklau, Sheldon 2021), on InDif of
PrivSyn (Zhang et al. 2021) and ABSyn, and on the greedy cliques of PrivMRF. Here, InDif is computed with the
*noisy* columns, which are already public. One record therefore changes a score by at most one instead of
four. Our own parts are the split that includes shrinkage, the tables outside the tree, and the swaps.

Privacy: steps 1, 2 and 5 measure, and step 2 also has one batch of scores of sensitivity 1 per pair. All
noise is Gaussian. Every decision depends only on noisy measurements and public facts. Constants:
`blend.constants`. Bounds: pairs measured in the domain's own codes have a bound, but pairs in coarser codes
have none. Cost: one to two seconds on Adult at any epsilon, half of which is for swaps, and an eighth of a
second on NLTCS. The tree does not grow with the budget.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from synth.core.domain import Domain
from synth.core.measurements.noisy import Answer
from synth.core.numbers import number_of
from synth.mechanisms.blend.first_pass import first_pass, likely_scoring
from synth.mechanisms.blend.measuring import Measuring
from synth.mechanisms.blend.pair_plans import allocation_of, columns_again, plan_one_by_one
from synth.mechanisms.selection.resolution import without_sampling
from synth.mechanisms.shared.answers import evidence_of
from synth.mechanisms.shared.base import Fitted, Mechanism, Occasion, Outlook, Problem, Prospect, Purpose
from synth.mechanisms.shared.columns_first import likely_share
from synth.mechanisms.shared.shared_options import decided_columns_share, decided_looking_share
from synth.models.blend.refined import RefinedRecords, clique_cells_option
from synth.private.source import Source


@dataclass(frozen=True, kw_only=True)
class Grove(Mechanism):
    """Options: the largest clique of the tree, and the budget share of each step."""

    name: ClassVar[str] = "grove"
    title: ClassVar[str] = "Grove"
    purpose: ClassVar[Purpose] = Purpose.GENERAL
    summary: ClassVar[str] = (
        "Scores all pairs of columns, measures the most important ones, and adjusts the records to them."
    )
    paper: ClassVar[str] = "Our own, not yet published"
    suits: ClassVar[str] = "Most tables. It is fast, and it is accurate at small and large budgets."
    avoid: ClassVar[str] = "Relations of three columns that no pair shows. AIM can measure them."
    generator: ClassVar[str] = "refined"
    pairs_per_column: ClassVar[float] = math.inf
    joins: ClassVar[bool] = False

    columns_share: float = decided_columns_share()
    looking_share: float = decided_looking_share()
    clique_cells: int = clique_cells_option()

    def own_generator(self) -> RefinedRecords:
        return RefinedRecords(clique_cells=self.clique_cells)

    def is_avoided(self, occasion: Occasion) -> bool:
        return occasion.k > 2

    def first_pass(self, prospect: Prospect) -> float | None:
        return self.columns_share or likely_share(prospect)

    def choosing_pass(self, prospect: Prospect) -> float:
        return likely_scoring(prospect.sizes, total=prospect.rows, sigma=prospect.sigma)

    def outlook(self, domain: Domain, *, k: int) -> Outlook | None:
        """Return limits of the time, based on measurements on Adult, NLTCS and synthetic tables of 30 and 50
        columns. The cliques of the tree overlap in about a third of the columns. Placing a pair takes 0.6 to
        10 ms. A fit takes 200 sweeps of 5 ns per cell. Swaps of very many records stop after about half a
        minute.
        """
        pairs = math.comb(len(domain), 2) if k > 1 else 0
        cells = min(self.clique_cells * max(1, len(domain) // 3), math.prod(domain.sizes))
        slowest = 1 + 10e-3 * pairs + 1e-6 * cells + (30 if pairs else 0)
        return Outlook.of((0.03 + 0.6e-3 * pairs, slowest), cells=cells)

    def run(self, source: Source, problem: Problem, *, rng: np.random.Generator) -> Fitted:
        budget = source.left.rho
        first = first_pass(  # lines 1 and 2
            source, problem, columns_share=self.columns_share, looking_share=self.looking_share
        )
        measured: tuple[Answer, ...] = ()
        if first.weights:
            again = 0.0 if self.columns_share else columns_again(source, first, is_alike=False)
            first = first.with_columns(source, problem, share=again, budget=budget)
            errors = {r: without_sampling(e, first.expected[r]) for r, e in first.distances.items()}
            allocation = allocation_of(source, problem, first, errors)  # line 3
            held = [z.clique for z in problem.zeros]
            plan = plan_one_by_one(allocation, source, held, cap=self.clique_cells, sampling={})  # line 4
            m = Measuring(source, problem, first, plan.coarsening, plan.parts, budget)
            measured = m.measure(m.left, m.parts)  # line 5
        tables = len(first.measured) + len(measured)
        problem.tell("fit", 1.0, f"fitting {number_of(tables, 'table')}")
        evidence = evidence_of([*first.measured, *measured, *first.scores], source, problem)
        return self.modelled(evidence, problem)  # line 6

"""Grove: our own; every pair is looked at once, and what one tree cannot hold grows beside it.

Pseudo-code (the numbers stand again in `run`)
  1. ask the smallest column with 0.5 % of rho: a rough number of records
  2. measure every column with a share that grows as the budget shrinks (`select.split.one_way_share`)
     unless one was given, split by n^(2/3); smooth the columns in order; p is the independent model of these
     columns
  3. coarsen: merge codes that would drown in the noise of a pair's cell (`select.coarsening`), so far that
     pairs have few cells for their records
  4. with 5 % of rho, less where less is fine (`first_look.likely_look`), all at once:
     e_ab = ||M_ab - M_ab(p)||_1 + noise for every pair of the workload
  5. coarsen anew, with runs of neighbours as long as serves the expected error of all pairs: noise in the
     cells against what is lost inside groups, by e_ab (`select.resolution`)
  6. grow clique trees by e_ab under a cap (`select.growth`); for each, split the rest of rho over the pairs
     in and beside the tree so that the expected error after shrinkage is least (`select.split`); keep the
     best
  7. measure these pairs in coarse codes, those of the tree first
  8. fit the tree, pull the others towards it, swap records towards both (`generate.refined`)

Descends from: MST (McKenna, Miklau, Sheldon 2021), whose select-measure-generate it keeps; InDif of PrivSyn
(Zhang et al. 2021) and ABSyn, here against the *noisy* columns, which are public already, so that one record
moves a score by at most one and not four; PrivMRF's greedy cliques. Ours: the shrinkage-aware split, the
tables beside the tree, the swaps.
Privacy: steps 1, 2 and 7 are `measure`, step 4 is one `score` of sensitivity 1 per pair; all noise is
Gaussian. What is chosen in between follows from noisy answers and public facts. No constant below belongs to
a table. Bounds: pairs measured in the domain's own codes have one; of pairs in coarser codes nothing is known
inside a group, and none is claimed.
Cost: on Adult one to two seconds at any epsilon, half of it swaps; on NLTCS, one clique of yes-no columns, an
eighth of a second. The tree does not grow with the budget.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from synth.core.accounting import GAUSSIAN, Law
from synth.core.domain import Clique, Domain
from synth.core.numbers import number_of
from synth.core.options import option
from synth.core.progress import Progress
from synth.mechanisms.answers import evidence_of
from synth.mechanisms.base import (
    CELLS_PER_MB,
    Fitted,
    Mechanism,
    Occasion,
    Outlook,
    Problem,
    Prospect,
    Purpose,
)
from synth.mechanisms.columns_first import best_allocation, likely_share
from synth.mechanisms.first_look import FirstLook, first_look, likely_look
from synth.mechanisms.selection.resolution import without_sampling
from synth.mechanisms.shared_options import decided_columns_share, decided_looking_share
from synth.mechanisms.tree_first import tree_first_prices
from synth.models.refined import RefinedRecords
from synth.private.queries import Marginal
from synth.private.source import Source


@dataclass(frozen=True, kw_only=True)
class Grove(Mechanism):
    """How large a clique of the tree may be; the shares are for who knows what the table is for."""

    name: ClassVar[str] = "grove"
    law: ClassVar[Law] = GAUSSIAN
    title: ClassVar[str] = "Grove"
    purpose: ClassVar[Purpose] = Purpose.GENERAL
    summary: ClassVar[str] = (
        "Looks at all pairs at once, measures those that matter most, and refines the records towards them."
    )
    paper: ClassVar[str] = "Our own; in no paper yet"
    suits: ClassVar[str] = "Most tables: it is fast, and accurate at small budgets as well as at large ones."
    avoid: ClassVar[str] = "Relations of three columns that do not show in any pair; AIM can ask for those."
    generator: ClassVar[str] = "refined"
    pairs_per_column: ClassVar[float] = math.inf
    joins: ClassVar[bool] = False

    columns_share: float = decided_columns_share()
    looking_share: float = decided_looking_share()
    clique_cells: int = option(
        RefinedRecords.clique_cells,
        label="Largest clique",
        help="Most cells of one table of the tree.",
        low=1_000,
        high=10_000_000,
        unit="cells",
    )

    def own_generator(self) -> RefinedRecords:
        return RefinedRecords(clique_cells=self.clique_cells)

    def is_avoided(self, occasion: Occasion) -> bool:
        return occasion.k > 2

    def first_pass(self, prospect: Prospect) -> float | None:
        return self.columns_share or likely_share(prospect)

    def choosing_pass(self, prospect: Prospect) -> float:
        return likely_look(prospect.sizes, total=prospect.rows, sigma=prospect.sigma)

    def outlook(self, domain: Domain, *, k: int) -> Outlook | None:
        """Measured on Adult, NLTCS and invented tables of 30 and 50 columns: the tree's cliques overlap in
        about a third of the columns, a pair takes 0.6 to 10 ms to place, a fit 200 sweeps of 5 ns a cell, and
        swaps of very many records are cut off at about half a minute."""
        pairs = math.comb(len(domain), 2) if k > 1 else 0
        cells = min(self.clique_cells * max(1, len(domain) // 3), math.prod(domain.sizes))
        return Outlook(
            fastest=0.03 + 0.6e-3 * pairs,
            slowest=1 + 10e-3 * pairs + 1e-6 * cells + (30 if pairs else 0),
            model_mb=cells / CELLS_PER_MB,
        )

    def run(self, source: Source, problem: Problem, *, rng: np.random.Generator) -> Fitted:
        budget = source.left.rho
        look = first_look(  # lines 1 to 4
            source, problem, columns_share=self.columns_share, looking_share=self.looking_share
        )
        measured = look.measured
        if look.weights:
            allocation = best_allocation(  # line 5
                source,
                problem,
                look.columns,
                weights=look.weights,
                errors=_errors(look),
                total=look.total,
                typical=look.typical,
            )
            held = [z.clique for z in problem.zeros]
            priced = tree_first_prices(  # line 6
                allocation, source, held, cap=self.clique_cells, by_chance={}
            )
            done = 1 - source.left.rho / budget
            problem.report(
                Progress(stage="measure", done=done, fact=f"measuring {number_of(len(priced), 'pair')}")
            )
            groups = allocation.coarsening.groups
            measured += source.ask([(Marginal(r).within(groups), rho) for r, rho in priced])  # line 7
        problem.report(Progress(stage="fit", done=1.0, fact=f"fitting {number_of(len(measured), 'table')}"))
        evidence = evidence_of([*measured, *look.scores], source, problem)
        generator = problem.generator or self.own_generator()
        model = generator.fit(evidence, seed=problem.seed, device=problem.device, report=problem.report)
        return Fitted(evidence=evidence, model=model)  # line 8


def _errors(look: FirstLook) -> dict[Clique, float]:
    """What is likely to be more than chance in how far each pair is from what was expected of it."""
    values = (value for scores in look.scores for value in scores.values.tolist())
    distances = zip(look.expected.items(), values, strict=True)
    return {r: without_sampling(max(value, 0.0), expected) for (r, expected), value in distances}

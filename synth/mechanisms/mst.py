"""MST: a private maximum spanning tree of pairs (McKenna, Miklau, Sheldon; JPC 2021, section 3).

Pseudo-code (comments in `run` use the same numbers)
  1. Measure every one-way marginal with a third of the budget, and fit independent columns p.
  2. Run Kruskal's algorithm with a third of the budget in d - 1 equal parts. Until no pair is left:
  3.   Let C be the pairs that connect two trees of columns.
  4.   Choose (a, b) in C by w_ab * (||M_ab(D) - M_ab(p)||_1 - noise of its measurement).
  5. Measure the chosen pairs with the remaining budget, and fit the final model.

Differences from the paper:

- Rare values are not merged first, because the fit shrinks noise.
- The expected noise of a pair is subtracted from its score, so that the smaller of two equally strong pairs
  is measured. A pair whose noise exceeds twice the noisy total is excluded, because its score cannot be
  positive. The result can therefore be several trees.
- Pairs are weighted by the workload as in AIM, and pairs outside the workload are not scored.
- Each third of the budget is split over its tables in proportion to cells^(2/3) instead of evenly.
- Structural zeros can close cycles, so the junction tree must stay within its capacity after a pair is added.
- With more than `MOST_AT_ONCE` columns, C contains only the pairs that connect the smallest tree to any
  other. The best of them is an edge of the maximum spanning tree, by the cut property on which the algorithms
  of Boruvka and Prim are based. Without noise, the tree is therefore the same, after d^2 log d instead of d^3
  evaluations of a pair. In this case, p is the product of the columns, regardless of structural zeros, and no
  table of a pair is kept in memory.

Privacy: d measurements, at most d - 1 choices, and at most d - 1 further measurements. One record changes a
score by at most w, upwards for one pair and downwards for another. Therefore, the range is 2 w, or 4 w if
records are replaced. Cost: two fits, and C(d + 1, 3) evaluations of a pair, or d^2 log2(d) / 2 for many
columns. Adult takes 0.3 s, and 50 columns take 3 s.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from synth.core.domain import Clique
from synth.core.graphs.junction import JunctionGraph
from synth.core.numbers import TIMES, number_of
from synth.mechanisms.selection.allocation import shares
from synth.mechanisms.selection.forest import Forest
from synth.mechanisms.shared.answers import Answers
from synth.mechanisms.shared.base import CELLS_PER_MB, Fitted, Mechanism, Occasion, Problem, Purpose
from synth.mechanisms.shared.shared_options import capacity, choosing_share, columns_share
from synth.private.scores import Products
from synth.private.source import Source

MOST_AT_ONCE = 100
"""Maximum number of columns for which every choice evaluates all pairs."""


@dataclass(frozen=True, kw_only=True)
class MST(Mechanism):
    """Hyper-parameters of MST. By default, each step gets a third of the budget, as in the paper."""

    name: ClassVar[str] = "mst"
    title: ClassVar[str] = "MST"
    purpose: ClassVar[Purpose] = Purpose.MODEL
    summary: ClassVar[str] = (
        "Finds the maximum spanning tree of related columns and measures each of its pairs once."
    )
    pace: ClassVar[float | None] = 0.1
    paper: ClassVar[str] = (
        "McKenna, Miklau, Sheldon, Winning the NIST Contest: A Scalable and General Approach to "
        "Differentially Private Synthetic Data, Journal of Privacy and Confidentiality 2021"
    )
    suits: ClassVar[str] = "A first result within seconds, with any number of columns, at moderate budgets."
    avoid: ClassVar[str] = (
        "Tables in which a column depends on several others. The model has one pair per column."
    )

    columns_share: float = columns_share(1 / 3, high=0.49)
    choosing_share: float = choosing_share(1 / 3, what="the tree")
    capacity_mb: float = capacity()

    def is_avoided(self, occasion: Occasion) -> bool:
        return occasion.k > 2

    def run(self, source: Source, problem: Problem, *, rng: np.random.Generator) -> Fitted:
        domain, budget, limit = source.domain, source.left.rho, self.capacity_mb * CELLS_PER_MB
        answers, rounds = Answers(self, source, problem), max(1, len(domain) - 1)
        one_ways = answers.measure_columns(rho=self.columns_share * budget)  # line 1
        model = answers.fit()
        problem.tell("measure", 0.1, f"measured {number_of(len(domain), 'column')}")
        weights: dict[Clique, int] = {
            r: w for r, w in problem.workload.integer_candidates().items() if len(r) == 2
        }
        price = self.choosing_share * budget / rounds
        measuring = (1 - self.columns_share - self.choosing_share) * budget
        noise = answers.noise(weights, rho=measuring / rounds)
        total, is_wide = answers.total, len(domain) > MOST_AT_ONCE
        left = [r for r in weights if noise[r] <= 2 * total]
        columns = {name: model.project((name,)) for name in domain.names}
        estimates = {} if is_wide else dict(zip(left, model.project_many(left), strict=True))
        forest, graph = Forest(len(domain)), JunctionGraph.of(domain, answers.cliques)
        ends = np.array([domain.axes(r) for r in left], dtype=np.int64).reshape(-1, 2)
        waiting, tree = np.arange(len(left)), list[Clique]()
        while len(waiting := waiting[forest.apart(ends[waiting])]):  # line 2
            cut = waiting[forest.cut(ends[waiting])] if is_wide else waiting
            fits = np.array([graph.fits(left[i], limit) for i in cut])  # line 3
            if not fits.all():
                waiting = waiting[~np.isin(waiting, cut[~fits])]
            looked = [left[i] for i in cut[fits]]
            if not looked:
                continue
            tables = Products.of(looked, columns, model.total) if is_wide else [estimates[r] for r in looked]
            # line 4
            chosen, _ = answers.choose_worst(looked, tables, weights=weights, noise=noise, rho=price)
            forest.join(*domain.axes(chosen))
            graph = graph.joined(chosen)
            tree.append(chosen)
            done = 0.1 + 0.8 * len(tree) / rounds
            problem.tell("select", done, f"chose {TIMES.join(chosen)}")
        pairs = shares(domain, dict.fromkeys(tree, 1.0))
        answers.measure_all(pairs or one_ways, rho=source.left.rho)  # line 5
        problem.tell("fit", 1.0, "fitting the model")
        return answers.fitted(model)

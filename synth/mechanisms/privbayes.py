"""PrivBayes+PGM: a private Bayesian network whose families are fitted by a graphical model.

Source: Zhang, Cormode, Procopiuc, Srivastava, Xiao: PrivBayes, TODS 2017, Algorithms 1 to 4; the fit as in
McKenna, Sheldon, Miklau, ICML 2019, section 4.

Pseudo-code (comments in `run` use the same numbers)
  1. Measure every one-way marginal with a share of the budget. Let p be their distributions.
  2. Start with V = {}, and repeat d - 1 times:
  3.   Let C be the families (X, P) of a column X outside V and parents P inside V. A family has the largest
     number of parents with which it is useful: N / n_XP >= usefulness * the noise of one of its cells.
  4.   Choose (X, P) in C by ||M_XP(D) - p_X M_P(D)||_1, and add X to V.
  5. Measure the chosen families with the remaining budget, and fit a model.

Differences from the paper:

- Noise is Gaussian, and costs are accounted in GDP.
- The score uses a public p_X, whereas the paper uses a private one. Its sensitivity is therefore 2 instead of
  4, and it does not contain the secret number of records (`private.scores.Dependence`).
- N and p are estimated from noisy columns, which the paper does not measure.
- The network begins with the best pair instead of a random column.
- Records are drawn from the graphical model of all families, not from chains of conditional distributions.
  Therefore, a family must also keep the junction tree, including structural zeros, within its capacity.
- Usefulness is 2 instead of 4, because the fit shrinks noise.
- The budget is split over the families in proportion to cells^(2/3).
- Columns outside the workload, and columns without a useful family, are modelled as independent.
- The number of parents is reduced if the search would read too many rows.

Privacy: d measurements, at most d - 1 choices whose scores have the range 4, and at most d - 1 further
measurements. Cost: at most C(d + 1, k + 2) evaluations of a family with k parents, and one fit. Adult and
NLTCS take 0.7 s.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from synth.core.domain import Clique
from synth.core.graphs.junction import JunctionGraph
from synth.core.numbers import TIMES, number_of
from synth.core.options import option
from synth.mechanisms.selection.allocation import shares
from synth.mechanisms.selection.network import families, most_parents
from synth.mechanisms.shared.answers import Answers
from synth.mechanisms.shared.base import CELLS_PER_MB, Fitted, Mechanism, Occasion, Problem, Purpose
from synth.mechanisms.shared.shared_options import capacity, choosing_share, columns_share
from synth.private.scores import Dependence
from synth.private.source import Source


@dataclass(frozen=True, kw_only=True)
class PrivBayes(Mechanism):
    """Hyper-parameters of PrivBayes."""

    name: ClassVar[str] = "privbayes"
    title: ClassVar[str] = "PrivBayes+PGM"
    purpose: ClassVar[Purpose] = Purpose.MODEL
    summary: ClassVar[str] = (
        "Builds a Bayesian network column by column. The parents of a column are the columns it "
        "depends on most."
    )
    pace: ClassVar[float | None] = 0.2
    paper: ClassVar[str] = (
        "Zhang et al., PrivBayes: Private Data Release via Bayesian Networks, TODS 2017; fitted as in "
        "McKenna et al., ICML 2019"
    )
    suits: ClassVar[str] = "Tables of up to about 30 columns that each depend on several others."
    avoid: ClassVar[str] = (
        "Many columns or millions of rows. The search is then slow and is limited to pairs."
    )

    columns_share: float = columns_share(0.3, high=0.49)
    choosing_share: float = choosing_share(0.15, what="the network")
    parents: int = option(3, label="Parents", help="Maximum number of parents of a column.", low=1, high=5)
    usefulness: float = option(
        2.0,
        label="Usefulness",
        help="Minimum mean number of rows per cell of a family, in standard deviations of the noise.",
        low=0.1,
        high=100,
    )
    capacity_mb: float = capacity()

    def is_avoided(self, occasion: Occasion) -> bool:
        return occasion.columns > 30

    def run(self, source: Source, problem: Problem, *, rng: np.random.Generator) -> Fitted:
        domain, budget, answers = source.domain, source.left.rho, Answers(self, source, problem)
        one_ways = answers.measure_columns(rho=self.columns_share * budget)  # line 1
        model = answers.fit()
        problem.tell("measure", 0.1, f"measured {number_of(len(domain), 'column')}")
        columns = {name: model.project((name,)) for name in domain.names}
        waiting = [name for name in domain.names if any(name in r for r in problem.workload.cliques)]
        rounds = max(1, len(waiting) - 1)
        parents = most_parents(len(waiting), wanted=self.parents, rows=answers.total)
        price = self.choosing_share * budget / rounds
        noise = source.terms.sigma((1 - self.columns_share - self.choosing_share) * budget / rounds)
        useful = answers.total / (self.usefulness * math.sqrt(2 / math.pi) * noise)
        graph = JunctionGraph.of(domain, answers.cliques)
        placed: list[str] = []
        network: list[Clique] = []
        while waiting:  # line 2
            allowed = self._allowed(graph, useful)
            candidates = families(domain, placed, waiting, parents=parents, allowed=allowed)  # line 3
            if not candidates:
                break
            score = Dependence(tuple(candidates), tuple(candidates.values()), columns)
            chosen = answers.choose(score, rho=price).clique  # line 4
            network.append(chosen)
            placed += [name for name in chosen if name in waiting]
            waiting = [name for name in waiting if name not in chosen]
            graph = graph.joined(chosen)
            done = 0.1 + 0.8 * len(network) / rounds
            problem.tell("select", done, f"joined {TIMES.join(chosen)}")
        tables = shares(domain, dict.fromkeys(network, 1.0)) or one_ways
        answers.measure_all(tables, rho=source.left.rho)  # line 5
        problem.tell("fit", 1.0, "fitting the model")
        return answers.fitted(model)

    def _allowed(self, graph: JunctionGraph, useful: float) -> Callable[[Clique], bool]:
        """Return a function that tests whether a family is small enough to be useful and keeps the model
        within its capacity.
        """
        limit = self.capacity_mb * CELLS_PER_MB
        return lambda r: graph.domain.size(r) <= min(useful, limit) and graph.fits(r, limit)

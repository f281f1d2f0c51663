"""GEM: measure the marginal with the worst cell in each round, and fit a network (Liu, Vietri, Wu; NeurIPS
2021).

Pseudo-code (comments in `run` use the same numbers)
  1. Plan T = 5 d rounds. In each round, alpha of the privacy cost is for measuring and 1 - alpha for
     selecting.
  2. Measure every one-way marginal at the cost of one measurement, and fit a model p.
  3. For t = 1 .. T:
  4.   Choose among the pairs r by max over cells |N M_r(p) - M_r(D)|.
  5.   Measure r, and continue the fit from the previous model.
  6. Fit the final model.

The model is MargNet's network, a mixture of products (`networks.network`). `--generator mixture` fits such a
mixture directly with the same schedule, which is faster.

Differences from the paper:

- Line 5 measures all cells of the chosen marginal. A record is in exactly one of them, so together they cost
  as much as one cell. Therefore, candidates are marginals, scored by their worst cell.
- Line 2: the first model needs the number of records, which is secret here and public in the paper.
- The network is fitted to all cells by the likelihood of their noise, while the paper fits the absolute error
  of the 100 worst cells. Its input is drawn once from the codes of the columns instead of from a normal
  distribution, and the last network is released instead of an average over rounds.
- Counts are measured instead of shares, so that nothing depends on the secret number of records.
- alpha is 0.9 instead of 0.5. On Adult at epsilon 1 with the mixture, this changes the pair TVD from 0.035 to
  0.031 (one run each).

Unlike in the authors' code, no state with true errors is stored.

Privacy: one `choose` and one `measure` per round. One record changes the largest error of a table by at most
one, upwards in one table and downwards in another, so the range is 2. Cost: T + 2 fits of the network, all
except the last with few steps. Adult at epsilon 1 (one run each, on one core) takes 134 s and 587 MB with the
network, and 14 s and 278 MB with the mixture.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import ClassVar

import numpy as np

from synth.core.domain import Clique
from synth.core.numbers import TIMES
from synth.core.options import option
from synth.mechanisms.learned.margnet import NetworkRounds
from synth.mechanisms.shared.answers import Answers
from synth.mechanisms.shared.base import Fitted, Problem, Prospect
from synth.mechanisms.shared.shared_options import measuring_share
from synth.private.scores import LargestGap
from synth.private.source import Source


@dataclass(frozen=True, kw_only=True)
class GEM(NetworkRounds):
    """Hyper-parameters of GEM's schedule, with the number of rounds of the paper. The hyper-parameters of the
    network are separate.
    """

    name: ClassVar[str] = "gem"
    title: ClassVar[str] = "GEM"
    summary: ClassVar[str] = (
        "Measures, in each round, the pair of columns with the cell that a neural network fits worst."
    )
    paper: ClassVar[str] = (
        "Liu, Vietri, Wu, Iterative methods for private synthetic data: unifying framework and new methods, "
        "NeurIPS 2021"
    )
    pairs_per_column: ClassVar[float] = 4.0
    suits: ClassVar[str] = "Tables whose largest counts must be accurate, on a machine with a GPU."
    avoid: ClassVar[str] = (
        "When all cells of a relation matter, not only the worst. MargNet uses all cells, with the "
        "same network."
    )

    rounds: int = option(
        0, label="Rounds", help="Number of rounds. 0 means five per column.", low=0, high=10_000
    )
    alpha: float = measuring_share()

    def first_pass(self, prospect: Prospect) -> float | None:
        columns = len(prospect.sizes)
        rounds = self.likely_rounds(columns) if columns > 1 else 0
        return self.alpha * columns / (rounds + self.alpha * columns)

    def run(self, source: Source, problem: Problem, *, rng: np.random.Generator) -> Fitted:
        domain, budget, answers = source.domain, source.left.rho, Answers(self, source, problem)
        one_ways = [(name,) for name in domain.names]
        pairs: list[Clique] = list(combinations(domain.names, 2))
        if not pairs:
            answers.measure_each(one_ways, rho=budget)
            return answers.fitted()
        rounds = self.likely_rounds(len(domain))  # line 1
        rho = budget / (rounds + self.alpha * len(one_ways))
        answers.measure_each(one_ways, rho=self.alpha * rho)  # line 2
        model = answers.fit()
        for t in range(1, rounds + 1):  # line 3
            gaps = LargestGap(tuple(pairs), tuple(model.project_many(pairs)))
            chosen = answers.choose(gaps, rho=(1 - self.alpha) * rho).clique  # line 4
            answers.measure(chosen, rho=source.left.rho if t == rounds else self.alpha * rho)  # line 5
            model = answers.fit(model)
            problem.tell("rounds", t / rounds, f"measured {TIMES.join(chosen)}")
        return answers.fitted(model)  # line 6

    def likely_rounds(self, columns: int) -> int:
        return self.rounds or 5 * columns

"""AIM: an adaptive and iterative mechanism (McKenna, Mullins, Sheldon, Miklau; VLDB 2022, Algorithm 4).

Pseudo-code (comments in `run` use the same numbers)
  1. Let W+ be the downward closure of the workload, with w_r = sum_s c_s |r & s|.
  2. Plan T = 16 d rounds. In each round, alpha of the privacy cost is for measuring and 1 - alpha for
     selecting.
  3. Measure every one-way marginal and fit a model p.
  4. While there is budget left:
  5.   If the budget does not cover two more rounds, use all of it in this round.
  6.   Let C be the candidates with which the model is smaller than capacity * (fraction of the budget used).
  7.   Choose r in C by w_r * (||M_r(D) - M_r(p)||_1 - sqrt(2/pi) sigma n_r).
  8.   Measure r and fit p.
  9.   If M_r(p) changed by less than its noise, halve sigma and double the epsilon of the selection.
  10. Fit the final model.

Differences from the paper:

- The fit is a ridge towards the independent model (`models.pgm`) instead of mirror descent from the uniform
  model. It is more accurate and much faster.
- n_r counts only the cells that structural zeros allow.
- A candidate whose penalty exceeds twice the noisy total is excluded, because its score cannot be positive.
  This rule uses only public values.
- The weights of W+ are rounded to integers, so that scores are exact.
- Single columns can get a separate budget share (`columns_share`, off by default).

Privacy: one `choose` and one `measure` per round. The source refuses queries that the budget does not cover.
Cost: on Adult, about 35 rounds and fits at epsilon 1, and 50 at epsilon 10.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from synth.core.errors import Mistake
from synth.core.graphs.junction import JunctionGraph
from synth.core.numbers import TIMES, about
from synth.core.options import option
from synth.mechanisms.shared.answers import Answers
from synth.mechanisms.shared.base import CELLS_PER_MB, Fitted, Mechanism, Occasion, Problem, Prospect, Purpose
from synth.mechanisms.shared.shared_options import capacity, measuring_share, round_columns_share
from synth.private.source import Source


@dataclass(frozen=True, kw_only=True)
class AIM(Mechanism):
    """Hyper-parameters of AIM. The defaults are those of the paper, except for the capacity (80 MB in the
    paper).
    """

    name: ClassVar[str] = "aim"
    title: ClassVar[str] = "AIM"
    purpose: ClassVar[Purpose] = Purpose.GENERAL
    summary: ClassVar[str] = "Measures, in each round, the marginal that the model fits worst."
    paper: ClassVar[str] = "McKenna et al., AIM: An Adaptive and Iterative Mechanism, VLDB 2022"
    column_power: ClassVar[float] = 0.0
    pairs_per_column: ClassVar[float] = math.inf
    suits: ClassVar[str] = "Most tables of up to about 100 columns, at any budget."
    avoid: ClassVar[str] = "Tables with hundreds of columns, or when you need a result within seconds."
    pace: ClassVar[float | None] = 0.25

    rounds: int = option(
        0, label="Rounds", help="Planned number of rounds. 0 means 16 per column.", low=0, high=10_000
    )
    alpha: float = measuring_share()
    columns_share: float = round_columns_share()
    capacity_mb: float = capacity()

    def is_avoided(self, occasion: Occasion) -> bool:
        return occasion.columns >= 200 or occasion.seconds < 60

    def first_pass(self, prospect: Prospect) -> float | None:
        columns = len(prospect.sizes)
        return self.columns_share or self.alpha * columns / (self.rounds or 16 * columns)

    def run(self, source: Source, problem: Problem, *, rng: np.random.Generator) -> Fitted:
        domain, budget = source.domain, source.left.rho
        weights = problem.workload.integer_candidates()  # line 1
        one_ways = [(name,) for name in domain.names]
        rho_round = budget / (self.rounds or 16 * len(domain))  # line 2
        rho_column = self.columns_share * budget / len(one_ways) or self.alpha * rho_round
        if rho_column * len(one_ways) >= budget:
            raise Mistake(
                f"{self.rounds} rounds are too few for {len(domain)} columns. Use at least as many "
                "rounds as columns."
            )
        if not weights:
            raise Mistake("The workload is empty: give at least one column a weight above zero.")
        answers = Answers(self, source, problem)
        answers.measure_each(one_ways, rho=rho_column)  # line 3
        model = answers.fit()
        unit_noise = answers.noise(weights, rho=1.0)
        graph = JunctionGraph.of(domain, answers.cliques)
        while source.left.units:  # line 4
            last = source.left.rho <= 2 * rho_round  # line 5
            rho_round = source.left.rho if last else rho_round
            noise = {r: n / math.sqrt(self.alpha * rho_round) for r, n in unit_noise.items()}
            limit = self.capacity_mb * CELLS_PER_MB * (1 - (source.left.rho - rho_round) / budget)
            candidates = [  # line 6
                r for r in weights if (len(r) == 1 or noise[r] <= 2 * model.total) and graph.fits(r, limit)
            ]
            chosen, estimate = answers.choose_worst(  # line 7
                candidates,
                model.project_many(candidates),
                weights=weights,
                noise=noise,
                rho=(1 - self.alpha) * rho_round,
            )
            answers.measure(chosen, rho=source.left.rho if last else self.alpha * rho_round)  # line 8
            graph = graph.with_measured(chosen)
            model = answers.fit(model)
            moved = float(np.abs(model.project(chosen) - estimate).sum())
            sigma = source.terms.sigma(self.alpha * rho_round)
            fact = f"measured {TIMES.join(chosen)}, typical noise {about(sigma)}"
            if moved <= noise[chosen]:  # line 9
                rho_round *= 4
            problem.tell("rounds", answers.done, fact)
        return answers.fitted(model)  # line 10

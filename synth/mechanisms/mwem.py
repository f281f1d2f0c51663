"""MWEM+PGM: multiplicative weights with graphical models (McKenna, Sheldon, Miklau; ICML 2019).

Pseudo-code (comments in `run` use the same numbers; Algorithm 1 of the AIM paper is the same)
  1. Split the budget into T + 1 equal parts. Measure every one-way marginal with the first part, and fit a
     model p.
  2. For t = 1 .. T:
  3.   Let C be the marginals of the workload with which the model is smaller than capacity * t / T.
  4.   Choose r in C by w_r * (||M_r(D) - M_r(p)||_1 - noise of its measurement).
  5.   Measure r and fit p.
  6. Fit the final model.

Differences from the paper:

- The first model consists of independent columns and is not uniform, because even a uniform model needs the
  number of records, which is secret.
- The noise subtracted from a score is the expected norm sqrt(2/pi) sigma n_r, where n_r counts only the cells
  that structural zeros allow. The paper subtracts n_r.
- Scores are weighted by the workload, with weights in multiples of 1/1024.
- A choice gets a tenth of the cost of a round, as in the authors' code, instead of half.
- If no marginal fits, a single column is measured again.

Privacy: one `choose` and one `measure` per round. One record changes some scores upwards and others
downwards, by at most w. Therefore, the range is 2 w, or 4 w if records are replaced. In the latter case, the
authors' code also uses 2 w and spends four times the stated budget. The source supplies both values. Cost: T
choices over the workload, and T fits. Adult takes 0.5 s, and 50 columns take 25 s.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from synth.core.graphs.junction import JunctionGraph
from synth.core.numbers import TIMES
from synth.core.options import option
from synth.mechanisms.shared.answers import Answers
from synth.mechanisms.shared.base import CELLS_PER_MB, Fitted, Mechanism, Problem, Prospect, Purpose
from synth.mechanisms.shared.shared_options import capacity, measuring_share
from synth.private.source import Source

STEPS = 1024
"""Weights are rounded to multiples of 1 / STEPS, so that scores are exact."""


@dataclass(frozen=True, kw_only=True)
class MWEM(Mechanism):
    """Hyper-parameters of MWEM+PGM. The defaults are those of the authors, except for the capacity (25 MB in
    their code).
    """

    name: ClassVar[str] = "mwem"
    title: ClassVar[str] = "MWEM+PGM"
    purpose: ClassVar[Purpose] = Purpose.MODEL
    summary: ClassVar[str] = (
        "Measures, in each of a fixed number of rounds, the marginal that the model fits worst, at "
        "equal cost."
    )
    pace: ClassVar[float | None] = 0.45
    paper: ClassVar[str] = (
        "McKenna, Sheldon, Miklau, Graphical-model based estimation and inference for differential privacy, "
        "ICML 2019"
    )
    suits: ClassVar[str] = (
        "Tables with a known number of strong relations, and comparisons with other methods."
    )
    avoid: ClassVar[str] = (
        "Budgets at which it has not been tested. Unlike AIM, it does not adapt the number of rounds."
    )

    rounds: int = option(
        0, label="Rounds", help="Number of rounds. 0 means one per column.", low=0, high=10_000
    )
    alpha: float = measuring_share()
    capacity_mb: float = capacity()

    def first_pass(self, prospect: Prospect) -> float | None:
        return 1 / ((self.rounds or len(prospect.sizes)) + 1)

    def run(self, source: Source, problem: Problem, *, rng: np.random.Generator) -> Fitted:
        domain, answers, workload = source.domain, Answers(self, source, problem), problem.workload
        rounds = self.rounds or len(domain)
        rho = source.left.rho / (rounds + 1)  # line 1
        one_ways = answers.measure_columns(rho=rho)
        model = answers.fit()
        whole = [max(1, round(STEPS * w)) for w in workload.weights]
        weights = dict.fromkeys(one_ways, 1) | dict(zip(workload.cliques, whole, strict=True))
        noise = answers.noise(weights, rho=self.alpha * rho)
        for t in range(1, rounds + 1):  # line 2
            limit = self.capacity_mb * CELLS_PER_MB * t / rounds
            graph = JunctionGraph.of(domain, answers.cliques)
            candidates = [r for r in workload.cliques if graph.fits(r, limit)] or list(one_ways)  # line 3
            chosen, _ = answers.choose_worst(  # line 4
                candidates,
                model.project_many(candidates),
                weights=weights,
                noise=noise,
                rho=(1 - self.alpha) * rho,
            )
            answers.measure(chosen, rho=source.left.rho if t == rounds else self.alpha * rho)  # line 5
            model = answers.fit(model)
            problem.tell("rounds", t / rounds, f"measured {TIMES.join(chosen)}")
        return answers.fitted(model)  # line 6

"""MWEM+PGM: multiplicative weights, rebuilt on graphical models (McKenna, Sheldon, Miklau; ICML 2019).

Pseudo-code (`run` has the same numbers; Algorithm 1 of the AIM paper is the same)
  1. split the budget into T + 1 equal parts; measure every one-way marginal with the first; fit
  2. for t = 1 .. T:
  3.   C = marginals of the workload with which the model is smaller than capacity * t / T
  4.   choose r in C by w_r * (||M_r(D) - M_r(p)||_1 - noise of its measurement)
  5.   measure r; fit
  6. final fit

Differs from the paper in: (a) the first model has independent columns and is not uniform, because a first
model needs the number of records, which is secret; (b) the noise subtracted from a score is the expected
sqrt(2/pi) sigma n_r over the cells that structural zeros allow, while the paper subtracts n_r; (c) scores are
weighted by the workload, in whole 1024ths; (d) a choice gets a tenth of a round, as in the authors' code, not
half; (e) if no marginal fits, a single column is measured again. Privacy: one `choose` and one `measure` per
round. One record changes a score by at most w, some upwards and some downwards, so the range is 2 w, and 4 w
if records are replaced (the authors' code uses 2 in this case too and spends four times the stated budget).
The source supplies both values. Cost: T choices over the workload and T fits. Adult takes 0.5 s, 50 columns
take 25 s.
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
    """Hyper-parameters of MWEM+PGM with the authors' defaults, except for the capacity (25 MB in their
    code).
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
    suits: ClassVar[str] = "Tables whose number of strong relations you know beforehand, and comparisons."
    avoid: ClassVar[str] = (
        "Budgets at which it has not been tried before. Unlike AIM, it does not adapt the number of rounds."
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

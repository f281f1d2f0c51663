"""MargNet: choose marginals one by one, and fit a network (Chen, Gong, Wang; 2025, Algorithm 1).

Pseudo-code (comments in `run` use the same numbers)
  1. Plan T = 16 d rounds. In each round, alpha of the privacy cost is for measuring and 1 - alpha for
     selecting.
  2. Measure every one-way marginal and fit a model p.
  3. While there is budget left:
  4.   If the budget does not cover 1 + `REST` rounds, use all of it in this round.
  5.   Choose among all pairs r by ||N M_r(p) - M_r(D)||_1 - sqrt(2/pi) sigma n_r.
  6.   Measure r. Continue the fit from the previous model, with d times the weight for the newest
     measurement.
  7.   If r was chosen for the first time and N M_r(p) changed by less than its noise, double both costs.
  8. Fit the final model to all measurements with their own weights.

In the paper's ablation, the variant with planned rounds (MargNet-s, Table 5) corresponds to `doubling` off,
alpha 0.5, a tenth of the budget for columns, and 5 d / 0.9 rounds. The model is a network whose output is a
mixture of products (`networks.network`). `--generator mixture` fits such a mixture directly with the same
schedule, in a fraction of the time.

Differences from the paper:

- Measurements are weighted by their precision, not by its square root. `networks.network` has the paper's
  loss as an option.
- n_r counts only the cells that structural zeros allow.

Differences from the authors' code:

- The last round spends the remaining budget, which the code never does.
- Noisy counts are neither clipped nor rescaled.
- The number of records is private too.
- Records are drawn from the trained network itself.
- The diffusion of the paper's Appendix E is not implemented. It multiplies the cost by the number of its
  steps, while its output is still a mixture of products. On NLTCS at epsilon 1, a trial had twice the error
  (2-way TVD 0.0239 instead of 0.0122) and took 20 times as long (`assets/docs/research-notes.md`).

Privacy: one `choose` and one `measure` per round. The source refuses queries that the budget does not cover.
Cost: on Adult at epsilon 1 (one run each, processor seconds of one core), 59 rounds take 86 s with the
network and 8 s with the mixture. The paper's 200 steps in every fit would take about 840 s (not run: 12,000
steps at 70 ms per step).
"""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass
from itertools import combinations
from typing import ClassVar

import numpy as np

from synth.core.domain import Clique, Domain
from synth.core.errors import Mistake
from synth.core.numbers import TIMES, about
from synth.core.options import option
from synth.mechanisms.shared.answers import Answers
from synth.mechanisms.shared.base import (
    Fitted,
    Occasion,
    Outlook,
    Problem,
    Prospect,
    Purpose,
    TimedByGenerator,
)
from synth.mechanisms.shared.shared_options import measuring_share, round_columns_share
from synth.models.base import Generator
from synth.models.networks.network import NetworkGenerator
from synth.private.source import Source

MOST_ROUNDS = 5
"""Number of rounds per column if costs sometimes double. Without doubling, there are 15.1."""

REST = 0.05
"""Minimum remaining budget for another round, as a share of the cost of a round. If the rounds divide the
budget evenly, as with 10 columns, rounding leaves a few units, which are too few for any query.
"""

AGAIN = 0.25
"""Estimated fraction of the full time that a mixture needs to continue its fit from the previous model."""


class NetworkRounds(TimedByGenerator):
    """Base class of the methods that fit a network, or a mixture instead of the network, after every
    round.
    """

    purpose: ClassVar[Purpose] = Purpose.FITTED
    column_power: ClassVar[float] = 0.0
    device: ClassVar[str] = "graphics card, or CPU"
    generator: ClassVar[str] = "network"
    stand_ins: ClassVar[tuple[str, ...]] = ("mixture",)
    joins: ClassVar[bool] = False
    fast: ClassVar[str | None] = "mixture"

    @abstractmethod
    def likely_rounds(self, columns: int) -> int:
        """Return the expected number of rounds for a table with this many columns."""

    def outlook_by(self, generator: Generator, domain: Domain, *, k: int) -> Outlook | None:
        """Return the time of the fits: one after every round, and a final one. Each continues from the
        previous model, so it takes only part of the full time.
        """
        if generator.name not in (self.generator, *self.stand_ins):
            return super().outlook_by(generator, domain, k=k)
        rounds = self.likely_rounds(len(domain))
        if isinstance(generator, NetworkGenerator):
            own = generator.settings
            fits = 1 + rounds * own.round_steps / own.steps
            fastest, slowest = own.seconds(domain)
            size = own.parameters(domain) * 16 / 1e6
            return Outlook(fastest=fits * fastest, slowest=fits * slowest, model_mb=size)
        fit, codes = generator.seconds(domain), sum(domain.sizes)
        least = (1 + rounds * AGAIN) * fit[0] if fit else 0.0
        return Outlook.of(fit and (least, least + fit[1]), cells=codes**2 + 250 * codes)


@dataclass(frozen=True, kw_only=True)
class MargNet(NetworkRounds):
    """Hyper-parameters of MargNet's schedule, with the paper's defaults. The hyper-parameters of the network
    are separate.
    """

    name: ClassVar[str] = "margnet"
    title: ClassVar[str] = "MargNet"
    summary: ClassVar[str] = "Measures, in each round, the pair of columns that a neural network fits worst."
    paper: ClassVar[str] = (
        "Chen, Gong, Wang, Beyond One-Size-Fits-All: Neural Networks for DP Synthesis, 2025"
    )
    pairs_per_column: ClassVar[float] = math.inf
    suits: ClassVar[str] = "Tables whose columns all depend on each other, on a machine with a GPU."
    avoid: ClassVar[str] = (
        "When you need a result within a minute. The generator 'mixture' is a fast alternative."
    )

    rounds: int = option(
        0, label="Rounds", help="Planned number of rounds. 0 means 16 per column.", low=0, high=10_000
    )
    alpha: float = measuring_share()
    columns_share: float = round_columns_share()
    doubling: bool = option(
        True,
        label="Doubling",
        help=(
            "Whether to double the cost of a round when a new measurement changes the model by less than "
            "its noise."
        ),
    )

    def is_avoided(self, occasion: Occasion) -> bool:
        return occasion.seconds < 600

    def first_pass(self, prospect: Prospect) -> float | None:
        columns = len(prospect.sizes)
        return self.columns_share or self.alpha * columns / (self.rounds or 16 * columns)

    def likely_rounds(self, columns: int) -> int:
        return MOST_ROUNDS * columns

    def run(self, source: Source, problem: Problem, *, rng: np.random.Generator) -> Fitted:
        domain, budget = source.domain, source.left.rho
        one_ways = [(name,) for name in domain.names]
        pairs: list[Clique] = list(combinations(domain.names, 2))
        rho_round = budget / (self.rounds or 16 * len(domain))  # line 1
        rho_column = self.columns_share * budget / len(one_ways) or self.alpha * rho_round
        if rho_column * len(one_ways) >= budget:
            raise Mistake(
                f"{self.rounds} rounds are too few for {len(domain)} columns. Use at least as many "
                "rounds as columns."
            )
        answers = Answers(self, source, problem)
        if not pairs:
            answers.measure_each(one_ways, rho=budget)
            return answers.fitted()
        answers.measure_each(one_ways, rho=rho_column)  # line 2
        model = answers.fit()
        unit_noise, weights = answers.noise(pairs, rho=1.0), dict.fromkeys(pairs, 1)
        seen = set()
        while source.left.units:  # line 3
            last = source.left.rho <= (1 + REST) * rho_round  # line 4
            rho_round = source.left.rho if last else rho_round
            noise = {r: n / math.sqrt(self.alpha * rho_round) for r, n in unit_noise.items()}
            chosen, estimate = answers.choose_worst(  # line 5
                pairs,
                model.project_many(pairs),
                weights=weights,
                noise=noise,
                rho=(1 - self.alpha) * rho_round,
            )
            answers.measure(chosen, rho=source.left.rho if last else self.alpha * rho_round)  # line 6
            model = answers.fit(model)
            moved = float(np.abs(model.project(chosen) - estimate).sum())
            sigma = source.terms.sigma(self.alpha * rho_round)
            fact = f"measured {TIMES.join(chosen)}, typical noise {about(sigma)}"
            if self.doubling and chosen not in seen and moved < noise[chosen]:  # line 7
                rho_round *= 2
            seen.add(chosen)
            problem.tell("rounds", answers.done, fact)
        return answers.fitted(model)  # line 8

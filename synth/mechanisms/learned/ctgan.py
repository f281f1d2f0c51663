"""DP-CTGAN with DP-SGD: a GAN in which only the critic reads private rows, through noisy sums of clipped
gradients.

Sources: Xu, Skoularidou, Cuesta-Infante, Veeramachaneni, Modeling tabular data using conditional GAN, NeurIPS
2019; Xie, Lin, Wang, Wang, Zhou, Differentially private generative adversarial network, arXiv 1802.06739,
2018, for training only the critic privately; Abadi, Chu, Goodfellow, McMahan, Mironov, Talwar, Zhang, Deep
Learning with Differential Privacy, CCS 2016.

Pseudo-code (comments in `train` use the same numbers)
  1. Measure every column with the share `columns_share` of rho.
  2. Start with a critic and a generator of independent columns. Compute the largest order for which costs are
     valid.
  3. Repeat in rounds with the remaining budget:
  4.   Train the critic by `critic_steps` descent steps on rows against `made` generated records. Each row is
     in the sample of a step with probability `rate`, its gradient is clipped, and noise is added to the sum.
  5.   Train the generator by `lessons` steps of Adam with the current critic, without private data.
  6. Generate records with the last generator.

Necessary differences from the paper:

- Rows are sampled independently with a public probability. CTGAN draws a category with equal probabilities
  and then a row with this category. This depends on the private frequencies and samples rare rows more often,
  so it would leak information, and sampling would not amplify privacy.
- The condition of a generated record is drawn from line 1. Rows have no condition, so the critic gets none.
- There are no packs of rows (PacGAN) and no batch normalisation, because with both, one row changes the
  values computed for other rows.
- Information about a column is public or measured in line 1. No mixtures are fitted to the numeric values of
  rows; their bins are treated as categories.

Other differences:

- The loss is the logarithmic loss of Goodfellow et al. 2014, whose gradient is bounded. The gradient penalty
  of the Wasserstein loss would need a generated record for each row. There is no dropout.
- The critic has one hidden layer and is trained by gradient descent with momentum, with several steps per
  round (Bie, Kamath, Zhang 2023).
- The generator is trained with the critic's output for every other code that a column could have (`forger`).
  It starts from the columns of line 1, is constrained to them, and takes shorter steps in later rounds.
- Steps are shorter if the noise is larger.

Privacy: d `measure` queries and several `train` queries, all in one accounting (`sampled`); the docstring of
`train` states the sensitivity. Cost: the critic processes rounds * `critic_steps` * (`rate` * records +
`made`) records, and every code of rounds * `lessons` * 256 generated records. Adult at delta 1e-5 takes 20 s
on one core and 284 MB. The pair TVD is 0.069 at epsilon 1 and 0.064 at epsilon 5 (one run each); independent
columns without noise have 0.076. The numbers of rounds and the step sizes were tuned on this table, so its
results are slightly too good.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from synth.core.domain import Domain
from synth.core.networks.critic import Critic
from synth.core.networks.forger import BATCH, Forger
from synth.core.networks.layers import Base
from synth.core.numbers import number_of
from synth.core.options import option
from synth.mechanisms.shared.answers import Answers
from synth.mechanisms.shared.base import Outlook, Problem
from synth.mechanisms.shared.course import Course, TrainedMethod, beginning
from synth.mechanisms.shared.shared_options import chance, clipping, columns_share
from synth.models.base import Generator
from synth.models.networks.drawn import base_of
from synth.models.records.record_table import FEWEST, MOST
from synth.private.source import Source

MEMORY = 0.8
"""Decay rate of the running mean of the weights."""

LATENT, WIDTH = 32, 32
"""Number of inputs and of hidden units of the generator network."""

SECONDS = 6e-10
"""Number of seconds per row or record, code, and hidden unit, on one core."""


@dataclass(frozen=True, kw_only=True)
class CTGAN(TrainedMethod):
    """Hyper-parameters of the critic, of its descent, and of the generator."""

    name: ClassVar[str] = "ctgan"
    title: ClassVar[str] = "DP-CTGAN"
    summary: ClassVar[str] = (
        "Measures every column, and trains a critic with private gradients to distinguish real from "
        "generated records."
    )
    paper: ClassVar[str] = (
        "Xu, Skoularidou, Cuesta-Infante, Veeramachaneni, Modeling tabular data using conditional GAN, "
        "NeurIPS 2019, trained as in Abadi and others, Deep Learning with Differential Privacy, CCS 2016"
    )
    avoid: ClassVar[str] = (
        "Any real use. No pair of columns is measured, pairs have no bounds, and most relations are "
        "lost in the noise."
    )
    generator: ClassVar[str] = "adversarial"
    trains: ClassVar[str] = Critic.name

    columns_share: float = columns_share(0.3, high=0.9)
    rounds: int = option(
        50, label="Rounds", help="Number of rounds of critic and generator.", low=1, high=200
    )
    critic_steps: int = option(
        8, label="Critic steps", help="Number of noisy steps of the critic in each round.", low=1, high=100
    )
    rate: float = chance()
    made: int = option(
        1000,
        label="Generated records",
        help=("Number of generated records that the critic compares with rows."),
        low=1,
        high=5_000,
    )
    lessons: int = option(
        8, label="Generator steps", help="Number of steps of the generator in each round.", low=1, high=30
    )
    hidden: int = option(
        32, label="Hidden units", help="Number of hidden units of the critic.", low=1, high=256
    )
    clip: float = clipping(3.0)
    learning_rate: float = option(
        1.0, label="Learning rate", help="Learning rate of the first step of the critic.", low=0.001, high=100
    )
    lesson: float = option(
        1.0,
        label="Generator learning rate",
        help="Learning rate of the first step of the generator.",
        low=0.01,
        high=100,
        unit="thousandths",
    )

    def outlook_by(self, generator: Generator, domain: Domain, *, k: int) -> Outlook | None:
        made, codes = generator.seconds(domain), sum(domain.sizes)
        if made is None:
            return None
        cell = codes * self.hidden * SECONDS * self.rounds
        public = cell * (self.critic_steps * self.made + self.lessons * BATCH)
        rows = cell * self.critic_steps * self.rate
        weights = codes * (LATENT + 4 * WIDTH + 3 * self.hidden)
        seconds = made[0] + public / 2 + rows * FEWEST, made[1] + 3 * public + 3 * rows * MOST
        return Outlook.of(seconds, cells=weights + MOST * len(domain))

    def train(self, source: Source, problem: Problem, answers: Answers, rng: np.random.Generator) -> None:
        evidence = answers.evidence
        net = self._begun(source.domain, base_of(evidence), rng)  # line 2
        state, first_price = beginning(net.start(rng)), source.left.rho / self.rounds
        descent = self.descent(
            evidence, steps=self.critic_steps, whole=self.rounds * self.critic_steps, copies=1, memory=MEMORY
        )
        course = Course.planned(source, evidence, net, descent, first_price=first_price)
        for number in range(self.rounds):  # line 3
            made = len(net.fakes)  # drawn here, because random numbers on the private side have no seed
            fact = f"round {number + 1:,} of {self.rounds:,}, against {number_of(made, 'generated record')}"
            problem.tell("measure", number / self.rounds, fact)
            question = course.block(net, state, first=number * self.critic_steps, steps=self.critic_steps)
            price = source.left.rho if number == self.rounds - 1 else first_price
            trained = answers.train(question, rho=price)  # line 4
            assert isinstance(trained.net, Critic)
            if number < self.rounds - 1:
                lesson = self.lesson / 1000 * (1 - (number + 1) / self.rounds)
                net = replace(trained.net.answered(trained.weights), lesson=lesson)  # line 5
            state = trained.state.astype("<f4").tobytes()

    def _begun(self, domain: Domain, base: Base, rng: np.random.Generator) -> Critic:
        """Return a new critic, and the weights of a generator of independent columns."""
        forger = Forger(domain.sizes, base, LATENT, WIDTH)
        return Critic(
            sizes=domain.sizes,
            base=base,
            hidden=self.hidden,
            latent=LATENT,
            width=WIDTH,
            made=self.made,
            lessons=self.lessons,
            lesson=self.lesson / 1000,
            seed=int(rng.integers(1 << 31)),
            made_by=forger.start(rng).astype("<f4").tobytes(),
        )

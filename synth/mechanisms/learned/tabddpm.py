"""TabDDPM with DP-SGD: a diffusion model whose network is trained on noisy sums of clipped gradients.

Sources: Kotelnikov, Baranchuk, Rubachev, Babenko, TabDDPM: Modelling Tabular Data with Diffusion Models, ICML
2023; Abadi, Chu, Goodfellow, McMahan, Mironov, Talwar, Zhang, Deep Learning with Differential Privacy, CCS
2016.

Pseudo-code (comments in `train` use the same numbers)
  1. Measure every column with the share `columns_share` of rho.
  2. Start with a network of independent columns. Compute the largest order for which costs must be valid.
  3. Train the network with the remaining budget, in blocks of `steps` descent steps in total. Each row is in
     the sample of a step with probability `rate`. Its gradient, averaged over `copies` noised copies, is
     clipped, and noise is added to the sum.
  4. Generate records with the mean of the last weights.

Necessary differences from the paper:

- Information about a column (values, ranges) is public or measured in line 1, whereas the authors' code takes
  it and the class shares from the table.
- Gradients of single rows are clipped, with Poisson samples, whereas the benchmark's code needs the secret
  number of rows. Probabilities and numbers of steps are public.

Other differences:

- Every column is diffused as categories, including ordered columns, because normally distributed values would
  only be rounded to the bins of the column.
- A noised code is drawn from the noisy column instead of uniformly, so that an untrained network generates
  independent columns.
- The loss is the cross-entropy of the original code of each column (the simple loss of Austin et al. 2021),
  whose gradient is bounded, instead of the variational loss.
- The network has one hidden layer and the time as an input, and is trained by gradient descent with momentum.
- The label is treated like any other column.
- Records are generated with the mean of the weights.
- Several noised copies of a row are clipped together (Dockhorn et al. 2023), and their noise is derived from
  the codes of the row.
- Steps are shorter if the noise is larger.

Privacy: d `measure` queries and several `train` queries, all in one accounting (`sampled`); the docstring of
`train` states the sensitivity. Cost: the network processes `steps` * `rate` * records * `copies` noised rows
in training, and records * `times` rows to generate records. Adult at epsilon 1 and delta 1e-5 takes 61 s on
one core and 274 MB (one run: pair TVD 0.055). The step size and the share were tuned on this table, so its
results are slightly too good.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from synth.core.domain import Domain
from synth.core.networks.denoiser import Denoiser
from synth.core.options import option
from synth.mechanisms.shared.answers import Answers
from synth.mechanisms.shared.base import Outlook, Problem
from synth.mechanisms.shared.course import Course, TrainedMethod, beginning
from synth.mechanisms.shared.shared_options import chance, clipping, columns_share
from synth.models.base import Generator
from synth.models.networks.drawn import base_of
from synth.models.records.record_table import FEWEST, MOST
from synth.private.source import Source

BLOCKS = 10
"""Number of blocks of a training. Each is charged, stored and resumed separately."""

MEMORY = 0.95
"""Decay rate of the running mean of the weights."""

SECONDS = 5e-8
"""Number of seconds per noised row and code, on one core."""


@dataclass(frozen=True, kw_only=True)
class TabDDPM(TrainedMethod):
    """Hyper-parameters of the network and of its training."""

    name: ClassVar[str] = "tabddpm"
    title: ClassVar[str] = "TabDDPM"
    summary: ClassVar[str] = "Measures every column, and trains a denoising network with private gradients."
    paper: ClassVar[str] = (
        "Kotelnikov, Baranchuk, Rubachev, Babenko, TabDDPM: Modelling Tabular Data with Diffusion Models, "
        "ICML 2023, trained as in Abadi and others, Deep Learning with Differential Privacy, CCS 2016"
    )
    avoid: ClassVar[str] = (
        "When users need error bounds. No pair of columns is measured, so pairs have no bounds."
    )
    generator: ClassVar[str] = "denoised"
    trains: ClassVar[str] = Denoiser.name

    columns_share: float = columns_share(0.2, high=0.9)
    steps: int = option(
        200,
        label="Steps",
        help=("Number of training steps. Each adds noise to a gradient."),
        low=1,
        high=10_000,
    )
    rate: float = chance()
    copies: int = option(
        4,
        label="Copies per row",
        help="Number of noised copies of a row over which its gradient is averaged.",
        low=1,
        high=64,
    )
    hidden: int = option(
        64, label="Hidden units", help="Number of hidden units in each layer.", low=1, high=1024
    )
    times: int = option(
        24,
        label="Noising steps",
        help="Number of noising steps that turn a record into independent columns.",
        low=1,
        high=1000,
    )
    clip: float = clipping(0.3)
    learning_rate: float = option(
        1.0, label="Learning rate", help="Learning rate of the first step.", low=0.001, high=100
    )

    def outlook_by(self, generator: Generator, domain: Domain, *, k: int) -> Outlook | None:
        made, codes = generator.seconds(domain), sum(domain.sizes)
        if made is None:
            return None
        row = self.steps * self.rate * self.copies * codes * SECONDS
        seconds = made[0] + row * FEWEST, made[1] + 2 * row * MOST
        return Outlook.of(seconds, cells=2 * codes * self.hidden + MOST * len(domain))

    def train(self, source: Source, problem: Problem, answers: Answers, rng: np.random.Generator) -> None:
        sizes, evidence = source.domain.sizes, answers.evidence
        net = Denoiser(sizes, base_of(evidence), hidden=self.hidden, layers=1, times=self.times)  # line 2
        block, state = math.ceil(self.steps / BLOCKS), beginning(net.start(rng))
        descent = self.descent(evidence, steps=block, whole=self.steps, copies=self.copies, memory=MEMORY)
        first_price = source.left.rho * block / self.steps
        course = Course.planned(source, evidence, net, descent, first_price=first_price)
        for first in range(0, self.steps, block):  # line 3
            steps = min(block, self.steps - first)
            fact = f"step {first:,} of {self.steps:,}"
            problem.tell("measure", first / self.steps, fact)
            is_last = first + steps == self.steps
            price = source.left.rho if is_last else course.rho * steps / self.steps
            trained = answers.train(course.block(net, state, first=first, steps=steps), rho=price)
            assert isinstance(trained.net, Denoiser)
            net, state = trained.net, trained.state.astype("<f4").tobytes()

"""Common part of methods that train: columns first, then a training of known total cost.

Pseudo-code (the numbers appear again in `TrainedMethod.run` and `Course.planned`)
  1. measure every column with the share `columns_share` of rho
  2. compute the order up to which costs must be valid, from the costs of the columns and the first training
     block
  3. compute the noise of a step from an even share of the remaining budget; steps are shorter if the noise is
     large
"""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from synth.core.accounting import SAMPLED, Law
from synth.core.accounting.sampled import PARTS, order_for, sampled_sigma
from synth.core.evidence import Evidence
from synth.core.networks.trainee import Trainee
from synth.core.numbers import number_of
from synth.mechanisms.shared.answers import Answers
from synth.mechanisms.shared.base import Fitted, Problem, Prospect, Purpose, TimedByGenerator
from synth.private.queries import Descent, Training
from synth.private.source import Source

MOMENTUM = 0.9
"""Share of the previous momentum that a step keeps."""

AS_LONG = 0.5
"""Length of the noise in a mean gradient, in units of the clipping length, above which steps are shorter in
proportion.
"""


class TrainedMethod(TimedByGenerator):
    """Base of the methods that measure every column and train a network by noisy descent. A subclass has the
    options below."""

    purpose: ClassVar[Purpose] = Purpose.FITTED
    suits: ClassVar[str] = "Comparisons with the literature."
    chooses: ClassVar[bool] = False
    pairs_per_column: ClassVar[float] = 0.0
    joins: ClassVar[bool] = False
    law: ClassVar[Law] = SAMPLED

    columns_share: float
    rate: float
    clip: float
    learning_rate: float

    def first_pass(self, prospect: Prospect) -> float | None:
        return self.columns_share if len(prospect.sizes) > 1 else 1.0

    def run(self, source: Source, problem: Problem, *, rng: np.random.Generator) -> Fitted:
        answers = Answers(self, source, problem)
        if measured_columns(source, problem, answers, share=self.columns_share):  # line 1
            self.train(source, problem, answers, rng)
        problem.tell("fit", 1.0, "making records")
        return answers.fitted()

    @abstractmethod
    def train(self, source: Source, problem: Problem, answers: Answers, rng: np.random.Generator) -> None:
        """Spend the remaining budget on the training."""

    def descent(self, evidence: Evidence, *, steps: int, whole: int, copies: int, memory: float) -> Descent:
        """Return the given number of first steps, with the step size without noise."""
        return Descent(
            first=0,
            steps=steps,
            whole=whole,
            rate=max(1, round(self.rate * PARTS)),
            records=max(1, round(evidence.total)),
            copies=copies,
            clip=self.clip,
            pace=self.learning_rate,
            momentum=MOMENTUM,
            memory=memory,
        )


def measured_columns(source: Source, problem: Problem, answers: Answers, *, share: float) -> bool:
    """Measure every column with this share of the remaining budget, or with all of it if there is only one
    column. Return whether training should follow.
    """
    has_more = len(source.domain) > 1
    problem.tell("measure", 0.0, f"measuring {number_of(len(source.domain), 'column')}")
    answers.measure_columns(rho=share * source.left.rho if has_more else source.left.rho)
    return has_more


@dataclass(frozen=True, kw_only=True)
class Course:
    """A training in progress: its columns, its descent (of the first block), the order up to which costs are
    valid, and its total cost in rho.
    """

    names: tuple[str, ...]
    descent: Descent
    most: int
    rho: float

    @classmethod
    def planned(
        cls, source: Source, evidence: Evidence, net: Trainee, descent: Descent, *, first_price: float
    ) -> Course:
        """Plan a training with the remaining budget. `descent`: that of the first block, with the step size
        without noise.
        """
        rho = source.left.rho
        most = math.ceil(order_for(sum(m.rho for m in evidence.measurements) + first_price)) + 1  # line 2
        rate = descent.rate
        sigma = sampled_sigma(rho / descent.whole, rate=rate, rows=source.terms.rows, most=float(most))
        noise = sigma * math.sqrt(net.parameters) / (rate / PARTS * max(1.0, evidence.total))
        slowed = replace(descent, pace=descent.pace * min(1.0, AS_LONG / noise))  # line 3
        return cls(names=source.domain.names, descent=slowed, most=most, rho=rho)

    def block(self, net: Trainee, state: bytes, *, first: int, steps: int) -> Training:
        """Return the query for this many steps, starting at the given one."""
        return Training(self.names, net, replace(self.descent, first=first, steps=steps), state, self.most)


def beginning(weights: np.ndarray[Any, np.dtype[np.float32]]) -> bytes:
    """Return the state of a descent at its start. Shapes: `weights` float32[parameters]."""
    return np.stack([weights, np.zeros_like(weights), weights]).astype("<f4").tobytes()

"""Common part of methods that train a network: measure the columns, then train with a known total cost.

Pseudo-code (`TrainedMethod.run` and `Course.planned` use the same numbers)
1. Measure every column with the share `columns_share` of rho.
2. Compute the largest Rényi order for which the costs must be valid, from the costs of the columns and of the
   first training block.
3. Compute the noise of a step from an even share of the remaining budget. Shorten the steps if the noise is
   large.
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
"""Fraction of the momentum that is carried over to the next step."""

AS_LONG = 0.5
"""Ratio between the length of the noise in a mean gradient and the clipping length above which steps are
shortened in proportion.
"""


class TrainedMethod(TimedByGenerator):
    """Base class of the methods that measure every column and train a network by noisy gradient descent.
    Subclasses define the options declared below.
    """

    purpose: ClassVar[Purpose] = Purpose.FITTED
    suits: ClassVar[str] = "Comparisons with published results."
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
        """Spend the remaining budget on training."""

    def descent(self, evidence: Evidence, *, steps: int, whole: int, copies: int, memory: float) -> Descent:
        """Return the first `steps` steps, with the step size for training without noise."""
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
    """Measure every column with this share of the remaining budget. If there is only one column, spend all of
    it. Return whether training should follow.
    """
    has_more = len(source.domain) > 1
    problem.tell("measure", 0.0, f"measuring {number_of(len(source.domain), 'column')}")
    answers.measure_columns(rho=share * source.left.rho if has_more else source.left.rho)
    return has_more


@dataclass(frozen=True, kw_only=True)
class Course:
    """A training in progress: its columns, its descent (for the first block), the largest order for which
    costs are valid, and the total cost in rho.
    """

    names: tuple[str, ...]
    descent: Descent
    most: int
    rho: float

    @classmethod
    def planned(
        cls, source: Source, evidence: Evidence, net: Trainee, descent: Descent, *, first_price: float
    ) -> Course:
        """Plan a training that spends the remaining budget. `descent`: the descent of the first block, with
        the step size for training without noise.
        """
        rho = source.left.rho
        most = math.ceil(order_for(sum(m.rho for m in evidence.measurements) + first_price)) + 1  # line 2
        rate = descent.rate
        sigma = sampled_sigma(rho / descent.whole, rate=rate, rows=source.terms.rows, most=float(most))
        noise = sigma * math.sqrt(net.parameters) / (rate / PARTS * max(1.0, evidence.total))
        slowed = replace(descent, pace=descent.pace * min(1.0, AS_LONG / noise))  # line 3
        return cls(names=source.domain.names, descent=slowed, most=most, rho=rho)

    def block(self, net: Trainee, state: bytes, *, first: int, steps: int) -> Training:
        """Return the query for `steps` steps that begin with step `first`."""
        return Training(self.names, net, replace(self.descent, first=first, steps=steps), state, self.most)


def beginning(weights: np.ndarray[Any, np.dtype[np.float32]]) -> bytes:
    """Return the initial state of a descent. Shapes: `weights` float32[parameters]."""
    return np.stack([weights, np.zeros_like(weights), weights]).astype("<f4").tobytes()

"""Measure the noisy mean of the scores of many candidates."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from synth.core.domain import Domain
from synth.private.exact_tables import ExactTables
from synth.private.queries.base import NumbersQuery
from synth.private.queries.score import Candidates
from synth.private.scores import SCALE
from synth.private.terms import Terms


class MeanScore(Candidates, NumbersQuery):
    """The noisy mean of all scores, which is one number for any number of candidates.

    Privacy: the Gaussian mechanism. Each score changes by at most its sensitivity, and so does their mean.
    Integer division rounds down. If the difference of two means is at most an integer, it still is after
    rounding.
    """

    ask: ClassVar[str] = "mean_score"
    words: ClassVar[tuple[str, str]] = ("mean of scores", "means of scores")
    scale: ClassVar[int] = SCALE

    def shape(self, domain: Domain) -> tuple[int, ...]:
        return (1,)

    def l2_squared(self, terms: Terms) -> int:
        """Return the largest squared change, in units of 1/SCALE squared."""
        return self.score.sensitivity(self.moved(terms)) ** 2

    def exact(self, tables: ExactTables) -> NDArray[np.int64]:
        """Return the mean in units of 1/SCALE, rounded down. Shapes: int64[1]."""
        scores = super().exact(tables)
        return np.array([sum(scores.tolist()) // len(scores)], dtype=np.int64)

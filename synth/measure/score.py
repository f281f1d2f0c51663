"""Scores a mechanism may ask a selection for: a closed list, each with its swing.

A score is evaluated behind the wall on exact counts, in integers, so that its sensitivity is exact:
estimates are public numbers rounded to `SCALE`-ths of a record beforehand, absolute differences and sums of
integers are exact, and so is every product with an integer weight.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from synth.domain import Clique

SCALE = 1 << 10
"""Fixed-point units per record."""


class Score(Protocol):
    """What the room needs to know of a score. Values are int64 in units of 1/SCALE."""

    name: str

    @property
    def cliques(self) -> Sequence[Clique]:
        """The candidates, one table each."""
        ...

    def value(self, index: int, counts: NDArray[np.int64]) -> int:
        """The score of candidate `index` on exact counts of its clique."""
        ...

    def sensitivity(self, l1: int) -> int:
        """How far one score moves when a table's counts move by at most `l1` in L1 norm."""
        ...

    def swing(self, l1: int) -> int:
        """How far apart two scores can be driven by the same change (at most twice the sensitivity)."""
        ...


@dataclass(frozen=True, eq=False)
class L1Gap:
    """w_r * ( ||M_r(D) - estimate_r||_1 - penalty_r ), the score of AIM (Alg. 4) and MWEM.

    Shapes: `estimates[i]: float64[shape(cliques[i])]` in counts; `weights[i]`: non-negative integers;
    `penalties[i]`: counts. Privacy: adding one record moves one cell by one, hence the L1 norm by at most
    one and the score by at most w_r; candidates can move in opposite directions, so the swing is twice the
    largest weight. Both are exact in fixed point.
    """

    cliques: tuple[Clique, ...]
    estimates: tuple[NDArray[np.float64], ...]
    weights: tuple[int, ...]
    penalties: tuple[float, ...]
    name = "l1_gap"

    def __post_init__(self) -> None:
        if not len(self.cliques) == len(self.estimates) == len(self.weights) == len(self.penalties):
            raise ValueError("an L1 gap needs one estimate, weight and penalty per clique")
        if any(w < 0 or w != int(w) for w in self.weights):
            raise ValueError("weights of an L1 gap are non-negative integers")

    def value(self, index: int, counts: NDArray[np.int64]) -> int:
        estimate = np.rint(self.estimates[index] * SCALE).astype(np.int64)
        gap = int(np.abs(counts * SCALE - estimate).sum())
        return self.weights[index] * (gap - round(self.penalties[index] * SCALE))

    def sensitivity(self, l1: int) -> int:
        return max(self.weights, default=0) * l1 * SCALE

    def swing(self, l1: int) -> int:
        return 2 * self.sensitivity(l1)

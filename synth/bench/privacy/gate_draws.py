"""Compute the privacy loss of one row from the random draws of a method.

A draw of noise has a scale and the exact numbers to which it was added. A choice has the weights of its
candidates. The loss of every draw, in rho, follows from two transcripts of the same draws on neighbouring
tables by textbook formulas: Gaussian |d|^2 / (2 sigma^2); Laplace (|d|_1 / b)^2 / 2; a choice (range of the
change of the log weights)^2 / 8 (Cesar and Rogers 2021). No bound is known for other draws.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from scipy.stats import chi2

NORMAL, LAPLACE, CHOICE = "normal", "laplace", "choice"

FALSE_ALARM = 1e-6
"""Largest probability, over all tests together, that an entry whose noise has the right scale is reported."""

NEVER = 1e-12
"""Weight of a candidate below which it is ignored if this is true on both tables.

The logarithm of such a weight is only rounding error.
"""

Numbers = NDArray[np.float64]


@dataclass(frozen=True, eq=False, kw_only=True)
class Draw:
    """One private draw. For noise, `exact` are the numbers to which noise of this `scale` was added, and
    `noisy` is the result. For a choice, `exact` are the log weights with which an index was drawn. Shapes:
    one-dimensional; `noisy` is empty for a choice.
    """

    kind: str
    exact: Numbers
    scale: float = 1.0
    noisy: Numbers = field(default_factory=lambda: np.empty(0))

    def loss(self, other: Draw) -> float:
        """Return the loss in rho, given the draw on the other table. The loss is infinite if a choice that is
        possible on one table is impossible on the other, or if numbers change without known noise.
        """
        if self.kind == CHOICE:
            return _loss_of_choice(self.exact, other.exact)
        moved = other.exact - self.exact
        if not moved.any():
            return 0.0
        if self.kind == NORMAL and self.scale:
            return float(np.square(moved).sum()) / (2 * self.scale**2)
        if self.kind == LAPLACE and self.scale:
            return float(np.abs(moved).sum() / self.scale) ** 2 / 2
        return math.inf

    @property
    def noise(self) -> Numbers:
        return self.noisy - self.exact


def _loss_of_choice(here: Numbers, there: Numbers) -> float:
    """Return the loss in rho, from the log weights of all candidates that can be chosen on one of the
    tables.
    """
    likely = (here > math.log(NEVER)) | (there > math.log(NEVER))
    here, there = here[likely], there[likely]
    if not (np.isfinite(here).all() and np.isfinite(there).all()):
        return math.inf
    return float(np.ptp(there - here)) ** 2 / 8 if here.size else 0.0


@dataclass(frozen=True, eq=False, kw_only=True)
class Transcript:
    """One run: its draws in order, its table, and the place where it differed from the recorded run, if any.

    `unheard` is the number of draws of noise for which it is unknown to which numbers they were added.
    """

    draws: tuple[Draw, ...]
    made: bytes
    broken: str = ""
    unheard: int = 0

    @property
    def requested(self) -> int:
        """Return the number of draws, including the `unheard` ones."""
        return len(self.draws) + self.unheard

    def loss(self, other: Transcript) -> float:
        """Return the total loss, in rho, of all draws that both transcripts have."""
        return sum(a.loss(b) for a, b in zip(self.draws, other.draws, strict=False))


def odd_noise(runs: Sequence[Transcript]) -> Iterator[str]:
    """Yield a sentence about each draw whose Gaussian noise, over all runs, has a spread that differs from
    its scale, or is the same in all runs.

    The sum of squares is compared with the chi-square distribution. Noise may have been rounded by up to one
    half. Therefore, the test for too much noise moves every number by a half towards zero, and the test for
    too little noise moves it by a half away from zero.
    """
    places = range(min(len(run.draws) for run in runs))
    for place in places:
        draws = [run.draws[place] for run in runs if run.draws[place].kind == NORMAL]
        drawn = [(draw.noise, draw.scale) for draw in draws if draw.scale and draw.noisy.size]
        if not drawn:
            continue
        size, named = sum(noise.size for noise, _ in drawn), f"The noise of draw {place + 1}"
        most = sum(np.square((np.abs(noise) + 0.5) / scale).sum() for noise, scale in drawn)
        least = sum(np.square(np.maximum(np.abs(noise) - 0.5, 0) / scale).sum() for noise, scale in drawn)
        if min(chi2.cdf(most, size), chi2.sf(least, size)) < FALSE_ALARM / (2 * len(places)):
            spread = math.sqrt(sum(np.square(noise / scale).sum() for noise, scale in drawn) / size)
            yield f"{named} has {spread:.3g} times the spread of its requested scale."
        first, *others = (noise for noise, _ in drawn)
        are_same = (noise.shape == first.shape and np.allclose(noise, first) for noise in others)
        if others and all(are_same):
            yield f"{named} is the same in all {len(drawn)} runs."

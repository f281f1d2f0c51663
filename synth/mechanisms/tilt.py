"""How far prices are drawn from the pairs that matter towards all pairs alike (`mechanisms.blend`, line 2).

What a look saw of all pairs tells how many of them matter, by the participation ratio; sizes, order and price
tell what measuring them all alike would show. Post-processing: noisy scores, public facts and a price.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from synth.mechanisms.base import Problem
from synth.mechanisms.first_look import FirstLook
from synth.private.source import Source

LEAST_PART, WHOLE_PART = 0.4, 0.6
"""The participation ratio of pairs from which on there is a tilt, and at which it is whole."""

SURELY, LEAST_TILT = 3.0, 0.1
"""How many standard errors the participation ratio of a wide table is taken lower, and the smallest tilt: any
at all asks about all pairs, and where few of them matter that costs a third more error."""

LEAST_PARTNERS, WHOLE_PARTNERS = 8.0, 14.0
"""The same of the number of pairs that matter per column, of columns in order."""

LEAST_NOMINAL, WHOLE_NOMINAL = 4.0, 8.0
"""The same of columns in no order, if all pairs can be measured clearly: a mixture then learns what they have
in common. If not, nothing does: a copula has no axis to learn from a few noisy codes."""

ALL_ALIKE, MOST_ORDERED, QUIET = 0.8, 0.75, 0.5
"""A participation ratio, and a part of the columns that are in order, from which on all pairs matter alike
and few columns will do. Not where the look's noise is more than so many means of what it saw."""

CLEAR_SIGMAS = 5.0
"""With all pairs measured alike, an average cell of that many sigmas is clear by itself."""

DROWNED_SIGMAS = 0.2
"""With no more, pairs of columns in order that all matter alike tell something only together; but not where
most records crowd into cells that are clear by themselves (numbers that are often zero)."""

OWN_SIGMAS = 0.7
"""The same in columns in order, where neighbours help: from here on pairs are asked in the domain's codes."""


@dataclass(frozen=True, kw_only=True)
class AllAlike:
    """What measuring all pairs alike would show.

    `columns`: how many there are. `nominal`, `ordered`: the parts of them that have more than two codes, in
    no order and in one. `sigmas`: how many standard deviations of the noise an average cell of an average
    pair would hold, were it asked as a table; `crowd`: the same of the cell that an average record would be
    in if columns were independent.
    """

    columns: int
    nominal: float
    ordered: float
    sigmas: float
    crowd: float

    @classmethod
    def of(cls, source: Source, problem: Problem, look: FirstLook) -> AllAlike:
        """With the price that is left now."""
        domain = source.domain
        cells = float(np.mean([domain.size(r) for r in look.weights]))
        sigma = source.terms.sigma(source.left.rho / len(look.weights))
        alike = {name: float(np.square(c / c.sum()).sum()) for name, c in look.columns.items()}
        many = {name for name, size in zip(domain.names, domain.sizes, strict=True) if size > 2}
        return cls(
            columns=len(domain),
            nominal=len(many - problem.ordered.keys()) / len(domain),
            ordered=len(many & problem.ordered.keys()) / len(domain),
            sigmas=look.total / cells / sigma,
            crowd=look.total * float(np.mean([alike[a] * alike[b] for a, b in look.weights])) / sigma,
        )

    @property
    def unclear(self) -> float:
        """How far an average cell is from being clear by itself, 0 to 1."""
        return max(0.0, 1 - self.sigmas / CLEAR_SIGMAS)

    @property
    def suits_own_codes(self) -> bool:
        """Whether cells are clear enough for pairs in the domain's own codes."""
        return self.sigmas >= self.nominal * CLEAR_SIGMAS + (1 - self.nominal) * OWN_SIGMAS

    def tilt(self, distances: NDArray[np.float64], *, noise: float) -> float:
        """The part of every price that is the same for all pairs, 0 to 1.

        Shapes: `distances`: float64[pairs], from independence, with noise of this standard deviation.
        """
        mean, square = float(distances.mean()), float(np.square(distances).mean()) - noise**2
        if mean <= 0 or square <= 0:
            return 0.0
        square = max(square, mean**2)  # noise may say otherwise
        part = mean**2 / square
        sure = part - SURELY * part * _relative_error(mean, square, noise, len(distances))
        partners, is_clear = part * self.columns / 2, self.sigmas >= CLEAR_SIGMAS
        few = 0.0
        is_quiet = noise <= QUIET * mean
        if self.columns > 2 and self.ordered >= MOST_ORDERED and part >= ALL_ALIKE and is_quiet:
            few = 1 - _ramp(partners, LEAST_PARTNERS, WHOLE_PARTNERS)
            if self.sigmas <= DROWNED_SIGMAS:
                few = 0.0 if self.crowd >= CLEAR_SIGMAS else 1.0
        eager = self.nominal if is_clear else 0.0
        least = (1 - eager) * LEAST_PARTNERS + eager * LEAST_NOMINAL
        whole = (1 - eager) * WHOLE_PARTNERS + eager * WHOLE_NOMINAL
        hopeful = 1.0 if is_clear else 1 - self.nominal
        wide = hopeful * _ramp(sure, LEAST_PART, WHOLE_PART) * _ramp(partners, least, whole)
        tilt = max(few, wide)
        return tilt if tilt >= LEAST_TILT else 0.0


def _relative_error(mean: float, square: float, noise: float, count: int) -> float:
    """The standard error of mean^2 / square over itself, of so many numbers with independent noise, to first
    order; `square` without noise."""
    variance = 4 * noise**2 * (1 / mean**2 - 1 / square) + 2 * noise**4 / square**2
    return math.sqrt(max(variance, 0.0) / count)


def _ramp(x: float, low: float, high: float) -> float:
    """0 up to `low`, 1 from `high` on, straight in between."""
    return float(np.clip((x - low) / (high - low), 0.0, 1.0))

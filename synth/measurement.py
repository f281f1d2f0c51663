"""Noisy answers: what the room gave, with its noise and its price."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from synth.domain import Clique

RHO_PER_UNIT = 1e-12
"""One unit of the ledger in rho."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Measurement:
    """A noisy marginal.

    Shapes: `counts: int64[shape(clique)]`, integers by type (an exact discrete Gaussian was added to exact
    integer counts), negative values kept. Units: `variance` is the discrete Gaussian's parameter sigma^2 in
    counts squared, recorded by the room and never set by a mechanism; `units` is the price in 1e-12 rho.
    """

    clique: Clique
    counts: NDArray[np.int64]
    variance: Fraction
    units: int
    part: str = "mechanism"
    step: int = 0

    def __post_init__(self) -> None:
        if self.counts.dtype != np.int64:
            raise TypeError("a measurement holds int64 counts")
        if self.counts.ndim != len(self.clique):
            raise ValueError("a measurement needs one axis per column of its clique")
        self.counts.setflags(write=False)

    @property
    def sigma(self) -> float:
        """Standard deviation parameter of the noise, in counts."""
        return math.sqrt(self.variance)

    @property
    def rho(self) -> float:
        """Price in rho."""
        return self.units * RHO_PER_UNIT

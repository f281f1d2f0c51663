"""How far a noisy table is likely to be from the truth once the likely counts are known."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

MEAN_ABSOLUTE = math.sqrt(2 / math.pi)
"""E|Z| of standard noise."""


def expected_distance(likely: NDArray[np.float64], sigma: float) -> float:
    """The expected L1 distance, in counts: a cell is off by its noise, or by as much as it holds if that is
    less. `sigma`: noise of each cell."""
    return float(np.minimum(MEAN_ABSOLUTE * sigma, likely).sum())

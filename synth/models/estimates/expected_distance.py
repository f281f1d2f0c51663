"""Estimate the expected distance between a noisy table and the true table, given the likely counts."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

MEAN_ABSOLUTE = math.sqrt(2 / math.pi)
"""E|Z| of a standard normal variable."""


def expected_distance(likely: NDArray[np.float64], sigma: float) -> float:
    """Return the expected L1 distance in counts. `sigma`: the noise of a cell.

    The error of a cell is the smaller of its expected absolute noise and its likely count.
    """
    return float(np.minimum(MEAN_ABSOLUTE * sigma, likely).sum())

"""Estimate the expected distance of a noisy table from the true table, given the likely counts."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

MEAN_ABSOLUTE = math.sqrt(2 / math.pi)
"""E|Z| of a standard normal variable."""


def expected_distance(likely: NDArray[np.float64], sigma: float) -> float:
    """Return the expected L1 distance in counts. `sigma`: noise of each cell.

    The error of a cell is its expected absolute noise, or its likely count if that is less.
    """
    return float(np.minimum(MEAN_ABSOLUTE * sigma, likely).sum())

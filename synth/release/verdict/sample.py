"""Express an error as the size of a random sample of the private rows with the same error.

If m of N rows are drawn at random without replacement, a cell with proportion p has about X ~ Poisson(m p) of
the drawn rows. The error (TVD) of the sample on a table is

    1/2 sum over cells of E|X - m p| / m * sqrt(1 - m / N)

with E|X - l| = 2 exp(-l) l^(floor(l) + 1) / floor(l)! for the Poisson distribution (De Moivre 1730). The
private proportions are unknown, so the proportions in the synthetic table are used instead.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import gammaln

MOST_TABLES = 200
"""Maximum number of tables for which the error is computed."""


def sample_of_equal_error(error: float, tables: Sequence[NDArray[np.float64]], total: float) -> float | None:
    """Return the size of the random sample, as a share of all rows, that has this mean error on the tables.

    `tables` are tables of counts that each add up to about `total`. Return None if there is no such sample
    because the error is 0 or larger than the error of a sample of one row.
    """
    step = max(1, -(-len(tables) // MOST_TABLES))
    some = tables[::step]
    cells = np.concatenate([table.reshape(-1) for table in some]) if some else np.empty(0)
    p = np.maximum(cells, 0.0) / total
    p = p[p > 0]

    def excess(part: float) -> float:
        mean = np.maximum(part * total * p, 1e-300)
        whole = np.floor(mean)
        deviation = 2 * np.exp(-mean + (whole + 1) * np.log(mean) - gammaln(whole + 1))
        one = float(deviation.sum()) / (2 * part * total * len(some))
        return one * float(np.sqrt(1 - part)) - error

    least = 1 / max(total, 2.0)
    if not some or error <= 0 or excess(least) <= 0:
        return None
    return float(brentq(excess, least, 1.0, xtol=1e-6))

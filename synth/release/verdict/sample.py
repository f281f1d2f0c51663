"""Express an error as the size of a random sample of the private rows with the same error.

If a random sample of m of N rows is drawn without replacement, a cell with proportion p has about X ~
Poisson(m p) of its rows. The error (TVD) of the sample on a table is

    1/2 sum over cells of E|X - m p| / m * sqrt(1 - m / N)

with E|X - l| = 2 exp(-l) l^(floor(l) + 1) / floor(l)! for the Poisson distribution (De Moivre 1730). The
private proportions are not known, so those of the synthetic table are used.
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
    """Return the share of all rows with which a random sample has this mean error on the tables.

    `tables` are counts that add up to about `total` each. Return None if there is no such sample: the error
    is 0, or larger than that of a single row.
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

"""Split a budget between one-way tables and pairs, and among pairs whose noise is shrunk.

The simple rule, by which the cost is proportional to cells^(2/3), assumes that the error of a table is its
noise. A ridge fit shrinks noise that exceeds the relation, so measuring a table never increases its error.
`split` minimises this error on a grid of sigmas. No closed form is needed, and tables share sigmas; each
distinct sigma needs its own table in the sampler.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

MEAN_ABSOLUTE = math.sqrt(2 / math.pi)
"""E|Z| of a standard normal variable Z."""

LEAST, MOST = 0.08, 0.65
"""Minimum and maximum share of one-way tables. Smoothing columns needs some budget, and pairs get at least a
third.
"""

SIZES = 4
"""Number of size classes of cells per doubling. The cells of a class are computed together."""

NOTHING = 1e-9
"""Count below which the expected departure of a cell is treated as zero."""

STEPS = 4
"""Number of sigmas per doubling in the grid."""

DOUBLINGS = 8
"""Number of doublings of the grid on each side of the noise of an even split."""

TABLES_AT_A_TIME = 1 << 12
"""Number of tables whose sigmas are compared at once, so that intermediate results fit into the cache."""


def one_way_share(sizes: Sequence[int], *, total: float, sigma: float) -> float:
    """Return the budget share of one-way tables.

    `sigma` is the noise of a query with the whole budget. The relative error of one-way tables is x = sum_i
    (n_i - 1) sigma / N: their free cells times the noise, divided by the number of records. If x is small,
    any share measures the columns well enough, and pairs should get the budget. If x is near one, the columns
    themselves are uncertain. Every pair inherits their errors, while shrinkage limits its own error, so
    columns should get most of the budget. In between, the errors x share^(-1/2) of one-way tables and y (1 -
    share)^(-1/2) of pairs balance at a share of x^(2/3) for constant y. As y also decreases with the noise,
    but more slowly, the exponent is smaller.

    Pairs also contain information about columns. A column has d - 1 pairs, and the sum of each over the n
    codes of the other column is an estimate of the column. Together, they provide as much information as 2 /
    n of the pairs' cost spent on one-way tables. For binary columns, this is the whole cost. Large pairs are
    measured less precisely than their share suggests and are shrunk, so the square of 2 / n is used. All
    inputs are public sizes and a noisy total.
    """
    wanted = _alone(sizes, total, sigma)
    by_pairs = min(1.0, 2 * len(sizes) / max(sum(sizes), 1)) ** 2
    return max(LEAST, wanted - by_pairs * (1 - wanted))


def _alone(sizes: Sequence[int], total: float, sigma: float) -> float:
    """Return the share of one-way tables if pairs contained no information about columns."""
    x = sum(n - 1 for n in sizes) * sigma / max(total, 1.0)
    return min(MOST, MOST * math.pow(x, 0.4))


def share_beside_interactions(sizes: Sequence[int], *, total: float, sigma: float) -> float:
    """Return the budget share of the columns if columns and all pairs are measured as interactions.

    The share minimises the squared error of all pairs, weighted by their cells (the costs of ResidualPlanner,
    Xiao et al. 2023, except for the total). If the columns themselves are uncertain, they get as much as in
    `one_way_share`, because interactions contain no information about columns.

    >>> round(share_beside_interactions([2] * 16, total=20_000, sigma=6.4), 3)
    0.341
    >>> round(share_beside_interactions([2] * 16, total=1_000, sigma=129.0), 3)
    0.65
    """
    n = np.array(sizes, dtype=np.float64)
    p, others = 1 - 1 / n, (1 / n).sum() - 1 / n
    columns = (p * np.sqrt(n * others)).sum()
    pairs = (np.square((p * np.sqrt(n)).sum()) - np.square(p * np.sqrt(n)).sum()) / 2
    return max(float(columns / (columns + pairs)), _alone(sizes, total, sigma))


def thresholded_errors(
    expected: NDArray[np.float64], strength: float, sigmas: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the expected L1 error of a table under the best hard threshold, for every sigma.

    Hard thresholding replaces each cell by its measurement or by its expected count. The error of a cell is
    therefore the smaller of its noise and its departure from independence. Shapes: float64[len(sigmas)], in
    counts. `expected` and `strength` are as in `shrunken_errors`.
    """
    departures = np.sort(strength * expected, axis=None)
    below = np.concatenate([[0.0], np.cumsum(departures)])
    noise = MEAN_ABSOLUTE * sigmas
    place = np.searchsorted(departures, noise)
    return np.asarray(below[place] + (departures.size - place) * noise)


def shrunken_errors(
    expected: NDArray[np.float64], strength: float, sigmas: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the expected L1 error of a table that is measured and shrunk, for every sigma.

    Shapes: float64[len(sigmas)], in counts. `expected`: the counts of the cells under independence.
    `strength`: the mean relative departure of the cells from independence. If a departure with standard
    deviation d is measured with noise sigma and shrunk optimally, its error has the standard deviation d
    sigma / sqrt(d^2 + sigma^2). Therefore, a measurement helps a little even if the noise exceeds the
    departure. Cells whose sizes differ by less than 1 / `SIZES` of a doubling are computed together.
    """
    spread = strength / MEAN_ABSOLUTE * expected.ravel()
    spread = spread[spread > NOTHING]
    size = np.floor(SIZES * np.log2(spread)).astype(np.int64)
    size -= size.min(initial=0)
    cells, whole = np.bincount(size), np.bincount(size, weights=spread)
    cells, whole = cells[cells > 0], whole[cells > 0]
    typical = whole / cells
    left = typical / np.hypot(typical, sigmas[:, None])
    return np.asarray(MEAN_ABSOLUTE * sigmas * (left @ cells))


def sigma_grid(middle: float) -> NDArray[np.float64]:
    """Return the sigmas from which a split chooses, around `middle`."""
    steps = np.arange(-STEPS * DOUBLINGS, STEPS * DOUBLINGS + 1)
    return np.asarray(middle * 2.0 ** (steps / STEPS))


def split(
    costs: NDArray[np.float64], sigmas: NDArray[np.float64], *, rho: float, price: Callable[[float], float]
) -> tuple[NDArray[np.float64], float]:
    """Return the costs that minimise the summed error for a total cost of `rho`, and this error.

    Shapes: `costs` float64[tables, sigmas], the error of every table at every sigma. The result is
    float64[tables]; tables that should not be measured cost 0. One Lagrange multiplier weighs cost against
    error for all tables. The remainder due to the grid is distributed in proportion, so that the costs sum to
    `rho`. The search bisects on the multiplier. A sigma that is best for a table at two multipliers is best
    at all multipliers between them, because a minimum of linear functions is concave. Therefore, each step
    evaluates only tables whose sigmas differ between the two limits.
    """
    prices = np.array([price(float(s)) for s in sigmas])
    prices[-1] = 0.0
    low, high = -80.0, 80.0
    at_low, chosen = _cheapest(costs, prices, low), _cheapest(costs, prices, high)
    for _ in range(80):
        middle, open_ = (low + high) / 2, np.flatnonzero(at_low != chosen)
        between = chosen.copy()
        between[open_] = _cheapest(costs[open_], prices, middle)
        if prices[between].sum() > rho:
            low, at_low = middle, between
        else:
            high, chosen = middle, between
    cost = float(costs[np.arange(len(costs)), chosen].sum())
    spent = prices[chosen]
    return (spent * (rho / spent.sum()) if spent.sum() > 0 else spent), cost


def _cheapest(costs: NDArray[np.float64], prices: NDArray[np.float64], power: float) -> NDArray[np.int64]:
    """Return the position of the sigma with the lowest error plus cost for each table. Tables are processed
    in batches. Shapes: int64[tables].
    """
    weighed = math.exp(power) * prices
    parts = [
        np.argmin(costs[start : start + TABLES_AT_A_TIME] + weighed, axis=1)
        for start in range(0, len(costs), TABLES_AT_A_TIME)
    ]
    return np.concatenate([np.zeros(0, dtype=np.int64), *parts])

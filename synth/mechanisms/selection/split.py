"""Split a budget between one-way tables and pairs, and over pairs with shrunk noise.

The plain rule, price in proportion to cells^(2/3), supposes that a table is off by its noise. A ridge fit
shrinks noise that is larger than what it hides, so a table is never further off than leaving it out would
be. `split` follows that law, on a grid of sigmas: no formula is needed, and tables share sigmas, each
of which costs the sampler a table of its own.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

MEAN_ABSOLUTE = math.sqrt(2 / math.pi)
"""E|Z| of standard noise."""

LEAST, MOST = 0.08, 0.65
"""Limits of the one-way share: the smoothing of columns needs some, and pairs get a third at the least."""

SIZES = 4
"""Sizes of cells per doubling that are distinguished."""

NOTHING = 1e-9
"""Of a record: a cell that is off by no more is not off."""

STEPS = 4
"""Sigmas per doubling on the grid."""

DOUBLINGS = 8
"""The grid reaches this many doublings to both sides of the noise of an even split."""

TABLES_AT_A_TIME = 1 << 12
"""Tables whose sigmas are compared at once, so that what is formed stays in the cache."""


def one_way_share(sizes: Sequence[int], *, total: float, sigma: float) -> float:
    """Return the part of the budget for one-way tables.

    `sigma` is the noise that the whole price would buy. x = sum_i (n_i - 1) sigma / N is the scale of the
    one-way tables' error: their free cells times noise, relative to the records. Where x is small anything
    measures them well enough and pairs deserve the price; where it nears one the columns themselves are in
    doubt, and as every pair inherits their errors while its own is bounded by shrinkage, they deserve most of
    it. In between, one-ways that cost x share^(-1/2) and pairs that cost y (1 - share)^(-1/2) balance at a
    share of x^(2/3) for constant y; as y falls with the noise too, though slower, the power is smaller.
    Pairs tell of columns too: the d - 1 sums of a column's pairs, each over the other's n codes, are as good
    as 2 / n of the pairs' price spent on one-ways: of binary columns that is all of it. Wide pairs are
    measured less well than their part and shrunk besides, so the square of 2 / n is counted.
    Public sizes and a noisy total: no property of any one table.
    """
    x = sum(n - 1 for n in sizes) * sigma / max(total, 1.0)
    wanted = min(MOST, MOST * math.pow(x, 0.4))
    by_pairs = min(1.0, 2 * len(sizes) / max(sum(sizes), 1)) ** 2
    return max(LEAST, wanted - by_pairs * (1 - wanted))


def share_beside_interactions(sizes: Sequence[int]) -> float:
    """The part of a price that goes to columns where they and all pairs are asked as interactions: that at
    which the squared error of all pairs, weighed by their cells, is least (the prices of ResidualPlanner,
    Xiao et al. 2023, but for the total).

    >>> round(share_beside_interactions([2] * 16), 3)
    0.341
    """
    n = np.array(sizes, dtype=np.float64)
    p, others = 1 - 1 / n, (1 / n).sum() - 1 / n
    columns = (p * np.sqrt(n * others)).sum()
    pairs = (np.square((p * np.sqrt(n)).sum()) - np.square(p * np.sqrt(n)).sum()) / 2
    return float(columns / (columns + pairs))


def thresholded_errors(
    expected: NDArray[np.float64], strength: float, sigmas: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Expected L1 error of a table under the best hard threshold, for every sigma: a cell is kept as measured
    or left as expected, and off by its noise, or by its departure from independence, the smaller of the two.

    Shapes: float64[len(sigmas)], in counts. `expected` and `strength` as in `shrunken_errors`.
    """
    departures = np.sort(strength * expected, axis=None)
    below = np.concatenate([[0.0], np.cumsum(departures)])
    noise = MEAN_ABSOLUTE * sigmas
    place = np.searchsorted(departures, noise)
    return np.asarray(below[place] + (departures.size - place) * noise)


def shrunken_errors(
    expected: NDArray[np.float64], strength: float, sigmas: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Expected L1 error of a table that is measured and shrunk, for every sigma.

    Shapes: float64[len(sigmas)], in counts.
    `expected`: the cells under independence, in counts. `strength`: by what part they may be off it, on
    average. A departure d of normal law that is measured with noise sigma and drawn to nothing as far as both
    tell has the standard deviation d sigma / sqrt(d^2 + sigma^2): a little is gained even where noise hides
    the departure. Cells are taken together that are alike within 1 / `SIZES` of a doubling.
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
    """The sigmas a split chooses from."""
    steps = np.arange(-STEPS * DOUBLINGS, STEPS * DOUBLINGS + 1)
    return np.asarray(middle * 2.0 ** (steps / STEPS))


def split(
    costs: NDArray[np.float64], sigmas: NDArray[np.float64], *, rho: float, price: Callable[[float], float]
) -> tuple[NDArray[np.float64], float]:
    """The prices that minimise the summed cost at a whole price of `rho`, and that sum.

    Shapes: `costs` float64[tables, sigmas], the error of every table at every sigma; returns float64[tables],
    0 for a table that is not worth its price. One multiplier weighs price against error for all tables
    (Lagrange); what the grid leaves over is spread in proportion, so that prices sum to `rho`. A
    sigma that is best for a table at two multipliers is so at all between them, as a minimum of lines is
    concave: only tables that are not stated yet are looked at again.
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
    """The place of the sigma of least cost and price for each table, some tables at a time. Shapes:
    int64[tables]."""
    weighed = math.exp(power) * prices
    parts = [
        np.argmin(costs[start : start + TABLES_AT_A_TIME] + weighed, axis=1)
        for start in range(0, len(costs), TABLES_AT_A_TIME)
    ]
    return np.concatenate([np.zeros(0, dtype=np.int64), *parts])

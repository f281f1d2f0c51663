"""The equivalent sample size: the size of a random sample of real rows with the same error. NOT PRIVATE.

It is defined in AIM, appendix C. If k of N rows are drawn with replacement, M_r(D_k) is multinomial(k, p)
with p = M_r(D) / N. By De Moivre's formula for the mean absolute deviation of a binomial, with s = ceil(k p),

    E ||p - M_r(D_k) / k||_1 = (2 / k) sum_x s C(k, s) p^s (1 - p)^(k - s + 1).

The mean over cliques decreases in k. The equivalent sample size is the k at which the mean equals the error
of the release.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from synth.core.domain import Clique
from synth.core.table import CodeTable

LARGEST_SHARE = 100.0


def expected_tvd(k: int, counts: NDArray[np.int64], repeats: NDArray[np.float64], rows: int) -> float:
    """Return half of the formula in the module docstring, as a weighted sum over cells.

    Shapes: `counts: int64[m]`, the distinct cell counts for `rows` rows; `repeats: float64[m]`, the number of
    cells with each count divided by the number of cliques.
    """
    p = counts / rows
    inner = (p > 0.0) & (p < 1.0)
    p, weight = p[inner], repeats[inner]
    s = np.ceil(k * p)
    log = gammaln(k + 1) - gammaln(s + 1) - gammaln(k - s + 1)
    log += np.log(s) + s * np.log(p) + (k - s + 1) * np.log1p(-p)
    return float((weight * np.exp(log)).sum() / k)


def equivalent_share(real: CodeTable, cliques: Sequence[Clique], tvd: float) -> float:
    """Return k / N, at most 100, such that k sampled rows have the mean TVD `tvd` over the cliques.

    Raises: ValueError if there are no rows or no cliques.
    """
    if real.rows == 0 or not cliques:
        raise ValueError("a subsample needs rows and cliques")
    occupied = [np.unique(real.keys(r), return_counts=True)[1] for r in cliques]
    counts, repeats = np.unique(np.concatenate(occupied), return_counts=True)
    weight = repeats / len(cliques)
    low, high = 1, int(LARGEST_SHARE * real.rows)
    if expected_tvd(high, counts, weight, real.rows) > tvd:
        return LARGEST_SHARE
    while low < high:
        middle = (low + high) // 2
        if expected_tvd(middle, counts, weight, real.rows) > tvd:
            low = middle + 1
        else:
            high = middle
    return low / real.rows

"""Choose the resolution of a column: finer groups of codes show more of a relation, but with more noise.

Counting in groups loses part of a relation. Consider two normal variables whose pair has a total variation
distance of t from independence, counted in groups that each contain a share h of the records. The loss is
about t / (1 - t) sqrt(2) h. This is only an order of magnitude: for correlations from 0.05 to 0.95 and 4 to
40 groups, the true loss is between 0.57 times (strong relation, few groups) and 1.93 times (weak relation,
many groups) this value.

The columns of real tables are less smooth, so this module uses the loss 1.5 t / (1 - t) (h_a^2 +
h_b^2)^(1/3). With it, the groups with the smallest predicted error were the best, or nearly the best, on
Adult and on normal variables in 20 and 100 bins, at epsilon 1 and 10. The error changes little near the best
groups.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from synth.core.axis import Grouping
from synth.core.measurements.chance import by_chance

STRONGEST = 0.95
"""Maximum strength of a relation in the formula. Relations that are almost functions would otherwise have no
finite loss.
"""


def width(grouping: Grouping | None) -> float:
    """Return how coarsely a column is counted: sum_g (h_g^2 - sum_{j in g} w_j^2), where h_g is the share of
    records in group g and w_j the share with code j. Without groups, the result is 0. Groups that one code
    dominates add little.
    """
    if grouping is None:
        return 0.0
    group_of = np.asarray(grouping.group_of)
    weights = np.maximum(np.asarray(grouping.weights, dtype=np.float64), 0.0)
    weights /= max(weights.sum(), 1e-300)
    held = np.bincount(group_of, weights=weights, minlength=grouping.size)
    alone = np.bincount(group_of, weights=weights**2, minlength=grouping.size)
    return float((held**2 - alone).sum())


def blur(strength: float, one: float, other: float) -> float:
    """Return the loss of a relation, as a total variation distance, if its two columns have the given widths.

    >>> blur(0.4, 0.0, 0.0), round(blur(0.4, 0.05, 0.05), 3), blur(0.4, 1.0, 1.0)
    (0.0, 0.171, 0.4)
    """
    t = min(strength, STRONGEST)
    return min(t, 1.5 * t / (1 - t) * math.pow(one**2 + other**2, 1 / 3))


def without_sampling(error: float, expected: NDArray[np.float64]) -> float:
    """Return a distance from expected counts after subtracting the square of the sampling error. `expected`
    is in counts.
    """
    return math.sqrt(max(error**2 - by_chance(expected) ** 2, 0.0))

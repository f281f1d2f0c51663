"""The sliced 1-Wasserstein distance of all pairs (PrivPGD, section 4.1). NOT PRIVATE with a real table.

Code j of K codes is at (j + 1/2) / K, even if codes are not ordered, as in the paper. Along one direction,
the distance is the integral of |F - G|, where F and G are the distribution functions of the two tables. It is
averaged over directions and pairs. The authors draw random directions. Here, the directions have equal
angles, so that the same two tables always have the same distance.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from synth.core.domain import Clique
from synth.core.table import CodeTable

DIRECTIONS = 100


def sliced_distance(real: CodeTable, synthetic: CodeTable, *, directions: int = DIRECTIONS) -> float:
    """Return the distance. It is 0 for equal tables and for a single column, and always below 0.91.

    Raises: ValueError for different domains or a table without rows.
    """
    if real.domain != synthetic.domain or min(real.rows, synthetic.rows) == 0:
        raise ValueError("sliced distances need two tables with rows over the same domain")
    by_shape: dict[tuple[int, ...], list[Clique]] = {}
    for pair in combinations(real.domain.names, 2):
        by_shape.setdefault(real.domain.shape(pair), []).append(pair)
    found = [
        _distances(np.stack([_apart(real, synthetic, pair) for pair in pairs]), shape, directions)
        for shape, pairs in by_shape.items()
    ]
    return float(np.concatenate(found).mean()) if found else 0.0


def _apart(real: CodeTable, synthetic: CodeTable, pair: Clique) -> NDArray[np.float64]:
    """Return the difference between the proportions of two tables. Shapes: float64[cells]."""
    return np.ravel(real.counts(pair) / real.rows - synthetic.counts(pair) / synthetic.rows)


def _distances(apart: NDArray[np.float64], shape: tuple[int, ...], directions: int) -> NDArray[np.float64]:
    """Return the distance of each of several pairs of the same shape. Shapes: `apart`: [pairs, cells];
    returns [pairs].
    """
    x, y = ((codes.ravel() + 0.5) / size for codes, size in zip(np.indices(shape), shape, strict=True))
    total = np.zeros(len(apart))
    for angle in (np.arange(directions) + 0.5) * (np.pi / directions):
        places = np.cos(angle) * x + np.sin(angle) * y
        order = np.argsort(places, kind="stable")
        total += np.abs(apart[:, order].cumsum(axis=1)[:, :-1]) @ np.diff(places[order])
    return total / directions

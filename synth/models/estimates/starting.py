"""Adjust the columns and pairs of a public starting table to noisy measurements.

The method is our own. It only post-processes noisy measurements and public rows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from synth.core.domain import Domain
from synth.models.estimates.proportional import with_margins

Vector = NDArray[np.float64]
Rows = NDArray[np.int64]

POOLED = 5.0
"""Number of average cells whose evidence is added to the evidence of a column's own cells."""

LEAST_KEPT = 0.01
"""Minimum fraction of a column's distance from the starting table that is kept, so that its variance is not
0.
"""

ROUNDS = 10
"""Number of rounds of proportional fitting."""

POSSIBLE = 1e-6
"""Fraction of the rows that is distributed as under independence, so that no cell is impossible."""


def towards_start(
    found: Mapping[str, tuple[Vector, Fraction]], rows: Rows, domain: Domain, total: float
) -> dict[str, tuple[Vector, Fraction]]:
    """Return the noisy columns after shrinking them towards the columns of the starting table, and their
    remaining variance.

    Let y be a noisy column with noise sigma, and s the same column of the starting table, both with n cells.
    The result is s + k (y - s) with k = 1 - (n + 5) / (e + 5 m), at least `LEAST_KEPT`, where e = ||y - s||^2
    / sigma^2, and m is the mean of e per cell over all columns. This is the estimate of James and Stein
    (1961), with part of the evidence from the other columns. If the starting table is wrong, k is close to 1.
    `found`: counts and variance of a cell for each measured column.
    """
    starts = {
        name: np.bincount(rows[:, domain.axis(name)], minlength=len(counts)) * (total / len(rows))
        for name, (counts, _) in found.items()
    }
    far = {
        name: float(np.square(counts - starts[name]).sum() / float(variance))
        for name, (counts, variance) in found.items()
    }
    mean = sum(far.values()) / sum(map(len, starts.values()))
    shrunk = {}
    for name, (counts, variance) in found.items():
        start = starts[name]
        kept = max(LEAST_KEPT, 1 - (len(start) + POOLED) / max(far[name] + POOLED * mean, 1e-9))
        shrunk[name] = start + kept * (counts - start), variance * Fraction(kept)
    return shrunk


def starting_pairs(
    domain: Domain, rows: Rows, columns: Sequence[Vector], pairs: Sequence[tuple[int, int]]
) -> dict[tuple[int, int], Vector]:
    """Return the counts of pairs with these column counts and the associations of the starting table.

    Each association is multiplied by 1 - df / chi^2, so that a small starting table does not add its sampling
    error. Shapes: `rows` int64[n, len(domain)]. `columns[i]` float64[sizes[i]], and the results float64[sizes
    of the pair], all in counts of the same total.
    """
    tables = {}
    for a, b in pairs:
        shape = domain.sizes[a], domain.sizes[b]
        cells = rows[:, a] * shape[1] + rows[:, b]
        seen = np.bincount(cells, minlength=shape[0] * shape[1]).reshape(shape).astype(np.float64)
        first, second = seen.sum(axis=1), seen.sum(axis=0)
        alone = np.outer(first, second) / len(rows)
        chi = float(np.divide(np.square(seen - alone), alone, out=np.zeros(shape), where=alone > 0).sum())
        free = (np.count_nonzero(first) - 1) * (np.count_nonzero(second) - 1)
        kept = max(0.0, 1 - free / chi) if chi > 0 else 0.0
        anywhere = np.outer(columns[a], columns[b]) / max(float(columns[a].sum()), 1e-9)
        likely = kept * seen + (1 - kept) * alone + POSSIBLE * anywhere
        tables[a, b] = with_margins(likely, columns[a], columns[b], rounds=ROUNDS)
    return tables


def in_groups(rows: Rows, domain: Domain, groups: Mapping[str, tuple[int, ...]]) -> Rows:
    """Replace each code of the rows by its group. Shapes: int64[rows, len(domain)]."""
    coarse = rows.copy()
    for name, group_of in groups.items():
        coarse[:, domain.axis(name)] = np.array(group_of)[rows[:, domain.axis(name)]]
    return coarse

"""Draw records from a Gaussian copula. The ranks of correlated normal variables are divided so that the
counts of every column are exact.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from synth.models.copula.correlations import Correlations


def copula_codes(
    correlations: Correlations,
    columns: Sequence[NDArray[np.float64]],
    rows: int,
    rng: np.random.Generator,
) -> NDArray[np.int64]:
    """Return codes drawn from the copula. Shapes: `columns[i]`: float64[sizes[i]], weights of the codes. The
    result is int64[rows, len(columns)]. The count of every code differs from its share of the rows by less
    than one.
    """
    root = np.linalg.cholesky(correlations.matrix).T.astype(np.float32)
    latent = rng.standard_normal((rows, len(columns)), dtype=np.float32) @ root
    codes = np.empty((rows, len(columns)), dtype=np.int64)
    for i, counts in enumerate(columns):
        order = correlations.orders[i]
        below = np.floor(np.cumsum(counts[order]) * (rows / counts.sum()) + 0.5).astype(np.int64)
        below[-1] = rows
        codes[np.argsort(latent[:, i], kind="stable"), i] = np.repeat(order, np.diff(below, prepend=0))
    return codes

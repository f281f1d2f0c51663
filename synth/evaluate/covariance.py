"""The distance between the covariances of two tables (PrivPGD, section 4.1). NOT PRIVATE with a real table.

Each code is represented by the centre of its bin in [0, 1], even if codes are not ordered, as in the paper.
With covariance matrices C of the real table and C' of the synthetic table, the error is ||C - C'|| / ||C|| in
the Frobenius norm.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from synth.core.table import CodeTable


def covariance_error(real: CodeTable, synthetic: CodeTable) -> float:
    """Return the error, which is 0 for equal tables.

    Raises: ValueError for different domains, a table without rows, or a constant real table.
    """
    if real.domain != synthetic.domain or min(real.rows, synthetic.rows) == 0:
        raise ValueError("covariances need two tables with rows over the same domain")
    truth, released = _covariance(real), _covariance(synthetic)
    norm = float(np.linalg.norm(truth))
    if norm == 0.0:
        raise ValueError(
            "if every column of the real table is constant, there is no covariance to compare with"
        )
    return float(np.linalg.norm(truth - released)) / norm


def _covariance(table: CodeTable) -> NDArray[np.float64]:
    """Return the covariance matrix of the columns. Shapes: float64[columns, columns]."""
    centres = (table.codes + 0.5) / np.array(table.domain.sizes)
    centres -= centres.mean(axis=0)
    return np.asarray(centres.T @ centres / table.rows, dtype=np.float64)

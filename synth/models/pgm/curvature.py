"""Estimate the full Hessian of a fit with few cells from records drawn from the model.

The Hessian of the dual is total * Cov(indicators of the cells that contain a record) + penalties. Dependent
columns make it far from diagonal, and a search that uses only the diagonal takes hundreds of steps. If there
are few cells, a few thousand records estimate the covariance well enough. It is the initial inverse of each
quasi-Newton step, which need not be exact. The optimum does not depend on this estimate.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from scipy import linalg

from synth.models.pgm.lbfgs import Vector
from synth.models.pgm.objective import RidgeDual
from synth.models.pgm.records import draw_records

FEW = 1_000
"""Maximum number of cells of all measured tables for which a dense matrix costs little compared with the
sweeps that it saves.
"""

RECORDS = 2_000
"""Number of records per covariance. It is twice the maximum number of rows, so that no direction is poorly
estimated.
"""

DOUBT = 0.003
"""Relative increase of each cell's own curvature, as if the cell contained one more record. The increase is
needed because the sample may have missed the cell.
"""


def sampled_inverse(objective: RidgeDual) -> Callable[[Vector], Vector]:
    """Return a function that multiplies by the approximate inverse Hessian at the last point at which the
    objective was evaluated.

    Deterministic: the records are drawn from the model with a fixed seed. The input table is not used.
    """
    propagation = objective.propagation
    plan, tree = propagation.plan, propagation.plan.tree
    records = draw_records(tree, propagation.beliefs, RECORDS, rng=np.random.default_rng(0))
    lies_in = np.zeros((RECORDS, objective.counts.size), dtype=np.float32)
    first = 0
    for mask in plan.factors[: plan.measured]:
        shape = tree.shape(mask)
        cell = np.ravel_multi_index(tuple(records[:, i] for i in tree.layout(mask)), shape)
        lies_in[np.arange(RECORDS), first + cell] = 1
        first += math.prod(shape)
    shares = lies_in.mean(axis=0, dtype=np.float64)
    together = (lies_in.T @ lies_in).astype(np.float64) / RECORDS
    hessian = objective.total * (together - np.outer(shares, shares))
    hessian[np.diag_indices_from(hessian)] += DOUBT * objective.total * (shares + 1 / RECORDS)
    objective.add_penalties(hessian)
    factor = linalg.cho_factor(hessian, overwrite_a=True, check_finite=False)
    return lambda vector: np.asarray(linalg.cho_solve(factor, vector, check_finite=False))

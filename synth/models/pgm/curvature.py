"""The whole curvature of a fit with few cells, learnt from records of the model itself.

The Hessian of the dual is total * Cov(which cells a record lies in) + penalties. Columns that hang together
make it far from diagonal, and a search that knows its diagonal only takes hundreds of steps. A covariance of
few cells is learnt well enough from a few thousand records: as the inverse that starts each quasi-Newton
step it need not be exact, and the optimum does not depend on it.
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
"""Most cells of all measured tables for which a dense matrix is cheap beside the sweeps it saves."""

RECORDS = 2_000
"""Records per covariance: twice as many as it may have rows, so that no direction is badly misjudged."""

DOUBT = 0.003
"""Part by which a cell's own curvature is raised, as if it had a record more: chance may have missed it."""


def sampled_inverse(objective: RidgeDual) -> Callable[[Vector], Vector]:
    """Multiplication by the inverse of the Hessian where the objective was last called, about.

    Deterministic: the records are drawn with a fixed seed and from the model, not from the table.
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

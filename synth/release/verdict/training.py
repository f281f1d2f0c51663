"""Train the public classifier of a declared target. Only released rows are used."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.optimize import minimize
from scipy.special import log_softmax

from synth.core.measurements.classifier import Classifier
from synth.core.table import CodeTable

ROWS = 20_000
"""Maximum number of released rows on which the classifier is trained."""

SCALE = 1 << 10
"""Factor by which coefficients of the logistic regression are multiplied to get integer weights."""

TOLERANCE = 3e-4
"""Largest entry of the gradient, per row, at which the fit ends. With less, 0.1% of predictions change."""

NEVER = -(1 << 29)
"""Weight of a label that no released row has."""


def trained(released: CodeTable, label: str) -> tuple[Classifier, int]:
    """Return a logistic regression of the label on all other columns, and the most frequent code of the
    label.

    The regression has one integer weight per value. Privacy: only released rows are used.
    """
    domain = released.domain
    at, labels = domain.axis(label), domain.size((label,))
    sizes = [size for i, size in enumerate(domain.sizes) if i != at]
    rows = np.asarray(released.codes[:ROWS], dtype=np.int64)
    guess = int(np.bincount(released.codes[:, at], minlength=labels).argmax()) if len(rows) else 0
    offsets, weights = np.zeros(labels, dtype=np.int64), np.zeros((sum(sizes), labels), dtype=np.int64)
    present, truth = np.unique(rows[:, at], return_inverse=True)
    offsets[:] = NEVER
    offsets[present] = 0
    if len(present) > 1:
        starts = np.cumsum([0, *sizes[:-1]])
        cells = (np.delete(rows, at, axis=1) + starts).ravel()
        index = np.repeat(np.arange(len(rows)), len(sizes))
        hot = sparse.csr_matrix((np.ones(len(cells)), (index, cells)), shape=(len(rows), sum(sizes)))
        fit = np.rint(_fitted(hot, np.eye(len(present))[truth]) * SCALE).astype(np.int64)
        weights[:, present] = fit[:-1]
        offsets[present] = fit[-1]
    parts = np.split(weights, np.cumsum(sizes)[:-1])
    return Classifier(label=label, clique=domain.names, offsets=offsets, weights=tuple(parts)), guess


def _fitted(hot: sparse.csr_matrix, truth: NDArray[np.float64]) -> NDArray[np.float64]:
    """Fit a logistic regression with the penalty |slopes|^2 / 2.

    Shapes: `hot` float64[rows, cells], `truth` float64[rows, labels] with one 1 per row; the slopes and, in
    the last row, the constants float64[cells + 1, labels].
    """
    (rows, cells), labels, across = hot.shape, truth.shape[1], hot.T.tocsr()

    def loss(flat: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        now = flat.reshape(cells + 1, labels)
        logs = log_softmax(hot @ now[:-1] + now[-1], axis=1)
        apart = np.exp(logs) - truth
        slope = np.vstack([across @ apart + now[:-1], apart.sum(axis=0)])
        return (0.5 * (now[:-1] ** 2).sum() - (truth * logs).sum()) / rows, slope.ravel() / rows

    options = {"maxiter": 200, "gtol": TOLERANCE}
    found = minimize(loss, np.zeros((cells + 1) * labels), jac=True, method="L-BFGS-B", options=options)
    return np.asarray(found.x).reshape(cells + 1, labels)

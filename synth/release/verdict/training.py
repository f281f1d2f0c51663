"""Train the public classifier of a declared target. Only released rows are used."""

from __future__ import annotations

import numpy as np

from synth.core.measurements.classifier import Classifier
from synth.core.table import CodeTable

ROWS = 20_000
"""Maximum number of released rows on which the classifier is trained."""

SCALE = 1 << 10
"""Factor by which coefficients of the logistic regression are multiplied to get integer weights."""


def trained(released: CodeTable, label: str) -> tuple[Classifier, int]:
    """Return a logistic regression of the label on all other columns, and the most frequent code of the
    label.

    The regression has one integer weight per value. Privacy: only released rows are used.
    """
    from scipy import sparse
    from sklearn.linear_model import LogisticRegression

    domain = released.domain
    at, labels = domain.axis(label), domain.size((label,))
    sizes = [size for i, size in enumerate(domain.sizes) if i != at]
    rows = np.asarray(released.codes[:ROWS], dtype=np.int64)
    truth, features = rows[:, at], np.delete(rows, at, axis=1)
    guess = int(np.bincount(released.codes[:, at], minlength=labels).argmax()) if len(rows) else 0
    offsets, weights = np.zeros(labels, dtype=np.int64), np.zeros((sum(sizes), labels), dtype=np.int64)
    present = np.unique(truth)
    if len(present) > 1:
        starts = np.cumsum([0, *sizes[:-1]])
        cells = (features + starts).ravel()
        index = np.repeat(np.arange(len(rows)), len(sizes))
        hot = sparse.csr_matrix((np.ones(len(cells)), (index, cells)), shape=(len(rows), sum(sizes)))
        fit = LogisticRegression(max_iter=200).fit(hot, truth)
        slopes, constants = fit.coef_, fit.intercept_
        if len(present) == 2:
            slopes, constants = np.vstack([-slopes, slopes]) / 2, np.concatenate([-constants, constants]) / 2
        weights[:, present] = np.rint(slopes.T * SCALE).astype(np.int64)
        offsets[:] = -(1 << 29)
        offsets[present] = np.rint(constants * SCALE).astype(np.int64)
    parts = np.split(weights, np.cumsum(sizes)[:-1])
    return Classifier(label=label, clique=domain.names, offsets=offsets, weights=tuple(parts)), guess

"""Estimate an order of the codes of columns that were not declared as ordered.

The departures of a column's pairs from independence form one matrix of signal plus white noise. Its rows are
the codes of the column, and its columns are the codes of all other columns of these pairs. The first left
singular vector shows which codes differ most in their relations to the other columns. This is the simple
correspondence analysis of the concatenated tables (Greenacre 1984), but unweighted, because the noise has the
same size in every cell. Divided by the shares of the codes, the vector is a score by which the codes are
sorted.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from synth.models.targets import Targets


def latent_orders(targets: Targets) -> tuple[NDArray[np.intp], ...]:
    """Return the codes of every column in order: the declared order, or the order of their scores.

    Shapes: intp[sizes[i]]. A column that was declared as ordered keeps its order; codes outside the order
    (*missing*) come last. A column with two codes or without a measured pair also keeps its order.
    Deterministic.
    """
    spread = [np.zeros((size, size)) for size in targets.domain.sizes]
    noise = np.zeros(len(spread))
    for (a, b), table in targets.pairs.items():
        p, q = (targets.columns[i] / targets.total for i in (a, b))
        residual = table.counts - targets.total * np.outer(p, q)
        residual = residual - p[:, None] * residual.sum(axis=0)
        residual = residual - residual.sum(axis=1, keepdims=True) * q
        spread[a] += residual @ residual.T / table.sigma**2
        spread[b] += residual.T @ residual / table.sigma**2
        noise[a] += len(q)
        noise[b] += len(p)
    orders = []
    for i, name in enumerate(targets.domain.names):
        size = targets.domain.sizes[i]
        if size < 3 or name in targets.ordered or not noise[i]:
            orders.append(np.arange(size))
        else:
            orders.append(np.argsort(_scores(spread[i], noise[i], targets.columns[i]), kind="stable"))
    return tuple(orders)


def _scores(spread: NDArray[np.float64], noise: float, counts: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the scores of codes. The scores of rare codes are shrunk towards the mean according to their
    uncertainty.

    `spread`: the matrix of departures times its transpose, in units of the noise. `noise`: the expected
    diagonal of `spread` without any signal.
    """
    values, vectors = np.linalg.eigh(spread)
    first = vectors[:, -1] * np.sign(vectors[np.abs(vectors[:, -1]).argmax(), -1])
    shares = counts / counts.sum()
    scale = np.sqrt((first**2 / np.maximum(shares, 1e-9)).sum())
    signal = max(float(values[-1]) - noise, 1e-9) * (scale * shares) ** 2
    return np.asarray(first / np.maximum(shares, 1e-9) * signal / (signal + 1))

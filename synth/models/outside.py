"""What a noisy table outside a model adds to what the model expects of it."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

Table = NDArray[np.float64]

ROUNDS = 20
"""Proportional fittings to the two margins."""

USUAL, MOST = 0.3, 10.0
"""The distance of a table from what is expected, over the number of records, at which its ridge is the
usual; and the most times the usual."""


def fitting_ridge(noisy: NDArray[np.number], sigma: float, *, expected: Table, total: float) -> float:
    """How many times the usual ridge suits a table: less where it is far from what is expected, more where it
    is near. The expected distance by noise alone is taken out in quadrature."""
    distance = float(np.abs(noisy - expected).sum())
    noise = noisy.size * math.sqrt(2 / math.pi) * sigma
    strength = min(1.0, math.sqrt(max(distance**2 - noise**2, 0.0)) / total)
    return min(MOST, math.sqrt(USUAL / (strength + 1e-3)))


def outside_table(expected: Table, noisy: Table, penalty: float) -> Table:
    """Return the likely counts of a pair, given the model's, a noisy measurement and the model's margins.

    Shapes: all float64[a, b], in counts.
    """
    table = ridged(expected, noisy, penalty)
    rows, columns = expected.sum(axis=1, keepdims=True), expected.sum(axis=0, keepdims=True)
    for _ in range(ROUNDS):
        table = table * _ratio(rows, table.sum(axis=1, keepdims=True))
        table = table * _ratio(columns, table.sum(axis=0, keepdims=True))
    return table


def ridged(expected: Table, noisy: Table, penalty: float) -> Table:
    """Cells between the model's and a noisy measurement. Shapes: all float64[any], in counts.

    Each solves the ridge of `pgm.fit` for a table by itself, m exp(l) + penalty l = y with the model's count
    m: near y where the noise is small against the cell, near m where it is not. A cell the model holds
    impossible stays so.
    By Newton's method from the right of the root, where a convex function lets it fall steadily. Both
    (y - m) / penalty and log(y / m) lie right of the root if y > m, and 0 does if not; from the left a step
    would overshoot by orders of magnitude in a large cell.
    """
    model = np.maximum(expected, 1e-9)
    above = noisy > model
    ratio = np.where(above, noisy / model, 1.0)
    log = np.minimum(np.where(above, (noisy - model) / penalty, 0.0), np.log(ratio))
    for _ in range(100):
        grown = model * np.exp(log)
        step = (grown + penalty * log - noisy) / (grown + penalty)
        log = log - step
        if np.abs(step).max(initial=0.0) < 1e-6:
            break
    return np.asarray(np.where(expected > 0, model * np.exp(log), 0.0))


def _ratio(wanted: Table, found: Table) -> Table:
    return np.divide(wanted, found, out=np.zeros_like(found), where=found > 0)

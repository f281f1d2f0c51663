"""Correct a model's expected table by a noisy table to which the model was not fitted."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from synth.models.estimates.proportional import with_margins

Table = NDArray[np.float64]

ROUNDS = 20
"""Number of rounds of proportional fitting to the two margins."""

USUAL, MOST = 0.3, 10.0
"""Distance of a table from its expected counts, divided by the number of records, at which the table gets the
usual ridge; and the maximum factor of the ridge.
"""


def fitting_ridge(noisy: NDArray[np.number], sigma: float, *, expected: Table, total: float) -> float:
    """Return the factor by which the usual ridge of a table is multiplied. It is below 1 if the table is far
    from its expected counts, and above 1 if it is near. The square of the expected distance due to noise is
    subtracted from the squared distance.
    """
    distance = float(np.abs(noisy - expected).sum())
    noise = noisy.size * math.sqrt(2 / math.pi) * sigma
    strength = min(1.0, math.sqrt(max(distance**2 - noise**2, 0.0)) / total)
    return min(MOST, math.sqrt(USUAL / (strength + 1e-3)))


def outside_table(expected: Table, noisy: Table, penalty: float) -> Table:
    """Return the likely counts of a pair, given its expected counts, a noisy measurement, and the margins of
    the expected counts.

    Shapes: all float64[a, b], in counts.
    """
    table = ridged(expected, noisy, penalty)
    return with_margins(table, expected.sum(axis=1), expected.sum(axis=0), rounds=ROUNDS)


def ridged(expected: Table, noisy: Table, penalty: float) -> Table:
    """Return a compromise between expected counts and a noisy measurement, cell by cell. Shapes: all
    float64[any], in counts.

    Each cell solves the ridge equation of `pgm.fit` for a single table, m exp(l) + penalty l = y, where m is
    the expected count. The result is close to y if the noise is small compared with the cell, and otherwise
    close to m. Cells that are impossible in the model stay impossible.

    Newton's method starts to the right of the root, where it converges from one side because the function is
    convex. If y > m, both (y - m) / penalty and log(y / m) are to the right of the root. Otherwise, 0 is to
    the right of it. From the left, a step would overshoot by orders of magnitude in a large cell.
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

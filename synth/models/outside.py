"""Correct a model's expected tables by noisy tables to which the model was not fitted."""

from __future__ import annotations

import math
from collections.abc import Sequence

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


CHUNK = 1 << 16
"""Number of cells that are processed at once, so that they fit into a core's cache."""


def fitting_ridge(noisy: NDArray[np.number], sigma: float | Table, *, expected: Table, total: float) -> Table:
    """Return the factor by which the usual ridge of each table is multiplied. It is below 1 if the table is
    far from its expected counts, and above 1 if it is near. The square of the expected distance due to noise
    is subtracted from the squared distance.

    Shapes: `noisy` and `expected` float64[tables, ...]. `sigma` and the result float64[tables].
    """
    distances = np.abs(noisy - expected).reshape(len(noisy), -1)
    noise = distances.shape[1] * math.sqrt(2 / math.pi) * sigma
    excess = np.sqrt(np.maximum(distances.sum(axis=1) ** 2 - noise**2, 0.0))
    return np.asarray(np.minimum(MOST, np.sqrt(USUAL / (np.minimum(1.0, excess / total) + 1e-3))))


def outside_tables(
    expected: Sequence[Table],
    noisy: Sequence[NDArray[np.number]],
    sigmas: Sequence[float],
    *,
    ridge: float,
    total: float,
) -> list[Table]:
    """Return the likely counts of pairs, given their expected counts, noisy measurements, and the margins of
    the expected counts. Pairs of equal shape are processed together.

    Shapes: `expected[i]`, `noisy[i]` and the result float64[a, b], in counts. `ridge`: the penalty in units
    of sigma, which `fitting_ridge` multiplies.
    """
    found = list(expected)
    alike: dict[tuple[int, ...], list[int]] = {}
    for i, table in enumerate(expected):
        alike.setdefault(table.shape, []).append(i)
    for shape, places in alike.items():
        step = max(1, CHUNK // math.prod(shape))
        for some in (places[start : start + step] for start in range(0, len(places), step)):
            model, seen = (np.stack([tables[i] for i in some]) for tables in (expected, noisy))
            sigma = np.array([sigmas[i] for i in some])
            penalty = ridge * sigma * fitting_ridge(seen, sigma, expected=model, total=total)
            likely = ridged(model, seen, penalty[:, None, None])
            likely = with_margins(likely, model.sum(axis=2), model.sum(axis=1), rounds=ROUNDS)
            for i, table in zip(some, likely, strict=True):
                found[i] = table
    return found


def ridged(expected: Table, noisy: NDArray[np.number], penalty: float | Table) -> Table:
    """Return a compromise between expected counts and a noisy measurement, cell by cell. Shapes: all
    float64[any], in counts. `penalty` may differ between cells.

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

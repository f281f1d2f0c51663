"""Compare the released table with each noisy measurement, in units of the noise.

z = (released count, weighted to the total - noisy count) / sigma. For rounded noise the divisor is its
standard deviation, which is larger because of the rounding. For the true table, z would be pure noise, with a
mean square of 1 and 0.27% of cells beyond 3. A generator smooths, so z is not exactly noise. If many cells
are beyond 3, the table does not fit the measurements. The table is compared with all measured tables,
including tables of several columns whose relations its generator does not use. If only the interaction of a
table was measured, its contrasts are compared. This is public post-processing.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from synth.core.domain import Clique
from synth.core.evidence import Evidence
from synth.core.measurements.interactions import contrasted, squared_lengths
from synth.core.measurements.noisy import Measurement
from synth.core.model import Projectable
from synth.core.table import in_groups
from synth.estimates.concentration import VARIANCES

BEYOND = 3.0
LEAST = 0.01
"""Smallest divisor, in counts.

With a very large budget, the rounded noise is almost always 0, so its standard deviation is too small to be
used as a unit. With this divisor, a cell with an error of one count has a z far beyond 3, and a cell without
an error has z = 0.
"""


@dataclass(frozen=True, kw_only=True)
class Residual:
    """A summary of the residuals of one measurement.

    `cells` is the number of cells of the table, or of measured contrasts. `beyond` is the proportion of these
    with |z| > 3.
    """

    clique: Clique
    part: str
    step: int
    sigma: float
    cells: int
    mean_square: float
    largest: float
    beyond: float


def z_scores(measurement: Measurement, synthetic: Projectable, *, total: float) -> NDArray[np.float64]:
    """Return z for each cell of a table in the groups of the measurement, or for each contrast of a joined
    table.

    Shapes: the shape of `measurement.counts` for a table; for contrasts, one entry less along every axis.
    """
    released = in_groups(synthetic, measurement.clique, measurement.groups)
    rows = float(released.sum())
    weighted = released * (total / rows) if rows > 0 else released
    off = weighted - measurement.counts
    if measurement.joined:
        off = contrasted(off) / np.sqrt(squared_lengths(off.shape))
    return np.asarray(off / deviation(measurement))


def deviation(measurement: Measurement) -> float:
    """Return the standard deviation of the noise in each cell of a measurement, in counts, at least
    `LEAST`.
    """
    return max(LEAST, math.sqrt(VARIANCES[measurement.law.noise](float(measurement.variance))))


def held_against(evidence: Evidence, *, tilings: bool) -> tuple[Measurement, ...]:
    """Return the measured tables with which a release is compared, in the order of `residuals`."""
    return (*evidence.measurements, *(evidence.tilings if tilings else ()))


def residuals(evidence: Evidence, synthetic: Projectable, *, tilings: bool = False) -> tuple[Residual, ...]:
    """Return one summary per measurement, in the order of the measurements.

    If the records were fitted to tilings, one summary per tiling follows.
    """
    measured = held_against(evidence, tilings=tilings)
    return tuple(_summary(m, z_scores(m, synthetic, total=evidence.total)) for m in measured)


def _summary(m: Measurement, z: NDArray[np.float64]) -> Residual:
    return Residual(
        clique=m.clique,
        part=m.part,
        step=m.step,
        sigma=m.sigma,
        cells=z.size,
        mean_square=float(np.square(z).mean()),
        largest=float(np.abs(z).max()),
        beyond=float((np.abs(z) > BEYOND).mean()),
    )

"""Compare the released table with each noisy measurement, in units of the noise.

z = (released count, weighted to the total - noisy count) / sigma. For rounded noise the divisor is its
standard deviation, which rounding increases. For the true table z would be noise: mean square 1 and 0.27% of
cells beyond 3. A generator smooths, so z is not exactly noise. Many cells beyond 3 mean that the table misses
what was measured. The table is compared with all measured tables, including those of several columns whose
relations its generator does not use. If only the interaction of a table was measured, its contrasts are
compared. This is post-processing and public.
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
from synth.release.checks.concentration import VARIANCES

BEYOND = 3.0
LEAST = 0.01
"""Smallest divisor, in counts. With a very large budget the rounded noise is almost always 0, which cannot be
a unit. A cell that is off by one count is then far beyond 3, and one that agrees is at 0.
"""


@dataclass(frozen=True, kw_only=True)
class Residual:
    """The residuals of one measurement in a few numbers. `cells`: those of its table, or the measured
    contrasts; `beyond`: their share with |z| > 3.
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
    """Return z per cell of a table, counted in the measurement's groups, or per contrast of a joined table.
    Shapes: as `measurement.counts`, or with one number less along every axis.
    """
    released = in_groups(synthetic, measurement.clique, measurement.groups)
    rows = float(released.sum())
    weighted = released * (total / rows) if rows > 0 else released
    off = weighted - measurement.counts
    if measurement.joined:
        off = contrasted(off) / np.sqrt(squared_lengths(off.shape))
    return np.asarray(off / deviation(measurement))


def deviation(measurement: Measurement) -> float:
    """Return the standard deviation of a measurement's noise per cell, in counts, at least `LEAST`."""
    return max(LEAST, math.sqrt(VARIANCES[measurement.law.noise](float(measurement.variance))))


def held_against(evidence: Evidence, *, tilings: bool) -> tuple[Measurement, ...]:
    """Return the tables that a release is compared with, in the order of `residuals`."""
    return (*evidence.measurements, *(evidence.tilings if tilings else ()))


def residuals(evidence: Evidence, synthetic: Projectable, *, tilings: bool = False) -> tuple[Residual, ...]:
    """Return one summary per measurement, in their order, then one per tiling if the records were fitted to
    them.
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

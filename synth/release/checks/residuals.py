"""How well the released table agrees with each noisy measurement, in units of that answer's noise.

z = (released count, weighted to the total - noisy count) / sigma, and for rounded noise over its standard
deviation, which rounding makes larger. For the truth itself z would be noise: mean square 1 and 0.27% of
cells beyond 3. A generator smooths, so z is not noise exactly; many cells beyond
3 mean that the table misses what was measured. It is held against all tables that were measured, also against
those of several columns whose relations its generator does not read. Of a table of which only the interaction
was asked it is its contrasts that are compared. Post-processing: public.
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
"""Counts. The noise of a very large budget is 0 in all likelihood once it is rounded, and nothing is stated
in units of 0: a cell that is off by a count is then far beyond, one that agrees at 0."""


@dataclass(frozen=True, kw_only=True)
class Residual:
    """One measurement's residuals in a few numbers; `cells`: those of its table, or the contrasts that were
    asked; `beyond` is the share of them with |z| > 3."""

    clique: Clique
    part: str
    step: int
    sigma: float
    cells: int
    mean_square: float
    largest: float
    beyond: float


def z_scores(measurement: Measurement, synthetic: Projectable, *, total: float) -> NDArray[np.float64]:
    """z per cell of a table, counted in the measurement's groups; per contrast of one that was joined.
    Shapes: as `measurement.counts`, or with one number less along every axis."""
    released = in_groups(synthetic, measurement.clique, measurement.groups)
    rows = float(released.sum())
    weighted = released * (total / rows) if rows > 0 else released
    off = weighted - measurement.counts
    if measurement.joined:
        off = contrasted(off) / np.sqrt(squared_lengths(off.shape))
    return np.asarray(off / deviation(measurement))


def deviation(measurement: Measurement) -> float:
    """The standard deviation of a measurement's noise per cell, in counts, never below `LEAST`."""
    return max(LEAST, math.sqrt(VARIANCES[measurement.law.noise](float(measurement.variance))))


def held_against(evidence: Evidence, *, tilings: bool) -> tuple[Measurement, ...]:
    """The tables that a release is held against, in the order of `residuals`."""
    return (*evidence.measurements, *(evidence.tilings if tilings else ()))


def residuals(evidence: Evidence, synthetic: Projectable, *, tilings: bool = False) -> tuple[Residual, ...]:
    """One summary per measurement, in their order; then one per tiling, if the records were made of them."""
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

"""How well the released table agrees with each noisy answer, in units of that answer's noise.

z = (released count, weighted to the total - noisy count) / sigma, and for rounded noise over its standard
deviation, which rounding makes larger. For the truth itself z would be noise: mean square 1 and 0.27 % of
cells beyond 3. A generator smooths, so z is not noise exactly; many cells beyond
3 mean that the table misses what was measured. Post-processing: public.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from synth.answers import Measurement
from synth.check.concentration import VARIANCES
from synth.domain import Clique
from synth.evidence import Evidence
from synth.model import Projectable
from synth.table import in_groups

BEYOND = 3.0


@dataclass(frozen=True, kw_only=True)
class Residual:
    """One measurement's residuals in a few numbers; `beyond` is the share of cells with |z| > 3."""

    clique: Clique
    part: str
    step: int
    sigma: float
    cells: int
    mean_square: float
    largest: float
    beyond: float


def z_scores(measurement: Measurement, released: NDArray[np.float64], *, total: float) -> NDArray[np.float64]:
    """z per cell. Shapes: as `measurement.counts`; `released` are counts of the same clique in the codes of
    the domain, any sum."""
    return _z_of_groups(measurement, measurement.coarsen(released), total=total)


def _z_of_groups(m: Measurement, released: NDArray[np.float64], *, total: float) -> NDArray[np.float64]:
    rows = float(released.sum())
    weighted = released * (total / rows) if rows > 0 else released
    return np.asarray((weighted - m.counts) / deviation(m))


def deviation(measurement: Measurement) -> float:
    """The standard deviation of a measurement's noise per cell, in counts."""
    return math.sqrt(VARIANCES[measurement.law.noise](float(measurement.variance)))


def residuals(evidence: Evidence, synthetic: Projectable) -> tuple[Residual, ...]:
    """One summary per measurement, in their order."""
    return tuple(
        _summary(m, _z_of_groups(m, in_groups(synthetic, m.clique, m.groups), total=evidence.total))
        for m in evidence.measurements
    )


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

"""Noisy answers: what the room gave, with its noise and its price."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from synth.domain import Clique

RHO_PER_UNIT = 1e-12
"""One unit of the ledger in rho."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Measurement:
    """A noisy marginal.

    Shapes: `counts: int64[shape(clique)]`, integers by type (exact integer noise was added to exact integer
    counts), negative values kept. Units: `variance` is the noise's parameter sigma^2 in counts squared,
    recorded by the room and never set by a mechanism; `units` is the price in 1e-12 rho. The noise is a
    discrete Gaussian, or, if `is_rounded`, a normal number of this variance rounded to the nearest integer.
    `groups` tells of each column that was asked in coarser codes which code of the domain counts as which
    (see `Source.coarsened`): then `counts` has one cell per group along that column.
    """

    clique: Clique
    counts: NDArray[np.int64]
    variance: Fraction
    units: int
    part: str = "mechanism"
    step: int = 0
    groups: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    is_rounded: bool = False

    def __post_init__(self) -> None:
        if self.counts.dtype != np.int64:
            raise TypeError("a measurement holds int64 counts")
        if self.counts.ndim != len(self.clique):
            raise ValueError("a measurement needs one axis per column of its clique")
        self.counts.setflags(write=False)

    def coarsen(self, table: NDArray[np.float64]) -> NDArray[np.float64]:
        """A table of the clique in the domain's codes, summed to the cells of this measurement."""
        for axis, name in enumerate(self.clique):
            if name in self.groups:
                table = sum_groups(table, axis, self.groups[name])
        return table

    @property
    def sigma(self) -> float:
        """Standard deviation parameter of the noise, in counts."""
        return math.sqrt(self.variance)

    @property
    def rho(self) -> float:
        """Price in rho."""
        return self.units * RHO_PER_UNIT


def sum_groups(table: NDArray[np.float64], axis: int, group_of: Sequence[int]) -> NDArray[np.float64]:
    """A table with one of its axes summed within groups. Shapes: that axis gets one entry per group."""
    moved = np.moveaxis(np.asarray(table, dtype=np.float64), axis, 0)
    summed = np.zeros((max(group_of) + 1, *moved.shape[1:]))
    np.add.at(summed, np.asarray(group_of), moved)
    return np.moveaxis(summed, 0, axis)

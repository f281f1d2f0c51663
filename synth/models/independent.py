"""The model in which no column knows of another: every column by what the measurements say of it alone."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import reduce
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from synth.core.domain import Clique, Domain
from synth.core.evidence import Evidence
from synth.core.measurements.noisy import Measurement
from synth.core.model import Model
from synth.core.zeros import allowed_cells
from synth.models import pgm
from synth.models.base import Generator, Projected, Setting
from synth.models.estimates.rounding import draw_columns
from synth.models.estimates.simplex import project_onto_simplex
from synth.models.pgm.merging import merge


@dataclass(frozen=True, eq=False)
class ProductModel(Projected):
    """A product of one-way distributions (a `model.Model`).

    Shapes: `columns[i]: float64[sizes[i]]`, expected counts, each summing to `total`.
    """

    domain: Domain
    total: float
    columns: tuple[NDArray[np.float64], ...]

    @property
    def cliques(self) -> tuple[Clique, ...]:
        """Every column by itself."""
        return tuple((name,) for name in self.domain.names)

    @property
    def cells(self) -> int:
        """Cells of the columns' tables."""
        return sum(self.domain.sizes)

    @property
    def converged(self) -> bool:
        """A product needs no iteration."""
        return True

    def project(self, clique: Clique) -> NDArray[np.float64]:
        """Outer product of the columns. Shapes: float64[shape(clique)], counts."""
        shares = [self.columns[i] / self.total for i in self.domain.axes(clique)]
        product: NDArray[np.float64] = reduce(np.multiply.outer, shares, np.array(self.total))
        return product

    def sample(self, rows: int, rng: np.random.Generator) -> NDArray[np.int64]:
        """Synthetic codes by systematic rounding: every value of a column comes within one of its expected
        number. Shapes: int64[rows, len(domain)]."""
        drawn = [draw_columns(column, [], rows, rng=rng)[0] for column in self.columns]
        return np.stack(drawn, axis=1)


@dataclass(frozen=True, kw_only=True)
class IndependentColumns(Generator):
    """Every column by itself: the nearest non-negative counts with the given total."""

    name: ClassVar[str] = "independent"
    title: ClassVar[str] = "Independent columns"
    summary: ClassVar[str] = "Every column by itself: the floor any other table has to beat."
    relates: ClassVar[bool] = False

    def seconds(self, domain: Domain) -> tuple[float, float] | None:
        """A table of a million records takes seconds; the columns themselves none."""
        return 0.01, 5.0

    def fitted(self, evidence: Evidence, how: Setting) -> Model:
        """Measurements of several columns give each of them by their sums; an unmeasured column is
        uniform. Structural zeros of one column are kept here. Zeros that tie columns together contradict a
        product: then the columns' tables go to `pgm.fit`, whose model is as near to independence as the zeros
        let it be. ValueError if the zeros leave a column no possible value."""
        domain, total, zeros = evidence.domain, evidence.total, evidence.zeros
        one_ways = [part for m in evidence.measurements for part in _split(m)]
        if any(len(zero.clique) > 1 and zero.forbidden.any() for zero in zeros):
            return pgm.fit(
                domain, one_ways, zeros=zeros, total=total, report=how.report, checkpoint=how.checkpoint
            )
        merged = {e.clique[0]: e.counts for e in merge(domain, one_ways)}
        columns = []
        for name, size in zip(domain.names, domain.sizes, strict=True):
            allowed = allowed_cells(domain, (name,), zeros)
            if not allowed.any():
                raise ValueError("the structural zeros leave a column no possible value")
            counts = np.zeros(size)
            counts[allowed] = total / allowed.sum()
            if name in merged:
                counts[allowed] = project_onto_simplex(merged[name][allowed], total)
            columns.append(counts)
        return ProductModel(domain, total, tuple(columns))


def _split(measurement: Measurement) -> list[Measurement]:
    """What a measurement says of each of its columns: sums over the others, with their noise added up.
    Columns that were asked in coarser codes are left out, and what a joined table has from other answers."""
    parts: list[Measurement] = []
    if measurement.joined and len(measurement.clique) > 1:
        return parts
    for axis, name in enumerate(measurement.clique):
        if name in measurement.groups:
            continue
        others = tuple(i for i in range(measurement.counts.ndim) if i != axis)
        counts = measurement.counts.sum(axis=others)
        cells = measurement.counts.size // counts.size
        part = replace(measurement, clique=(name,), counts=counts, variance=measurement.variance * cells)
        parts.append(part)
    return parts

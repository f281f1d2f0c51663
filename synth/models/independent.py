"""The model of independent columns: every column is estimated from its own measurements."""

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
        """One clique for every column."""
        return tuple((name,) for name in self.domain.names)

    @property
    def cells(self) -> int:
        """Number of cells of the columns' tables."""
        return sum(self.domain.sizes)

    @property
    def converged(self) -> bool:
        """Always true: a product needs no iteration."""
        return True

    def project(self, clique: Clique) -> NDArray[np.float64]:
        """Return the outer product of the columns. Shapes: float64[shape(clique)], counts."""
        shares = [self.columns[i] / self.total for i in self.domain.axes(clique)]
        product: NDArray[np.float64] = reduce(np.multiply.outer, shares, np.array(self.total))
        return product

    def sample(self, rows: int, rng: np.random.Generator) -> NDArray[np.int64]:
        """Draw records by systematic rounding, so that the count of every value of a column differs from its
        expectation by less than one. Shapes: int64[rows, len(domain)].
        """
        drawn = [draw_columns(column, [], rows, rng=rng)[0] for column in self.columns]
        return np.stack(drawn, axis=1)


@dataclass(frozen=True, kw_only=True)
class IndependentColumns(Generator):
    """Estimate every column separately, as the nearest non-negative counts with the given total."""

    name: ClassVar[str] = "independent"
    title: ClassVar[str] = "Independent columns"
    summary: ClassVar[str] = (
        "Generates each column separately, without any relations. A baseline for all other generators."
    )
    relates: ClassVar[bool] = False

    def seconds(self, domain: Domain) -> tuple[float, float] | None:
        """Return the estimated time. A table of a million records takes seconds. Fitting the columns takes
        almost no time.
        """
        return 0.01, 5.0

    def fitted(self, evidence: Evidence, how: Setting) -> Model:
        """Fit the columns. A measurement of several columns is summed for each of them. An unmeasured column
        is uniform.

        Structural zeros of one column are enforced here. Structural zeros of several columns contradict
        independence. In this case, the tables of the columns are passed to `pgm.fit`, whose model is as close
        to independence as the zeros allow.

        Raises: ValueError if the zeros leave a column no possible value.
        """
        domain, total, zeros = evidence.domain, evidence.total, evidence.zeros
        one_ways = [part for m in evidence.measurements for part in _split(m)]
        if any(len(zero.clique) > 1 and zero.forbidden.any() for zero in zeros):
            return pgm.fit(domain, one_ways, zeros=zeros, total=total, report=how.report)
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
    """Return the one-way tables of a measurement: sums over the other columns, with correspondingly larger
    noise variances. Columns in coarser codes are omitted, and so are the parts of a combined table that other
    measurements contribute.
    """
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

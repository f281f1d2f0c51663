"""The fitted graphical model, which computes exact marginals of any clique and draws records."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from synth.core.domain import Clique, Domain
from synth.core.graphs.columns import bits
from synth.models.base import Projected
from synth.models.blas import one_thread
from synth.models.pgm.queries import Queries
from synth.models.pgm.records import draw_records
from synth.models.pgm.reduction import Table
from synth.models.pgm.tree import JunctionTree


@dataclass(frozen=True, kw_only=True)
class FitReport:
    """The result of a finished fit. `residual`: the root mean square of the gradient in units of the noise.
    `sweeps`: the number of propagations.
    """

    converged: bool
    sweeps: int
    residual: float


@dataclass(frozen=True, eq=False, kw_only=True)
class PGM(Projected):
    """A distribution p(x) = exp(sum of log-factors) / Z with a calibrated junction tree (a `model.Model`).

    `potentials`: the log-factors of the measured cliques, with axes in domain order, from which a later fit
    can start. `log_partition`: log Z, including structural zeros. `beliefs`: the tree's tables in its layout,
    each of which sums to 1.
    """

    domain: Domain
    total: float
    tree: JunctionTree
    beliefs: tuple[Table, ...]
    log_partition: float
    potentials: Mapping[Clique, NDArray[np.float64]]
    report: FitReport

    @cached_property
    def cliques(self) -> tuple[Clique, ...]:
        """The maximal cliques of the junction tree, which together contain every column."""
        return tuple(tuple(self.domain.names[i] for i in bits(mask)) for mask in self.tree.masks)

    @property
    def cells(self) -> int:
        """The number of cells of the junction tree's tables."""
        return sum(belief.size for belief in self.beliefs)

    @property
    def converged(self) -> bool:
        """Whether the fit reached its tolerance."""
        return self.report.converged

    def project_many(self, cliques: Iterable[Clique]) -> list[NDArray[np.float64]]:
        """Return the expected counts of many cliques. This is much faster than separate calls, because the
        cliques share intermediate results.
        """
        requested = [self.domain.axes(clique) for clique in cliques]
        masks = [sum(1 << i for i in set(axes)) for axes in requested]
        with one_thread():
            queries = Queries(self.tree, self.beliefs)
            counts = {n: self._counts(table, masks[n], requested[n]) for n, table in queries.marginals(masks)}
            return [counts[n] for n in range(len(masks))]

    def sample(self, rows: int, rng: np.random.Generator) -> NDArray[np.int64]:
        """Draw records by systematic rounding. Shapes: int64[rows, len(domain)].

        The records' counts in the tree's cliques differ from the model only by rounding. No record is in an
        impossible cell.
        """
        with one_thread():
            return draw_records(self.tree, self.beliefs, rows, rng=rng)

    def _counts(self, table: Table, mask: int, axes: Sequence[int]) -> NDArray[np.float64]:
        layout = self.tree.layout(mask)
        turned = table.transpose([layout.index(i) for i in axes])
        return np.multiply(turned, self.total, order="C")

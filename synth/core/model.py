"""Two protocols: what has marginals, and what can also draw rows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from synth.core.domain import Clique, Domain


@runtime_checkable
class Projectable(Protocol):
    """Anything that has marginals: a table of codes, a fitted model."""

    @property
    def domain(self) -> Domain: ...

    def project(self, clique: Clique) -> NDArray[np.float64]:
        """Return the counts (not probabilities) of a clique. Shapes: float64[shape(clique)]."""
        ...


@runtime_checkable
class Model(Projectable, Protocol):
    """What every generator returns."""

    @property
    def total(self) -> float:
        """Estimated number of rows; every marginal sums to it."""
        ...

    @property
    def cliques(self) -> Sequence[Clique]:
        """The maximal sets of columns whose relations the model can represent."""
        ...

    @property
    def cells(self) -> int:
        """Size of the model: cells of its tables."""
        ...

    @property
    def converged(self) -> bool:
        """Whether the fit stopped because it had converged."""
        ...

    def project_many(self, cliques: Iterable[Clique]) -> list[NDArray[np.float64]]:
        """Return the counts of many cliques, in their order."""
        ...

    def sample(self, rows: int, rng: np.random.Generator) -> NDArray[np.int64]:
        """Draw synthetic codes. Shapes: int64[rows, len(domain)]. Post-processing: `rng` may be seeded."""
        ...

"""The two protocols between the rooms: what can be asked for a marginal, and what can also make records."""

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
        """Counts (not probabilities) of a clique. Shapes: float64[shape(clique)]."""
        ...


@runtime_checkable
class Model(Projectable, Protocol):
    """What every generator returns."""

    @property
    def total(self) -> float:
        """Estimated number of records; every marginal sums to it."""
        ...

    @property
    def cliques(self) -> Sequence[Clique]:
        """The maximal sets of columns whose relations the model can hold."""
        ...

    @property
    def cells(self) -> int:
        """Size of the model: cells of its tables."""
        ...

    @property
    def converged(self) -> bool:
        """Whether the fit stopped because it was good enough."""
        ...

    def project_many(self, cliques: Iterable[Clique]) -> list[NDArray[np.float64]]:
        """Counts of many cliques, in their order."""
        ...

    def sample(self, rows: int, rng: np.random.Generator) -> NDArray[np.int64]:
        """Synthetic codes. Shapes: int64[rows, len(domain)]. Post-processing: `rng` may be seeded."""
        ...

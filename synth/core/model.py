"""Define protocols for objects with marginals and for models that also draw rows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from synth.core.domain import Clique, Domain


@runtime_checkable
class Projectable(Protocol):
    """An object with marginals, such as a table of codes or a fitted model."""

    @property
    def domain(self) -> Domain: ...

    def project(self, clique: Clique) -> NDArray[np.float64]:
        """Return the counts (not probabilities) of a clique. Shapes: float64[shape(clique)]."""
        ...


@runtime_checkable
class Model(Projectable, Protocol):
    """A fitted model, as returned by every generator."""

    @property
    def total(self) -> float:
        """Return the estimated number of rows, which is the sum of every marginal."""
        ...

    @property
    def cliques(self) -> Sequence[Clique]:
        """Return the maximal sets of columns whose joint distributions the model represents."""
        ...

    @property
    def cells(self) -> int:
        """Return the number of cells of the model's tables."""
        ...

    @property
    def converged(self) -> bool:
        """Whether the fit has converged."""
        ...

    def project_many(self, cliques: Iterable[Clique]) -> list[NDArray[np.float64]]:
        """Return the counts of many cliques, in the given order."""
        ...

    def sample(self, rows: int, rng: np.random.Generator) -> NDArray[np.int64]:
        """Draw synthetic codes. Shapes: int64[rows, len(domain)].

        This is post-processing, so `rng` may be seeded.
        """
        ...

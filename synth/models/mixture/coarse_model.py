"""Common base class of both mixture models: counts from coarser codes, and sampling with repair and swaps."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from synth.core.domain import Clique
from synth.core.options import option
from synth.core.zeros import Zero, allowed_cells
from synth.models.records.swap_towards import swap_towards
from synth.models.repair import repaired
from synth.models.targets import OverTargets, Pair, Targets

NEARNESS = 0.1
"""Distance of the records from the tables at which swaps stop, as a fraction of the tables' expected
error.
"""


def iterations_option() -> Any:
    """Return the option for the number of iterations of a fit."""
    help = "Number of fitting steps. 0 computes it from the number of columns and the noise."
    return option(0, label="Steps", help=help, low=0, high=20_000)


def swaps_option() -> Any:
    """Return the option for swapping records."""
    label, help = (
        "Swap records towards the model's tables",
        ("Makes the records more accurate. This takes about another second."),
    )
    return option(True, label=label, help=help, low=False, high=True)


@dataclass(frozen=True, eq=False, kw_only=True)
class CoarseModel(OverTargets, ABC):
    """A mixture over coarser codes (a `model.Model`).

    `zeros`: structural zeros in the domain's own codes. `swaps`: whether values are swapped towards the
    model's pair tables.
    """

    targets: Targets
    zeros: tuple[Zero, ...]
    swaps: bool

    @property
    def cliques(self) -> tuple[Clique, ...]:
        """One clique of all columns, because a mixture relates every column to every other column."""
        return (self.domain.names,)

    @property
    @abstractmethod
    def cells(self) -> int:
        """The number of weights of all components."""

    @property
    def converged(self) -> bool:
        """Always true, because a fit takes a fixed number of steps, of which the last have a negligible
        effect.
        """
        return True

    @property
    @abstractmethod
    def _left(self) -> Sequence[Zero]:
        """The structural zeros that the components do not satisfy by construction, in coarser codes."""

    @abstractmethod
    def _shares(self, axes: tuple[int, ...]) -> NDArray[np.float64]:
        """Return the joint distribution of some columns in coarser codes."""

    @abstractmethod
    def _codes(self, rows: int, rng: np.random.Generator) -> NDArray[np.int64]:
        """Draw records in coarser codes."""

    @abstractmethod
    def _error(self, pair: Pair) -> float:
        """Return the expected distance of the table of a measured pair from the true table, in counts."""

    def project(self, clique: Clique) -> NDArray[np.float64]:
        """Return expected counts. Shapes: float64[shape(clique)]."""
        return self._counts(clique, self._shares(self.targets.domain.axes(clique)))

    def _counts(self, clique: Clique, table: NDArray[np.float64]) -> NDArray[np.float64]:
        """Convert a joint distribution in coarser codes to counts. Cells that a zero in `_left` forbids are
        empty.
        """
        if self._left:
            allowed = allowed_cells(self.targets.domain, clique, self._left)
            table = np.where(allowed, table, 0.0) if (table * allowed).sum() > 0 else allowed.astype(float)
        return self.targets.coarsening.spread(table * (self.total / table.sum()), clique)

    def sample(self, rows: int, rng: np.random.Generator) -> NDArray[np.int64]:
        """Draw records, and repair and swap their values where needed. Shapes: int64[rows, len(domain)]."""
        targets, codes = self.targets, self._codes(rows, rng)
        if self._left:
            codes, _ = repaired(codes, targets.domain, targets.zeros, targets.columns, rng)
        codes = targets.coarsening.refine(codes, rng)
        if not self.swaps:
            return codes
        names = self.domain.names
        measured = [(names[a], names[b]) for a, b in targets.pairs]
        off = [self._error(pair) for pair in targets.pairs]
        near = NEARNESS * (float(np.mean(off)) if off else 0.0)
        return swap_towards(self, codes, rng=rng, measured=measured, zeros=self.zeros, near=near)

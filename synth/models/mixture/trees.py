"""A mixture of trees that can be fitted to any measurements. It can represent chains of dependent columns,
which a mixture of products cannot represent, and relations that a single tree cannot represent.

Structural zeros: if a zero between a column and its parent in the forest forbids a value, the value has no
weight. Records that violate another zero are repaired (`repair`). In this case, the tables are those of the
mixture restricted to the allowed cells.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from synth.core.domain import Domain
from synth.core.evidence import Evidence
from synth.core.options import option
from synth.core.zeros import Zero
from synth.models.base import Generator, Setting
from synth.models.estimates.expected_distance import expected_distance
from synth.models.mixture.coarse_model import CoarseModel, iterations_option, swaps_option
from synth.models.mixture.descent import MixtureOptions
from synth.models.mixture.trees_fit import COMPONENTS, Trees, fit_trees
from synth.models.targets import Pair, targets_of

ROUGH_STEPS = 60
"""Number of steps of a fit that is used only once."""


@dataclass(frozen=True, eq=False, kw_only=True)
class TreesModel(CoarseModel):
    """A mixture of trees in coarser codes."""

    trees: Trees

    @property
    def cells(self) -> int:
        """The number of weights of all components."""
        return self.trees.cells

    @property
    def _left(self) -> Sequence[Zero]:
        return self.targets.zeros

    def _shares(self, axes: tuple[int, ...]) -> NDArray[np.float64]:
        return self.trees.pair(*axes) if len(axes) == 2 else self.trees.table(axes)

    def _codes(self, rows: int, rng: np.random.Generator) -> NDArray[np.int64]:
        return self.trees.draw(rows, rng)

    def _error(self, pair: Pair) -> float:
        return expected_distance(self.trees.pair(*pair) * self.total, self.targets.pairs[pair].sigma)


SECONDS_PER_CELL = 1.5e-6
"""Number of seconds per cell of all pairs of all components, for 150 steps on one core."""


@dataclass(frozen=True, kw_only=True)
class MixtureOfTrees(Generator):
    """Options of a mixture of trees: the number of components, the number of steps, the weight of the
    strongest pairs, and whether values are swapped towards the tables.
    """

    name: ClassVar[str] = "trees"
    title: ClassVar[str] = "Mixture of trees"
    summary: ClassVar[str] = (
        "A mixture of trees, fitted to all measurements at once. For chains of relations."
    )

    components: int = option(
        0,
        label="Components",
        help="Number of trees. 0 computes it from the number of columns.",
        low=0,
        high=1_000,
    )
    iterations: int = iterations_option()
    pull: float = option(
        0.5,
        label="Pull",
        help="Strength with which the components are shrunk to one tree of the strongest relations.",
        low=0.01,
        high=100,
    )
    swaps: bool = swaps_option()

    def rough(self) -> MixtureOfTrees:
        """Return options with fewer steps."""
        return replace(self, iterations=min(self.iterations or ROUGH_STEPS, ROUGH_STEPS), swaps=False)

    def seconds(self, domain: Domain) -> tuple[float, float]:
        """Return the estimated time for the domain's own codes; coarser codes only reduce it. It is based on
        tables of 14 to 50 columns. Swaps of very many records stop after about half a minute.
        """
        pairs = math.comb(len(domain), 2)
        steps = SECONDS_PER_CELL * (self.components or COMPONENTS) * sum(domain.sizes) ** 2
        return 0.05 + 0.5e-3 * pairs, 1 + 10e-3 * pairs + steps + (30 if pairs else 0)

    def fitted(self, evidence: Evidence, how: Setting) -> TreesModel:
        """Fit the mixture on one core. `seed` determines the initial components.

        Raises: ValueError if a column was measured in two different sets of groups, or if a group contains
        codes that a zero treats differently.
        """
        targets = targets_of(evidence)
        trees = fit_trees(
            targets,
            options=MixtureOptions(components=self.components, iterations=self.iterations, pull=self.pull),
            rng=np.random.default_rng(how.seed),
            report=how.report,
        )
        return TreesModel(trees=trees, targets=targets, zeros=evidence.zeros, swaps=self.swaps)

"""A mixture of trees fitted to any answers: for chains of relations that a mixture of products cannot hold,
and for what one tree alone cannot.

Rules: no weight goes to what a zero forbids between a column and its parent in the forest; records that break
another zero are repaired (`repair`), and the tables told are the mixture's on the allowed cells.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from synth.core.domain import Clique, Domain
from synth.core.evidence import Evidence
from synth.core.model import Model
from synth.core.options import option
from synth.core.progress import UNSAVED, Checkpoint, Reporter, silent
from synth.core.system.device import AUTO
from synth.core.zeros import Zero, allowed_cells
from synth.models.base import Generator
from synth.models.estimates.expected_distance import expected_distance
from synth.models.mixture.mixture_fit import MixtureOptions
from synth.models.mixture.trees_fit import COMPONENTS, Trees, fit_trees
from synth.models.records.swap_towards import swap_towards
from synth.models.repair import repaired
from synth.models.targets import Targets, targets_of

NEARNESS = 0.1
"""Records are near enough to the tables when they are off by this part of what the tables are off by."""

ROUGH_STEPS = 60
"""Steps of a fit that is looked at once."""


@dataclass(frozen=True, eq=False, kw_only=True)
class TreesModel:
    """A mixture of trees over coarse codes (a `model.Model`). `zeros` are in the domain's own codes; `swaps`:
    records are swapped towards the model's pair tables."""

    trees: Trees
    targets: Targets
    zeros: tuple[Zero, ...]
    swaps: bool

    @property
    def domain(self) -> Domain:
        return self.targets.coarsening.domain

    @property
    def total(self) -> float:
        return self.targets.total

    @property
    def cliques(self) -> tuple[Clique, ...]:
        """All columns: components relate every column to every other."""
        return (self.domain.names,)

    @property
    def cells(self) -> int:
        """Weights of all components."""
        return self.trees.cells

    @property
    def converged(self) -> bool:
        """A fit makes a fixed number of steps, the last ones too small to matter."""
        return True

    def project(self, clique: Clique) -> NDArray[np.float64]:
        """Expected counts. Shapes: float64[shape(clique)]."""
        axes = self.targets.domain.axes(clique)
        table = self.trees.pair(*axes) if len(axes) == 2 else self.trees.table(axes)
        allowed = allowed_cells(self.targets.domain, clique, self.targets.zeros)
        table = np.where(allowed, table, 0.0) if (table * allowed).sum() > 0 else allowed.astype(float)
        return self.targets.coarsening.spread(table * (self.total / table.sum()), clique)

    def project_many(self, cliques: Iterable[Clique]) -> list[NDArray[np.float64]]:
        """Expected counts of many cliques."""
        return [self.project(clique) for clique in cliques]

    def sample(self, rows: int, rng: np.random.Generator) -> NDArray[np.int64]:
        """Records, repaired and swapped where that is due. Shapes: int64[rows, len(domain)]."""
        targets, codes = self.targets, self.trees.draw(rows, rng)
        if targets.zeros:
            codes, _ = repaired(codes, targets.domain, targets.zeros, targets.columns, rng)
        codes = targets.coarsening.refine(codes, rng)
        if not self.swaps:
            return codes
        names = self.domain.names
        measured = [(names[a], names[b]) for a, b in targets.pairs]
        near = NEARNESS * self._noise()
        return swap_towards(self, codes, rng=rng, measured=measured, zeros=self.zeros, near=near)

    def _noise(self) -> float:
        """Expected distance of a measured pair from the truth, on average."""
        tables = ((self.trees.pair(*pair) * self.total, told) for pair, told in self.targets.pairs.items())
        off = [expected_distance(table, told.sigma) for table, told in tables]
        return float(np.mean(off)) if off else 0.0


SECONDS_PER_CELL = 1.5e-6
"""Of all pairs of all components, for 150 steps on one core."""


@dataclass(frozen=True, kw_only=True)
class MixtureOfTrees(Generator):
    """How many components, how long they are fitted, how strongly they are held to the strongest pairs, and
    whether records are swapped towards their tables."""

    name: ClassVar[str] = "trees"
    title: ClassVar[str] = "Mixture of trees"
    summary: ClassVar[str] = (
        "Components that each draw every column given one other, fitted to all answers at once: for chains "
        "of relations."
    )

    components: int = option(
        0, label="Components", help="Trees that the mixture has; 0 lets width decide.", low=0, high=1_000
    )
    iterations: int = option(
        0, label="Steps", help="Steps of the fit; 0 lets width and noise decide.", low=0, high=20_000
    )
    pull: float = option(
        0.5,
        label="Pull",
        help="How strongly components are drawn to one tree of the strongest relations.",
        low=0.01,
        high=100,
    )
    swaps: bool = option(
        True,
        label="Swap records towards the model's tables",
        help="More exact records, for about a second more.",
        low=False,
        high=True,
    )

    def rough(self) -> MixtureOfTrees:
        """Fewer steps."""
        return replace(self, iterations=min(self.iterations or ROUGH_STEPS, ROUGH_STEPS), swaps=False)

    def seconds(self, domain: Domain) -> tuple[float, float]:
        """Of all codes as they are, which coarse codes only lower; measured on tables of 14 to 50 columns.
        The swaps of very many records are cut off at about half a minute."""
        pairs = math.comb(len(domain), 2)
        steps = SECONDS_PER_CELL * (self.components or COMPONENTS) * sum(domain.sizes) ** 2
        return 0.05 + 0.5e-3 * pairs, 1 + 10e-3 * pairs + steps + (30 if pairs else 0)

    def fit(
        self,
        evidence: Evidence,
        *,
        start: Model | None = None,
        seed: int = 0,
        device: str = AUTO,
        report: Reporter = silent,
        checkpoint: Checkpoint = UNSAVED,
    ) -> TreesModel:
        """On one core; `seed` decides where components start.

        ValueError if a column was measured in two different sets of groups, or a group holds codes that a
        zero tells apart.
        """
        targets = targets_of(evidence)
        trees = fit_trees(
            targets,
            options=MixtureOptions(components=self.components, iterations=self.iterations, pull=self.pull),
            rng=np.random.default_rng(seed),
            report=report,
            checkpoint=checkpoint,
        )
        return TreesModel(trees=trees, targets=targets, zeros=evidence.zeros, swaps=self.swaps)

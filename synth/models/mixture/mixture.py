"""A mixture of products that can be fitted to any measurements. It needs neither cliques nor a tree, so it
can use all pairs of a wide table.

Structural zeros: columns of a common zero have one joint block per component, which contains only allowed
cells (`mixture_blocks`). A forbidden cell thus has no weight and cannot be drawn. Zeros that are too large
for a block are enforced by repairing records (`repair`). In this case, the tables are those of the mixture
restricted to the allowed cells.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from synth.core.domain import Clique, Domain
from synth.core.evidence import Evidence
from synth.core.options import option
from synth.core.zeros import Zero
from synth.models.base import Generator, Setting
from synth.models.estimates.expected_distance import expected_distance
from synth.models.mixture.coarse_model import CoarseModel, iterations_option, swaps_option
from synth.models.mixture.descent import MixtureOptions
from synth.models.mixture.mixture_fit import Mixture, fit_mixture
from synth.models.targets import Pair, targets_of

MANY_PAIRS = 10
"""Minimum number of requested pairs for which all pair tables are computed at once."""

ROUGH_STEPS = 100
"""Number of steps of a fit that is used only once."""

WARM_STEPS, WARM_RATE = 20, 0.2
"""Number of steps and step size of such a fit if it continues from a model of slightly fewer measurements."""


@dataclass(frozen=True, eq=False, kw_only=True)
class MixtureModel(CoarseModel):
    """A mixture of products in coarser codes."""

    mixture: Mixture

    @property
    def cells(self) -> int:
        """Number of weights of all components."""
        return self.mixture.logits.size

    @property
    def _left(self) -> Sequence[Zero]:
        return self.mixture.blocks.left

    def project_many(self, cliques: Iterable[Clique]) -> list[NDArray[np.float64]]:
        """Return expected counts of many cliques. If there are many pairs, one matrix product computes all of
        them.
        """
        requested, domain = list(cliques), self.targets.domain
        if sum(len(r) == 2 for r in requested) < MANY_PAIRS:
            return [self.project(r) for r in requested]
        pairs, tables = self.mixture.pair_shares(), []
        for r in requested:
            axes = domain.axes(r)
            if len(r) != 2:
                tables.append(self.project(r))
                continue
            table = pairs[self.targets.span(axes[0]), self.targets.span(axes[1])]
            tables.append(self._counts(r, table.astype(np.float64)))
        return tables

    def _shares(self, axes: tuple[int, ...]) -> NDArray[np.float64]:
        return self.mixture.table(axes)

    def _codes(self, rows: int, rng: np.random.Generator) -> NDArray[np.int64]:
        return self.mixture.draw(rows, rng)

    def _error(self, pair: Pair) -> float:
        return expected_distance(self.mixture.table(pair) * self.total, self.targets.typical_sigma)


SECONDS_PER_CELL = 1.3e-6
"""Number of seconds per cell of all pairs (in both orders) for 200 steps with 128 components on one core."""


@dataclass(frozen=True, kw_only=True)
class MixtureOfProducts(Generator):
    """Options of a mixture of products: the number of components, the number of steps, and whether values are
    swapped towards the tables.
    """

    name: ClassVar[str] = "mixture"
    title: ClassVar[str] = "Mixture of products"
    summary: ClassVar[str] = (
        "A mixture of components with independent columns, fitted to all measurements at once. For wide"
        " tables."
    )

    components: int = option(
        0,
        label="Components",
        help="Number of components. 0 computes it from the number of columns and the noise.",
        low=0,
        high=4_000,
    )
    iterations: int = iterations_option()
    swaps: bool = swaps_option()

    is_rough: bool = False

    def rough(self) -> MixtureOfProducts:
        """Return options with fewer steps, and even fewer if the fit starts from a mixture of slightly fewer
        measurements.
        """
        return replace(self, is_rough=True, swaps=False)

    def seconds(self, domain: Domain) -> tuple[float, float]:
        """Return the estimated time for the domain's own codes; coarser codes only reduce it. It is based on
        tables of 14 to 400 columns. Swaps of very many records stop after about half a minute.
        """
        pairs, steps = math.comb(len(domain), 2), SECONDS_PER_CELL * sum(domain.sizes) ** 2
        return 0.05 + 0.5e-3 * pairs, 1 + 10e-3 * pairs + steps + (30 if pairs else 0)

    def fitted(self, evidence: Evidence, how: Setting) -> MixtureModel:
        """Fit the mixture on one core. `seed` determines the initial components, unless `start` is a mixture
        with the same number of components.

        Raises: ValueError if a column was measured in two different sets of groups, if a group contains codes
        that a zero treats differently, or if the zeros leave a column no possible value.
        """
        targets = targets_of(evidence)
        mixture = fit_mixture(
            targets,
            options=self._options(is_warm=isinstance(how.start, MixtureModel)),
            rng=np.random.default_rng(how.seed),
            start=how.start.mixture if isinstance(how.start, MixtureModel) else None,
            report=how.report,
        )
        return MixtureModel(mixture=mixture, targets=targets, zeros=evidence.zeros, swaps=self.swaps)

    def _options(self, *, is_warm: bool) -> MixtureOptions:
        options = MixtureOptions(components=self.components, iterations=self.iterations)
        if not self.is_rough:
            return options
        if is_warm:
            return replace(options, iterations=WARM_STEPS, rate=WARM_RATE, cooled=False)
        return replace(options, iterations=min(self.iterations or ROUGH_STEPS, ROUGH_STEPS))

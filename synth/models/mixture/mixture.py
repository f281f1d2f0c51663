"""A mixture of products fitted to any answers: no clique, no tree, so that all pairs of a wide table fit.

Rules: columns that structural zeros tie have one joint block per component that lists only allowed cells
(`mixture_blocks`), so a forbidden cell has no weight and cannot be drawn. Zeros too large for a block are
kept by repairing records (`repair`); then the tables are the mixture's on the allowed cells.
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
from synth.models.mixture.mixture_fit import Mixture, MixtureOptions, fit_mixture
from synth.models.targets import Pair, targets_of

MANY_PAIRS = 10
"""Pairs from which on all pair tables are made at once."""

ROUGH_STEPS = 100
"""Steps of a fit that is looked at once."""

WARM_STEPS, WARM_RATE = 20, 0.2
"""Steps, and the size of one, of such a fit that goes on from the model of a few answers less."""


@dataclass(frozen=True, eq=False, kw_only=True)
class MixtureModel(CoarseModel):
    """A mixture of products over coarse codes."""

    mixture: Mixture

    @property
    def cells(self) -> int:
        """Weights of all components."""
        return self.mixture.logits.size

    @property
    def _left(self) -> Sequence[Zero]:
        return self.mixture.blocks.left

    def project_many(self, cliques: Iterable[Clique]) -> list[NDArray[np.float64]]:
        """Return expected counts of many cliques; many pairs come from one product of all columns."""
        asked, domain = list(cliques), self.targets.domain
        if sum(len(r) == 2 for r in asked) < MANY_PAIRS:
            return [self.project(r) for r in asked]
        pairs, tables = self.mixture.pair_shares(), []
        for r in asked:
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
"""Of all pairs, both ways, for 200 steps of 128 components on one core."""


@dataclass(frozen=True, kw_only=True)
class MixtureOfProducts(Generator):
    """How many components, how long they are fitted, and whether records are swapped towards their tables."""

    name: ClassVar[str] = "mixture"
    title: ClassVar[str] = "Mixture of products"
    summary: ClassVar[str] = (
        "Components that each draw every column by itself, fitted to all answers at once: for wide tables."
    )

    components: int = option(
        0,
        label="Components",
        help="Products that the mixture has; 0 lets width and noise decide.",
        low=0,
        high=4_000,
    )
    iterations: int = iterations_option()
    swaps: bool = swaps_option()

    is_rough: bool = False

    def rough(self) -> MixtureOfProducts:
        """Fewer steps, and fewer still from the mixture of a few answers less."""
        return replace(self, is_rough=True, swaps=False)

    def seconds(self, domain: Domain) -> tuple[float, float]:
        """Of all codes as they are, which coarse codes only lower; measured on tables of 14 to 400 columns.
        The swaps of very many records are cut off at about half a minute."""
        pairs, steps = math.comb(len(domain), 2), SECONDS_PER_CELL * sum(domain.sizes) ** 2
        return 0.05 + 0.5e-3 * pairs, 1 + 10e-3 * pairs + steps + (30 if pairs else 0)

    def fitted(self, evidence: Evidence, how: Setting) -> MixtureModel:
        """On one core; `seed` decides where components start, unless `start` is a mixture of as many.

        ValueError if a column was measured in two different sets of groups, or a group holds codes that a
        zero tells apart, or the zeros leave a column no possible value.
        """
        targets = targets_of(evidence)
        mixture = fit_mixture(
            targets,
            options=self._options(is_warm=isinstance(how.start, MixtureModel)),
            rng=np.random.default_rng(how.seed),
            start=how.start.mixture if isinstance(how.start, MixtureModel) else None,
            report=how.report,
            checkpoint=how.checkpoint,
        )
        return MixtureModel(mixture=mixture, targets=targets, zeros=evidence.zeros, swaps=self.swaps)

    def _options(self, *, is_warm: bool) -> MixtureOptions:
        options = MixtureOptions(components=self.components, iterations=self.iterations)
        if not self.is_rough:
            return options
        if is_warm:
            return replace(options, iterations=WARM_STEPS, rate=WARM_RATE, cooled=False)
        return replace(options, iterations=min(self.iterations or ROUGH_STEPS, ROUGH_STEPS))

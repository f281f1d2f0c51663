"""The graphical model of all measurements. If some of them were made in coarser codes, the model uses these
codes.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from synth.core.domain import Clique
from synth.core.evidence import Evidence
from synth.core.model import Model
from synth.core.options import option
from synth.models import pgm
from synth.models.base import Generator, Setting
from synth.models.coarse import Coarsening, OverGroups, coarsening_of, onto
from synth.models.estimates.columns import one_ways

ROUGH, ROUGH_SWEEPS = 0.3, 400
"""Tolerance and maximum number of sweeps of a fit that is used only once. A more accurate fit would only
reproduce noise.
"""


@dataclass(frozen=True, eq=False)
class Spread(OverGroups):
    """A model of groups that is converted to the domain's codes (a `model.Model`). Within a group, the codes
    have the proportions of the released one-way marginal and are independent of the other columns.
    """

    groups: pgm.PGM
    coarsening: Coarsening

    @property
    def total(self) -> float:
        return self.groups.total

    @property
    def cliques(self) -> tuple[Clique, ...]:
        """The cliques of the model of groups."""
        return tuple(self.groups.cliques)

    @property
    def cells(self) -> int:
        """The number of cells of the model of groups."""
        return self.groups.cells

    @property
    def converged(self) -> bool:
        return self.groups.converged

    def project_many(self, cliques: Iterable[Clique]) -> list[NDArray[np.float64]]:
        """Return expected counts of many cliques."""
        requested = list(cliques)
        tables = self.groups.project_many(requested)
        return [self.coarsening.spread(table, r) for table, r in zip(tables, requested, strict=True)]

    def sample(self, rows: int, rng: np.random.Generator) -> NDArray[np.int64]:
        """Draw records of groups and convert them to the domain's codes. Shapes: int64[rows, len(domain)]."""
        return self.coarsening.refine(self.groups.sample(rows, rng), rng)


def ridge_option(default: float) -> Any:
    """Return the option for `FitOptions.ridge`."""
    help = "How strongly noisy cells are shrunk towards independent columns."
    return option(default, label="Shrinkage", help=help, low=0.01, high=100)


@dataclass(frozen=True, kw_only=True)
class GraphicalModel(Generator):
    """The graphical model of all measurements. If some were made in coarser codes, the model uses these
    codes.
    """

    name: ClassVar[str] = "pgm"
    title: ClassVar[str] = "Graphical model"
    summary: ClassVar[str] = "One graphical model, fitted to all noisy measurements."
    joins_all: ClassVar[bool] = True

    ridge: float = ridge_option(pgm.FitOptions.ridge)
    sweeps: int = option(
        2000,
        label="Sweeps",
        help="Maximum number of passes over the tables of the model.",
        low=10,
        high=1_000_000,
    )
    tolerance: float = pgm.FitOptions.tolerance

    def rough(self) -> GraphicalModel:
        return replace(self, tolerance=ROUGH, sweeps=min(self.sweeps, ROUGH_SWEEPS))

    def fitted(self, evidence: Evidence, how: Setting) -> Model:
        """Fit the model. Deterministic.

        Raises: ValueError if a column was measured in two different sets of groups, or if a group contains
        codes that a zero treats differently.
        """
        options = pgm.FitOptions(tolerance=self.tolerance, ridge=self.ridge, sweeps=self.sweeps)
        is_coarse, start = any(m.groups for m in evidence.measurements), how.start
        coarsening = Coarsening(evidence.domain, ())
        if is_coarse:
            coarsening = coarsening_of(evidence, one_ways(evidence))
            start = start.groups if isinstance(start, Spread) else None
        groups = pgm.fit(
            coarsening.coarse,
            [onto(coarsening, m) for m in evidence.measurements],
            zeros=coarsening.zeros(evidence.zeros),
            total=evidence.total,
            start=start if isinstance(start, pgm.PGM) and start.domain == coarsening.coarse else None,
            options=options,
            report=how.report,
        )
        return Spread(groups, coarsening) if is_coarse else groups

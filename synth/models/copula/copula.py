"""A model for wide tables of ordered columns. Pairs are denoised in closed form, records are drawn from a
Gaussian copula, and values are swapped.

The model needs neither a junction tree nor a search. The noisy measurements are converted to `targets`, a
copula is fitted to them (`correlations`), and every measured pair is replaced by its likely table given the
copula's table (`denoise`). The ranks of normal vectors are divided according to the columns' counts, so that
every one-way count of the records has an error below one. Swaps of values then move the pairs of the records
towards the tables. The codes of columns without an order are sorted along an estimated axis
(`latent_orders`).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from synth.core.domain import Clique, Domain
from synth.core.evidence import Evidence
from synth.core.options import option
from synth.core.progress import Progress
from synth.core.zeros import Zero, allowed_cells
from synth.models.base import Generator, Setting
from synth.models.coarse import Coarsening
from synth.models.copula.copula_records import copula_codes
from synth.models.copula.correlations import Correlations, copula_tables, fit_correlations
from synth.models.copula.denoise import LEAST_SUM, ROUNDS, allowed_in, likely_pairs
from synth.models.estimates.proportional import fitted_to, with_margins
from synth.models.records.swap_towards import swap_towards
from synth.models.repair import repaired
from synth.models.targets import OverTargets, Pair, Targets, targets_of

SWEEPS = 6
"""Maximum number of sweeps of swaps over all columns. Later sweeps have little effect."""

JOINT_CELLS = 1 << 21
"""Maximum number of cells of a clique for which the table of largest entropy is computed from its pairs.
Columns of larger cliques are treated as independent.
"""

STEPS = 4
"""Number of reported steps of a fit."""

Codes = NDArray[np.int64]
Table = NDArray[np.float64]


@dataclass(frozen=True, eq=False, kw_only=True)
class CopulaModel(OverTargets):
    """A copula, the tables of measured pairs, and structural zeros (a `model.Model`).

    `targets`: the columns in coarser codes, without noisy pairs. `tables[pair]`: float64[sizes of the pair in
    coarser codes], likely counts. `zeros`: structural zeros in the domain's own codes.
    """

    targets: Targets
    correlations: Correlations
    tables: Mapping[Pair, Table]
    zeros: tuple[Zero, ...]
    sweeps: int

    @property
    def cliques(self) -> tuple[Clique, ...]:
        """All pairs, measured or not, or the columns of a table that has no pairs."""
        return tuple(combinations(self.domain.names, min(2, len(self.domain))))

    @property
    def cells(self) -> int:
        """The number of cells of the columns, the correlations and the tables."""
        sizes_of_tables = (table.size for table in self.tables.values())
        return sum(self.targets.domain.sizes) + self.correlations.matrix.size + sum(sizes_of_tables)

    @property
    def converged(self) -> bool:
        """Always true, because the fit has a closed form."""
        return True

    def project_many(self, cliques: Iterable[Clique]) -> list[Table]:
        """Return expected counts.

        A measured pair has its likely table, and any other pair has the copula's table. Records are swapped
        towards both. A larger clique has the table with the largest entropy given its pairs, which is found
        by proportional fitting. If that table would be very large, the columns are treated as independent.
        """
        requested = list(cliques)
        axes = [self.domain.axes(r) for r in requested]
        wanted = {pair for some in axes for pair in combinations(sorted(some), 2)} - set(self.tables)
        tables = {**self.tables, **self._unmeasured(wanted)}
        found = (self._joint(r, some, tables) for r, some in zip(requested, axes, strict=True))
        return [self.targets.coarsening.spread(table, r) for r, table in zip(requested, found, strict=True)]

    def sample(self, rows: int, rng: np.random.Generator) -> Codes:
        """Draw records from the copula, and swap values towards the tables. Shapes: int64[rows, len(domain)].

        If there are structural zeros of several columns, values are first swapped towards the pairs of these
        columns, whose tables are empty in forbidden cells. Records that are still in a forbidden cell are
        moved out of it. Then values are swapped towards all pairs without entering forbidden cells. If
        records were moved first, many more of them would be changed without regard to the tables.
        """
        coarse, zeros = self._coarse, [z for z in self.targets.zeros if len(z.clique) > 1]
        codes = copula_codes(self.correlations, self.targets.columns, rows, rng)
        measured = [_clique(coarse.domain, pair) for pair in self.tables]
        if zeros:
            if self.sweeps:
                tied = {name for zero in zeros for name in zero.clique}
                codes = swap_towards(
                    coarse, codes, rng=rng, measured=measured, sweeps=self.sweeps, among=tied
                )
            codes, _ = repaired(codes, coarse.domain, zeros, self.targets.columns, rng)
        if self.sweeps:
            codes = swap_towards(coarse, codes, rng=rng, measured=measured, zeros=zeros, sweeps=self.sweeps)
        return self.targets.coarsening.refine(codes, rng)

    @cached_property
    def _coarse(self) -> CopulaModel:
        """Return the model in coarser codes only."""
        plain = replace(self.targets, coarsening=Coarsening(self.targets.domain, ()))
        return replace(self, targets=plain, zeros=self.targets.zeros)

    def _unmeasured(self, pairs: Iterable[Pair]) -> dict[Pair, Table]:
        """Return the copula's tables after setting forbidden cells to zero."""
        tables = copula_tables(self.targets, self.correlations, sorted(pairs))
        for (a, b), table in tables.items():
            allowed = allowed_in(self.targets, (a, b))
            if not allowed.all():
                columns = self.targets.columns
                table = np.where(allowed, table, 0.0)
                tables[a, b] = with_margins(table, columns[a], columns[b], rounds=ROUNDS, least=LEAST_SUM)
        return tables

    def _joint(self, clique: Clique, axes: tuple[int, ...], tables: Mapping[Pair, Table]) -> Table:
        """Return the table of a clique in coarser codes, with columns in domain order."""
        domain, total = self.targets.domain, self.total
        if len(axes) == 2:
            return tables[axes[0], axes[1]]
        joint = np.array(total)
        for i in axes:
            joint = np.multiply.outer(joint, self.targets.columns[i] / total)
        joint = np.where(allowed_cells(domain, clique, self.targets.zeros), joint, 0.0)
        if joint.size <= JOINT_CELLS:
            pairs = combinations(range(len(axes)), 2)
            joint = fitted_to(joint, {(a, b): tables[axes[a], axes[b]] for a, b in pairs})
        whole = float(joint.sum())
        return np.asarray(joint * (total / whole) if whole > 0 else joint)


@dataclass(frozen=True, kw_only=True)
class CopulaRecords(Generator):
    """Options of the copula: the prior distance of tables from the copula, and the number of swaps."""

    name: ClassVar[str] = "copula"
    title: ClassVar[str] = "Copula and all pairs"
    summary: ClassVar[str] = (
        "A Gaussian copula. Its records are then adjusted to every pair, with the noise removed."
    )

    sweeps: int = option(
        SWEEPS,
        label="Sweeps",
        help="Maximum number of swaps per column. 0 keeps the records of the copula.",
        low=0,
        high=12,
    )
    strength: float = option(
        1.0,
        label="Strength",
        help=(
            "Degree to which the records follow measurements that differ from the copula. Smaller values "
            "give smoother tables."
        ),
        low=0.1,
        high=10,
    )

    def seconds(self, domain: Domain) -> tuple[float, float]:
        """Return the estimated time, based on tables of 11 to 50 columns. Swaps of very many records stop
        after about half a minute.
        """
        pairs = math.comb(len(domain), 2)
        return 0.05 + 1e-3 * pairs, 1 + 10e-3 * pairs + (30 if pairs else 0)

    def fitted(self, evidence: Evidence, how: Setting) -> CopulaModel:
        """Fit the copula and denoise the tables. Deterministic.

        Raises: ValueError if a column was measured in two different sets of groups, or if a group contains
        codes that a zero treats differently.
        """

        def tell(step: int) -> None:
            fact = f"computing the copula in closed form, step {step}"
            how.report(Progress(stage="fit", done=step / STEPS, fact=fact))

        tell(1)
        targets = targets_of(evidence)
        tell(2)
        correlations = fit_correlations(targets)
        tell(3)
        guesses = copula_tables(targets, correlations, targets.pairs)
        tell(4)
        return CopulaModel(
            targets=replace(targets, pairs={}),
            correlations=correlations,
            tables=likely_pairs(targets, guesses, strength=self.strength),
            zeros=evidence.zeros,
            sweeps=self.sweeps,
        )


def _clique(domain: Domain, pair: Pair) -> Clique:
    return tuple(domain.names[i] for i in pair)

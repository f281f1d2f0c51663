"""Estimate counts, shares and means of a release from all its noisy measurements.

Pages, documents, checks and the analyst's kit all use this estimator, so one question has one answer. The
estimates of counts are those of least squares (`least_squares`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from synth.core.domain import Clique, Domain
from synth.core.errors import Mistake
from synth.core.evidence import Evidence
from synth.core.zeros import Zero
from synth.estimates.effects import Pool
from synth.estimates.estimated import Estimated, estimated
from synth.estimates.facts import Fact, facts_of
from synth.estimates.least_squares import DENSE, Cells, Groups, Solution, System, Term

MOST_ATOMS = 1 << 22
"""Maximum number of cells in the table of all columns of a question."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Estimator:
    """Estimates from all facts of a release. Systems of equations are kept for later questions.

    `total` is the number of rows if it is public, otherwise None. `rows_of_unit` is the maximum number of
    rows of a unit. `pool` has the measurements in the codes of the domain, for tables with many cells.
    """

    domain: Domain
    facts: tuple[Fact, ...]
    zeros: Sequence[Zero] = ()
    total: float | None = None
    rows_of_unit: int = 1
    pool: Pool
    _systems: dict[Clique, System] = field(default_factory=dict, repr=False)

    @staticmethod
    def of(evidence: Evidence, *, further: Iterable[Fact] = ()) -> Estimator:
        """Return the estimator of some evidence, with `further` facts of other releases."""
        schema = evidence.codebook.schema
        return Estimator(
            domain=evidence.domain,
            facts=(*facts_of(evidence), *further),
            zeros=evidence.codebook.zeros,
            total=None if schema.rows_public is None else float(schema.rows_public),
            rows_of_unit=schema.unit.max_rows,
            pool=Pool(evidence.domain, evidence.measurements),
        )

    @cached_property
    def size(self) -> float:
        """Return the estimated number of rows, at least one."""
        whole = self.solve({})
        return 1.0 if whole is None else max(1.0, whole.estimate)

    def system(self, columns: Iterable[str]) -> System:
        """Return the normal equations of some columns. Raises: `Mistake` if they have too many cells."""
        clique = self.domain.clique(columns)
        if clique not in self._systems:
            if self.domain.size(clique) > MOST_ATOMS:
                raise Mistake(
                    f"The columns {', '.join(clique)} have too many cells. Ask about fewer columns."
                )
            self._systems[clique] = System(self.domain, self.facts, clique, self.zeros, self.total)
        return self._systems[clique]

    def solve(self, *terms: Term) -> Solution | None:
        """Return the least-squares answer to a sum of products, or None if it is not estimable."""
        return self.system({name for term in terms for name in term}).solve(terms)

    def counted(self, solution: Solution, level: float) -> Estimated:
        """Return a count. The estimate and its intervals are not negative."""
        count = max(0.0, solution.estimate)
        sampling = count * max(0.0, 1 - count / self.size) * self.rows_of_unit
        return estimated(solution, level, sampling=sampling).within(0.0, np.inf)

    def cells(self, clique: Clique, groups: Groups | None = None) -> Cells | None:
        """Return all cells of a table, in groups of codes or in the codes of the domain.

        The result is None if a cell is not estimable. Tables with more than `least_squares.DENSE` cells are
        only estimated in the codes of the domain, from measurements in these codes.
        """
        if self.domain.size(clique) <= DENSE:
            return self.system(clique).cells_of(groups or {})
        if groups or not self.pool.supports(clique):
            return None
        variance = self.pool.cell_variance(clique)
        counts = self.pool.estimate(clique)
        return Cells(counts=counts, variance=np.full(counts.shape, variance))

"""Measure the noisy counts of a marginal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from synth.core.columns.unfit import (
    COUNTED,
    IN_CELL,
    NOWHERE,
    OWN,
    REASONS,
    WHOLE,
    Exclusion,
    Reason,
    Unfit,
)
from synth.core.domain import Clique, Domain
from synth.core.measurements.noisy import Measurement
from synth.private.exact_tables import ExactTables, Groups
from synth.private.queries.base import CliqueQuery, integers
from synth.private.terms import Paid, Terms


@dataclass(frozen=True)
class Marginal(CliqueQuery):
    """The table of counts of a clique. `groups` of columns outside the clique have no effect.

    Privacy: the Gaussian mechanism. One unit changes the table by at most sqrt(`Terms.l2_squared`) in L2, and
    every cell gets independent integer noise with sigma^2 = l2_squared / (2 rho), which costs rho. The run's
    accounting rule determines the distribution of the noise (see `noise.noise_of`).

    With `excluded`, the only column also has a counter of cells that do not fit the declaration, for each of
    these reasons. This changes neither the cost nor the noise of the cells, because a row that does not fit
    adds 4/5 to its cell and 3/5 to a counter: (4/5)^2 + (3/5)^2 = 1. So every row adds a vector of length 1
    without negative numbers, as in a plain table, and the change by a unit or its replacement is bounded in
    the same way. `read` adds a fifth of the estimated number to the cell again. The variance of the noise in
    this cell is then 10/9 of that of the others, and a counter has sigma 5/3 of a cell.
    """

    clique: Clique
    groups: Groups = field(default_factory=dict)
    excluded: tuple[Exclusion, ...] = ()
    ask: ClassVar[str] = "measure"
    words: ClassVar[tuple[str, str]] = ("table measured", "tables measured")

    def fits(self, domain: Domain) -> bool:
        return self.coarse(domain) is not None and (len(self.clique) == 1 or not self.excluded)

    def own_facts(self, terms: Terms) -> dict[str, Any]:
        unfit = {"unfit": [[str(e.reason), e.code] for e in self.excluded]} if self.excluded else {}
        return {**super().own_facts(terms), **unfit}

    def restored(self, facts: Mapping[str, Any], state: bytes | None) -> Self:
        excluded = tuple(Exclusion(Reason(reason), int(code)) for reason, code in facts.get("unfit", ()))
        return replace(super().restored(facts, state), excluded=excluded)

    def needs(self) -> Sequence[tuple[Clique, Groups]]:
        return ((self.clique, self.groups),)

    def exact(self, tables: ExactTables) -> NDArray[np.int64]:
        cells = tables(self.clique, self.groups)
        if not self.excluded:
            return cells
        places = [REASONS.index(e.reason) for e in self.excluded]
        unfit = tables.unfit(self.clique[0], self.groups)[:, places]
        in_cells, nowhere = unfit[:-1], unfit[-1]
        shared = WHOLE * cells - (WHOLE - IN_CELL) * in_cells.sum(axis=1)
        return np.concatenate([shared, COUNTED * in_cells.sum(axis=0) + WHOLE * nowhere])

    def l2_squared(self, terms: Terms) -> int:
        return terms.l2_squared * (WHOLE**2 if self.excluded else 1)

    def read(self, blob: bytes, paid: Paid, *, domain: Domain) -> Measurement:
        coarse = self.coarse(domain)
        assert coarse is not None
        noise, numbers = self.variance(paid.units, paid.terms), integers(blob)
        shape, variance, unfit = coarse.sizes, noise, tuple[Unfit, ...]()
        if self.excluded:
            cells, counters = numbers[: shape[0]], numbers[shape[0] :]
            unfit = tuple(
                Unfit(
                    reason=str(e.reason),
                    count=count,
                    weight=WHOLE if e.code == NOWHERE else COUNTED,
                    variance=noise,
                )
                for e, count in zip(self.excluded, counters.tolist(), strict=True)
            )
            numbers, factor = self._merged(cells, unfit)
            variance = noise * factor
        return Measurement(
            clique=self.clique,
            counts=numbers.reshape(shape),
            variance=variance,
            groups=self.groups,
            unfit=unfit,
            **paid.place,
        )

    def _merged(self, cells: NDArray[np.int64], unfit: Sequence[Unfit]) -> tuple[NDArray[np.int64], Fraction]:
        """Return the counts of the cells, with a fifth of the cells of each reason added where they belong,
        and the largest variance of a count in units of the variance of the noise.

        Cells that keep their own codes are distributed in proportion to the counts.
        """
        sums, group_of = cells.astype(np.float64), self.groups.get(self.clique[0])
        even = np.maximum(sums, 0.0)
        even = even / even.sum() if even.any() else np.full(len(even), 1 / len(even))
        places = np.zeros((len(unfit), len(cells)))
        for e, place in zip(self.excluded, places, strict=True):
            if e.code == OWN:
                place += even
            elif e.code != NOWHERE:
                place[e.code if group_of is None else group_of[e.code]] = 1.0
        sums += np.array([one.cells for one in unfit]) @ places
        largest = float(np.square(places).sum(axis=0).max()) / COUNTED**2
        factor = 1 + Fraction(largest).limit_denominator(10**6)
        return np.rint(sums / WHOLE).astype(np.int64), factor / WHOLE**2

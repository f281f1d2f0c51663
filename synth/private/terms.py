"""Define the terms of queries: the largest change of counts by one privacy unit, the noise, and the budget.

All terms are public.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from synth.core.accounting import UNITS_PER_RHO, ZCDP, Law, rho_of, units_of
from synth.core.schema import Neighbours, Schema


@dataclass(frozen=True, kw_only=True)
class Terms:
    """The largest change of a vector of counts by one privacy unit, and the noise that hides it.

    Adding or removing a unit with at most k rows changes a marginal by at most k in L1 and in L2 (if all rows
    are in one cell). Replacing a unit removes up to k rows from one cell and adds up to k rows to another.
    The change is at most 2k in L1 and sqrt(2) k in L2, even if the two units have different numbers of rows.

    `law` is the accounting rule of the run. `total` is the number of rows if the schema declares it as
    public, otherwise None. It is never counted in the file.
    """

    rows: int
    neighbours: Neighbours
    law: Law = ZCDP
    total: int | None = None

    @classmethod
    def of(cls, schema: Schema, *, law: Law = ZCDP) -> Terms:
        """Return the terms for the population of a schema."""
        return cls(
            rows=schema.unit.max_rows,
            neighbours=schema.neighbours,
            law=law,
            total=schema.rows_public,
        )

    @property
    def replaces(self) -> bool:
        """Whether neighbouring tables differ in the rows of a unit and not in its presence."""
        return self.neighbours is Neighbours.REPLACE

    @property
    def l1(self) -> int:
        """Return the largest L1 change of a marginal between neighbouring tables, in rows."""
        return self.rows * (2 if self.replaces else 1)

    @property
    def cell(self) -> int:
        """Return the largest change of one cell of a marginal between neighbouring tables, in rows."""
        return self.rows

    @property
    def l2_squared(self) -> int:
        """Return the largest squared L2 change of a marginal between neighbouring tables."""
        return self.rows**2 * (2 if self.replaces else 1)

    def sigma(self, rho: float) -> float:
        """Return sigma of a measurement at this cost, in counts: sqrt(change^2 / (2 rho))."""
        return float((self.l2_squared / (2.0 * rho)) ** 0.5)

    def rho_for(self, sigma: float) -> float:
        """Return the cost of a measurement with this sigma (the inverse of `sigma`)."""
        return self.l2_squared / (2.0 * sigma * sigma)


@dataclass(frozen=True, kw_only=True)
class Paid:
    """The charge of an answer (1e-12 rho), its position in the run, and its terms."""

    units: int
    part: str
    step: int
    terms: Terms

    @property
    def place(self) -> dict[str, Any]:
        """Return the record of an answer: its charge, its part and step, and the accounting rule of the
        run.
        """
        return {"units": self.units, "part": self.part, "step": self.step, "law": self.terms.law}


@dataclass(frozen=True)
class Allowance:
    """The remaining budget of an account, in units. It depends on costs and never on data.

    `charged` contains the costs of the next queries that an interrupted run was already charged for. They are
    repeated at exactly these costs.
    """

    units: int
    charged: tuple[int, ...] = ()

    @property
    def rho(self) -> float:
        """Return the whole remaining budget in rho. A query at this cost spends the last unit."""
        return rho_of(self.units)

    def prices(self, rhos: Sequence[float]) -> tuple[int, ...]:
        """Return the costs, in units, of queries that are made one after the other.

        The last query may request the rest of the budget as a float. A cost that is negative or not a number
        becomes 0.

        >>> Allowance(1000).prices([4e-10, 6e-10 - 1e-12]), Allowance(1000, charged=(7,)).prices([4e-10])
        ((400, 600), (7,))
        """
        prices, left = [], self.units
        for at, rho in enumerate(rhos):
            units = units_of(rho) if rho >= 0 and math.isfinite(rho * UNITS_PER_RHO) else 0
            if at < len(self.charged):
                units = self.charged[at]
            elif units and -2 <= left - units <= 1:
                units = left
            prices.append(units)
            left -= units
        return tuple(prices)

    def after(self, rhos: Sequence[float]) -> Allowance:
        """Return the remaining budget after queries at these costs."""
        left = self.units - sum(self.prices(rhos))
        return replace(self, units=left, charged=self.charged[len(rhos) :])

"""The terms on which queries are asked: what one unit of protection moves, the law of the noise, and the
budget. All of it is public."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from synth.core.accounting import UNITS_PER_RHO, ZCDP, Law, rho_of, units_of
from synth.core.schema import Neighbours, Schema


@dataclass(frozen=True, kw_only=True)
class Terms:
    """How far one unit of protection can move a vector of counts, and what noise hides that.

    Adding or removing a unit with at most k rows changes a marginal by at most k in L1 and in L2 (all rows
    in one cell). Replacing one takes up to k rows from one cell and puts up to k into another: 2k in L1,
    sqrt(2) k in L2, whether or not the two units have equally many rows.

    `law`: what the run was reserved under. `total`: the number of rows if the schema states it as public,
    else None; never counted in the file.
    """

    rows: int
    neighbours: Neighbours
    law: Law = ZCDP
    total: int | None = None

    @classmethod
    def of(cls, schema: Schema, *, law: Law = ZCDP) -> Terms:
        """The terms of a schema's population."""
        return cls(
            rows=schema.unit.max_rows,
            neighbours=schema.neighbours,
            law=law,
            total=schema.rows_public,
        )

    @property
    def replaces(self) -> bool:
        """Whether neighbours differ in what a unit has, and not in whether it is there."""
        return self.neighbours is Neighbours.REPLACE

    @property
    def l1(self) -> int:
        """The largest L1 change of a marginal between neighbours, in rows."""
        return self.rows * (2 if self.replaces else 1)

    @property
    def cell(self) -> int:
        """The largest change of one cell of a marginal between neighbours, in rows."""
        return self.rows

    @property
    def l2_squared(self) -> int:
        """The largest squared L2 change of a marginal between neighbours."""
        return self.rows**2 * (2 if self.replaces else 1)

    def sigma(self, rho: float) -> float:
        """The noise a measurement at this price would get, in counts: sqrt(change^2 / (2 rho))."""
        return float((self.l2_squared / (2.0 * rho)) ** 0.5)

    def rho_for(self, sigma: float) -> float:
        """The price of a measurement with this noise; inverse of `sigma`."""
        return self.l2_squared / (2.0 * sigma * sigma)


@dataclass(frozen=True, kw_only=True)
class Paid:
    """What an answer was charged (1e-12 rho), where in the run, and on which terms."""

    units: int
    part: str
    step: int
    terms: Terms

    @property
    def place(self) -> dict[str, Any]:
        """What every answer records: its charge, its part and step, and the accounting of the run."""
        return {"units": self.units, "part": self.part, "step": self.step, "law": self.terms.law}


@dataclass(frozen=True)
class Allowance:
    """What an account may still spend, in units; a function of prices, never of data.

    `charged` are the prices of the queries ahead that an interrupted run was charged for already: they are
    asked again at just these.
    """

    units: int
    charged: tuple[int, ...] = ()

    @property
    def rho(self) -> float:
        """All of it. As the price of one query it takes the budget to the last unit."""
        return rho_of(self.units)

    def prices(self, rhos: Sequence[float]) -> tuple[int, ...]:
        """Prices in units of queries that are asked one after the other; the last dust of the budget may be
        asked for by its float value. One that is negative or no number is nothing.

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
        """What is left after queries at these prices."""
        left = self.units - sum(self.prices(rhos))
        return replace(self, units=left, charged=self.charged[len(rhos) :])

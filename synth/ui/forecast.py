"""What a budget will do to a count, from public facts alone: no mechanism is run and no file is opened."""

from __future__ import annotations

import math
from dataclasses import dataclass

from synth.measure.accounting import rho_from
from synth.schema import Neighbours, Schema

Z95 = 1.959963984540054


@dataclass(frozen=True, kw_only=True)
class Expectation:
    """The 95 % half-width of the noise in one cell when the budget is split evenly over some tables.

    Units: `rows` in rows of the table (people, where each fills one row).
    """

    asked: str
    tables: int
    rows: float


def expect(schema: Schema, *, epsilon: float, delta: float) -> tuple[Expectation, ...]:
    """How far a count will be off, 95 times in 100, for three ways to spend.

    sigma^2 = L2^2 m / (2 rho) when m tables share rho evenly (Gaussian noise under zCDP, Bun & Steinke 2016);
    L2^2 is k^2 for adding or removing a unit with k rows, 2 k^2 for replacing one.
    """
    rho = rho_from(epsilon, delta)
    columns = len(schema.modelled)
    l2_squared = schema.unit.max_rows**2 * (2 if schema.neighbours is Neighbours.REPLACE else 1)
    spendings = (
        ("all of it on one table", 1),
        (f"every column once ({columns} tables)", columns),
        (f"every column and as many pairs ({2 * columns} tables)", 2 * columns),
    )
    return tuple(
        Expectation(asked=asked, tables=m, rows=Z95 * math.sqrt(l2_squared * m / (2 * rho)))
        for asked, m in spendings
    )

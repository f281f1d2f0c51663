"""Measure the magnitudes of the values of a range column, before the mechanism runs."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar

from synth.core.accounting import ZCDP, Law
from synth.core.schema import Kind
from synth.private.entropy import OS_ENTROPY, Entropy
from synth.private.noise import noise_of
from synth.private.queries.base import ColumnQuery, stored
from synth.private.table import PrivateTable
from synth.private.terms import Terms


@dataclass(frozen=True, kw_only=True)
class MagnitudesQuery(ColumnQuery):
    """The noisy counts of a range column in the cells of a fixed public grid of magnitudes.

    It is one histogram with the Gaussian mechanism, sigma^2 = l2_squared / (2 rho). Values outside the grid
    are counted in its end cells. `law`: the accounting rule of the run.
    """

    ask: ClassVar[str] = "magnitudes"
    words: ClassVar[tuple[str, str]] = ("estimated range", "estimated ranges")

    kind: Kind
    law: Law = ZCDP

    def fits(self, terms: Terms, *, delta_units: int) -> bool:
        return self.l2_squared >= terms.l2_squared

    def facts(self) -> dict[str, Any]:
        return {
            "ask": self.ask,
            "clique": [self.column],
            "kind": self.kind.value,
            "l2_squared": self.l2_squared,
            **self.law.as_facts(),
        }

    def answer(self, table: PrivateTable, *, entropy: Entropy = OS_ENTROPY) -> bytes:
        """Return one count per cell of `magnitude_grid(kind)`, as little-endian int64."""
        counts = table.range_counts(self.column, self.kind, magnitude_grid(self.kind))
        noise = noise_of(self.law, self.variance, len(counts), entropy=entropy)
        return stored(counts + noise)


@lru_cache(maxsize=4)
def magnitude_grid(kind: Kind) -> tuple[float, ...]:
    """Return the edges of the public grid, in units of `Axis.edges`.

    For dates, the edges are every New Year from 1600 to 2400. For numbers, they are zero and +-2^e (1 + j/4)
    up to 1.75 * 2^52. Decimals start at 2^-20, and integers use only the whole numbers.
    """
    if kind is Kind.DATE:
        epoch = dt.date(1970, 1, 1).toordinal()
        return tuple(float(dt.date(year, 1, 1).toordinal() - epoch) for year in range(1600, 2401))
    steps = [2.0**e * (1 + j / 4) for e in range(-20, 53) for j in range(4)]
    if kind is Kind.INTEGER:
        steps = [s for s in steps if s >= 1 and s == int(s)]
    return (*(-s for s in reversed(steps)), 0.0, *steps)

"""The Gaussian tables of the MargNet paper, in which all pairs are equally correlated, and one table that is
twice as wide. All are drawn from a public seed.

x_i = sqrt(rho) g + sqrt(1 - rho) e_i with rho = 0.8. The paper states neither means nor variances, so mean 0
and variance 1 are used. The columns are declared as decimals from -4 to 4 in twenty bins, with values outside
clamped. A steward who knows that the columns are standardised would declare this.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from synth.core.schema import Column, Kind, Provenance, Schema, Unit

_SEED = 2025
_DIGITS = 6
REACH = 4.0
_BINS = 20


@dataclass(frozen=True, kw_only=True)
class Equicorrelated:
    """A Gaussian distribution with standardised columns, and the number of rows of its table."""

    rows: int
    columns: int
    correlation: float = 0.8
    bins: int = _BINS

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(f"x{i:02d}" for i in range(self.columns))

    def draw(self, rng: np.random.Generator) -> NDArray[np.float64]:
        """Return a new sample, rounded like the file. Shapes: float64[rows, columns]."""
        common = rng.standard_normal((self.rows, 1))
        own = rng.standard_normal((self.rows, self.columns))
        values = np.sqrt(self.correlation) * common + np.sqrt(1.0 - self.correlation) * own
        return np.asarray(values.round(_DIGITS), dtype=np.float64)

    def write(self, to: Path) -> None:
        """Write the public table of this distribution as a CSV file with a header."""
        rows, header = self.draw(np.random.default_rng([_SEED, self.columns])), ",".join(self.names)
        np.savetxt(to, rows, fmt=f"%.{_DIGITS}f", delimiter=",", header=header, comments="")

    def schema(self, name: str) -> Schema:
        """Return the declared schema of the table."""
        one = Column(
            name="x", kind=Kind.DECIMAL, min=-REACH, max=REACH, bins=self.bins, provenance=Provenance.STEWARD
        )
        columns = tuple(replace(one, name=name, blank=False) for name in self.names)
        return Schema(name=name, population=f"bench-{name}", unit=Unit(max_rows=1), columns=columns)


GAUSSIANS = {
    "gauss10": Equicorrelated(rows=16_000, columns=10),
    "gauss30": Equicorrelated(rows=80_000, columns=30),
    "gauss50": Equicorrelated(rows=160_000, columns=50),
    "gauss10-10-bins": Equicorrelated(rows=16_000, columns=10, bins=10),
    "gauss30-10-bins": Equicorrelated(rows=80_000, columns=30, bins=10),
    "gauss50-10-bins": Equicorrelated(rows=160_000, columns=50, bins=10),
    "gauss50-32-bins": Equicorrelated(rows=160_000, columns=50, bins=32),
    "gauss100": Equicorrelated(rows=160_000, columns=100),
}

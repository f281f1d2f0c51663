"""Questions that come before the mechanism: a tree over a range, a list of values, a range of magnitudes.

Each is a frozen description made of public facts, knows what it asks in JSON (`facts`, for the ledger) and
its price, and has one method that sees exact counts. That method returns bytes which are private to exactly
the stated degree, and is called only by the room, after the charge.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import json
import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from statistics import NormalDist
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from synth.axis import Axis
from synth.entropy import OS_ENTROPY, Entropy
from synth.measure.ledger.rules import GAUSSIAN
from synth.measure.noise import bernoulli_exp, discrete_gaussian, rounded_gaussian
from synth.measure.table import PrivateTable
from synth.schema import Kind

UNITS_PER_RHO = 10**12
LN2_ABOVE = Fraction(6931471805599454, 10**16)
"""A rational above ln 2 = 0.69314718055994530..."""

LONGEST_VALUE = 200
"""Texts longer than this, or with characters that do not print, never become a bought value."""


class Question(Protocol):
    """What the room needs to ask one of these."""

    @property
    def units(self) -> int:
        """The price, in 1e-12 rho."""
        ...

    def facts(self) -> dict[str, Any]:
        """What is asked, in JSON: the same facts at the same step are the same question."""
        ...

    def answer(self, table: PrivateTable, *, entropy: Entropy = OS_ENTROPY) -> bytes:
        """The private computation."""
        ...


@dataclass(frozen=True, kw_only=True)
class TreeQuestion:
    """PrivTree (Zhang, Xiao, Xie 2016, Alg. 2) with two children per node, on a public grid of cells.

    A node is an interval of cells, split in the middle until it is one cell. With depth i and count c its
    biased count is b = max(c - i * decay, -decay), and it is split if b + Laplace(scale) > 0. Only which
    nodes were split leaves; counts never do, and empty leaves stay.

    Units: `change` is the largest L1 change of a histogram between neighbours, in rows; `units` the price.

    Privacy. Let eps = 3 / scale, and let one row be added in a cell. Only the nodes v_0, .., v_h on the
    path to it change, those with a coin by b' - b between 0 and 1. Splits get likelier, non-splits rarer.
    For a non-split the ratio is at least exp(-1/scale). For splits, with f(x) = Pr[x + Laplace(scale) > 0],
    (ln f)'(x) is 1/scale for x < 0 and at most exp(-x/scale) / scale for x > 0, so the log ratios sum to at
    most the integral over u in [0, 1] of sum_i (ln f)'(x_i - u) [x_i - u > -decay], where x_i = c'_i - i
    decay. Counts do not grow on the way down, so for every u the points x_i - u lie at least `decay` apart:
    at most one is in (-decay, 0], worth 1/scale, and those above 0 sum to at most (1/scale) / (1 -
    exp(-decay/scale)) <= 2/scale, as decay >= scale ln 2. Together 3/scale, whatever the depth. A change of
    `change` rows is that many single ones: (change * 3 / scale)-DP, hence eps^2/2 in zCDP with scale = 3
    change / eps. Every coin is an exact one of rational parameters.

    Deviations: depth of the node, not a global count of splits; cells and depth are public; `scale` and
    `decay` are rationals rounded to the safe side.
    """

    axis: Axis
    change: int
    units: int

    @property
    def cells(self) -> int:
        return self.axis.cells

    @property
    def epsilon(self) -> Fraction:
        """A rational at most sqrt(2 rho)."""
        return Fraction(math.isqrt(2 * self.units * UNITS_PER_RHO), UNITS_PER_RHO)

    @property
    def scale(self) -> Fraction:
        return 3 * self.change / self.epsilon

    @property
    def decay(self) -> Fraction:
        return self.scale * LN2_ABOVE

    def facts(self) -> dict[str, Any]:
        grid = hashlib.sha256(repr(self.axis.edges).encode()).hexdigest()
        return {"ask": "tree", "clique": [self.axis.name], "grid": grid, "change": self.change}

    def answer(self, table: PrivateTable, *, entropy: Entropy = OS_ENTROPY) -> bytes:
        """The first cell of every leaf, in order, as JSON. Other and missing cells do not count."""
        counts = table.codes([self.axis]).counts([0])[: self.cells]
        return json.dumps(self.leaves(counts, entropy=entropy)).encode()

    def leaves(self, counts: NDArray[np.int64], *, entropy: Entropy = OS_ENTROPY) -> list[int]:
        """The first cell of every leaf. Shapes: `counts` int64[cells]."""
        before = [0, *np.cumsum(counts, dtype=np.int64).tolist()]
        starts: list[int] = []
        waiting = [(0, self.cells, 0)]
        while waiting:
            first, end, depth = waiting.pop()
            if end - first > 1 and self.splits(before[end] - before[first], depth, entropy=entropy):
                middle = (first + end) // 2
                waiting += [(middle, end, depth + 1), (first, middle, depth + 1)]
            else:
                starts.append(first)
        return starts

    def splits(self, count: int, depth: int, *, entropy: Entropy = OS_ENTROPY) -> bool:
        """The coin of one node: Pr[b + Laplace(scale) > 0] is exp(b/scale)/2, or 1 - exp(-b/scale)/2."""
        biased = max(count - depth * self.decay, -self.decay)
        beyond = bool(entropy.bytes(1)[0] & 1) and bernoulli_exp(abs(biased) / self.scale, entropy=entropy)
        return not beyond if biased > 0 else beyond


@dataclass(frozen=True, kw_only=True)
class ValuesQuestion:
    """The texts of a column that enough rows hold: noisy counts of observed texts against a threshold.

    Units: `rows` is the most rows of one unit (k), `l2_squared` the largest squared L2 change of a
    histogram between neighbours (k^2 for add/remove, 2 k^2 for replace-one), `delta` the chance of the bad
    event.

    Privacy: (delta, rho)-approximate zCDP, sigma^2 = l2_squared / (2 rho). On texts that both of two
    neighbours hold this is the Gaussian mechanism followed by a comparison. The texts that only one of them
    holds come from one unit: at most k, each held by at most k rows. Such a text appears if its noise
    reaches threshold - k; as Pr[Z >= m] <= Pr[N(0, sigma^2) >= m - 1] (Canonne, Kamath, Steinke 2020, Prop.
    25), with threshold >= k + 1 + sigma z and Pr[N(0,1) >= z] <= delta / k any of them appears with
    probability at most delta. Given that none does, the two outputs are rho-close. Counts are not released.
    """

    column: str
    rows: int
    l2_squared: int
    units: int
    delta: float

    @property
    def variance(self) -> Fraction:
        return Fraction(self.l2_squared * UNITS_PER_RHO, 2 * self.units)

    @property
    def threshold(self) -> int:
        """The noisy count from which a text appears."""
        each = self.delta / self.rows
        if not 0 < each < 0.5:
            raise ValueError("a bought list of values needs a delta between 0 and 1/2")
        z = -NormalDist().inv_cdf(each)
        while math.erfc(z / math.sqrt(2)) / 2 > each * (1 - 1e-9):
            z += 1e-6
        return self.rows + 1 + math.ceil(math.sqrt(self.variance) * z * (1 + 1e-12))

    def facts(self) -> dict[str, Any]:
        return {
            "ask": "values",
            "clique": [self.column],
            "rows": self.rows,
            "l2_squared": self.l2_squared,
            "delta": self.delta,
            "threshold": self.threshold,
        }

    def answer(self, table: PrivateTable, *, entropy: Entropy = OS_ENTROPY) -> bytes:
        """The texts above the threshold in alphabetical order, as JSON."""
        return json.dumps(self.listed(table.value_counts(self.column), entropy=entropy)).encode()

    def listed(self, counts: dict[str, int], *, entropy: Entropy = OS_ENTROPY) -> list[str]:
        """The texts whose noisy count reaches the threshold."""
        texts = sorted(t for t in counts if 0 < len(t) <= LONGEST_VALUE and t.isprintable())
        noise = discrete_gaussian(self.variance, len(texts), entropy=entropy)
        return [t for t, z in zip(texts, noise, strict=True) if counts[t] + int(z) >= self.threshold]


@dataclass(frozen=True, kw_only=True)
class MagnitudesQuestion:
    """How many values a range column has in every cell of a fixed public grid of magnitudes, with noise.

    One histogram by the Gaussian mechanism, sigma^2 = l2_squared / (2 rho); values beyond the grid count in
    its end cells. Units as in `ValuesQuestion`. `is_gaussian`: asked in a run of Gaussian answers only.
    """

    column: str
    kind: Kind
    l2_squared: int
    units: int
    is_gaussian: bool = False

    @property
    def variance(self) -> Fraction:
        return Fraction(self.l2_squared * UNITS_PER_RHO, 2 * self.units)

    def facts(self) -> dict[str, Any]:
        return {
            "ask": "magnitudes",
            "clique": [self.column],
            "kind": self.kind.value,
            "l2_squared": self.l2_squared,
            **({"law": GAUSSIAN} if self.is_gaussian else {}),
        }

    def answer(self, table: PrivateTable, *, entropy: Entropy = OS_ENTROPY) -> bytes:
        """int64 little endian, one count per cell of `magnitude_grid(kind)`."""
        counts = table.range_counts(self.column, self.kind, magnitude_grid(self.kind))
        draw = rounded_gaussian if self.is_gaussian else discrete_gaussian
        noise = draw(self.variance, len(counts), entropy=entropy)
        return bytes((counts + noise).astype("<i8").tobytes())


@lru_cache(maxsize=4)
def magnitude_grid(kind: Kind) -> tuple[float, ...]:
    """Edges of the public grid, in units of `Axis.edges`.

    Dates: every New Year from 1600 to 2400. Numbers: zero and +-2^e (1 + j/4), up to 2^52, from 2^-20 for
    decimals; for integers the whole ones among them.
    """
    if kind is Kind.DATE:
        epoch = dt.date(1970, 1, 1).toordinal()
        return tuple(float(dt.date(year, 1, 1).toordinal() - epoch) for year in range(1600, 2401))
    steps = [2.0**e * (1 + j / 4) for e in range(-20, 53) for j in range(4)]
    if kind is Kind.INTEGER:
        steps = [s for s in steps if s >= 1 and s == int(s)]
    return (*(-s for s in reversed(steps)), 0.0, *steps)

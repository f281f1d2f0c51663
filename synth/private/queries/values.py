"""List the strings that occur in enough rows of a column, before the mechanism runs."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any, ClassVar

from synth.core.accounting import ZCDP, Law, delta_of
from synth.private.entropy import OS_ENTROPY, Entropy
from synth.private.noise import noise_of
from synth.private.queries.base import ColumnQuery
from synth.private.table import PrivateTable
from synth.private.terms import Terms

LONGEST_VALUE = 200
"""Maximum length of a listed string. Longer strings, and strings with non-printing characters, are never
listed.
"""


@dataclass(frozen=True, kw_only=True)
class ValuesQuery(ColumnQuery):
    """The strings in a column that occur in enough rows, found by comparing noisy counts with a threshold.

    Units: `rows` is the maximum number of rows of one unit (k), and `delta` is the largest probability that a
    string of only one unit is listed.

    Privacy: rho in GDP or zCDP (`law`), up to delta, with sigma^2 = l2_squared / (2 rho). For strings that
    occur in both neighbouring tables, this is the Gaussian mechanism followed by a comparison. The strings
    that occur in only one of them come from one unit: at most k, each in at most k rows. Such a string is
    listed if its noise is at least threshold - k. Pr[Z >= m] <= Pr[N(0, sigma^2) >= m - 1] for both kinds of
    noise (Canonne, Kamath, Steinke 2020, Prop. 25). So with threshold >= k + 1 + sigma z and Pr[N(0,1) >= z]
    <= delta / k, any of these strings is listed with probability at most delta. If none of them is listed,
    the two outputs are rho-close. Counts are not released.
    """

    ask: ClassVar[str] = "values"
    words: ClassVar[tuple[str, str]] = ("estimated value list", "estimated value lists")

    rows: int
    delta: float
    law: Law = ZCDP

    @property
    def threshold(self) -> int:
        """Return the smallest noisy count at which a string is listed."""
        each = self.delta / self.rows
        if not 0 < each < 0.5:
            raise ValueError("an estimated value list needs a delta between 0 and 1/2")
        z = -NormalDist().inv_cdf(each)
        while math.erfc(z / math.sqrt(2)) / 2 > each * (1 - 1e-9):
            z += 1e-6
        return self.rows + 1 + math.ceil(math.sqrt(self.variance) * z * (1 + 1e-12))

    def fits(self, terms: Terms, *, delta_units: int) -> bool:
        is_noisy = self.rows >= terms.rows and self.l2_squared >= terms.l2_squared
        return is_noisy and self.delta <= delta_of(delta_units)

    def facts(self) -> dict[str, Any]:
        return {
            "ask": self.ask,
            "clique": [self.column],
            "rows": self.rows,
            "l2_squared": self.l2_squared,
            "delta": self.delta,
            "threshold": self.threshold,
            **self.law.as_facts(),
        }

    def answer(self, table: PrivateTable, *, entropy: Entropy = OS_ENTROPY) -> bytes:
        """Return the strings above the threshold in alphabetical order, as JSON."""
        return json.dumps(self.listed(table.value_counts(self.column), entropy=entropy)).encode()

    def listed(self, counts: dict[str, int], *, entropy: Entropy = OS_ENTROPY) -> list[str]:
        """Return the strings whose noisy count reaches the threshold."""
        texts = sorted(t for t in counts if 0 < len(t) <= LONGEST_VALUE and t.isprintable())
        noise = noise_of(self.law, self.variance, len(texts), entropy=entropy)
        return [t for t, z in zip(texts, noise, strict=True) if counts[t] + int(z) >= self.threshold]

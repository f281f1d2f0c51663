"""A budget line as it is told: its promise, its limits, what is left of them, and the raise that mends it."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

from synth.core.accounting import (
    GAUSSIAN,
    LINE_LAWS,
    LISTS,
    MIXED,
    UNITS_PER_DELTA,
    ZCDP,
    Law,
    Limit,
    Price,
    delta_of,
    exact,
    lifetime_delta,
    limit_for,
    line_law,
    lists_of,
)
from synth.core.errors import BudgetRefused, Mistake
from synth.core.schema import ProtectedChange
from synth.private.ledger.guarantees import Claim, check_covers, no_line

DEFAULT_LIFETIME = (10.0, 1e-9)
"""(epsilon, delta) offered as the lifetime limit of a population that has no line yet."""
USUAL_DELTA = DEFAULT_LIFETIME[1]


@dataclass(frozen=True, kw_only=True)
class Balance:
    """A budget line. `limits` is None while nobody has opened it; `reserved` is what open runs may yet ask.

    `law` is how its answers add up. `promise` is the (epsilon, delta) that the three limits follow from;
    `delta_limit`, what bought lists may use, comes on top of that delta. Lines in rho have no promise: they
    are read as zCDP at `USUAL_DELTA`. `protects` is None where nobody has said it yet (lines of older
    ledgers); `lapsed` are the claims that were given up by raising the limit after a query.
    """

    population: str
    limits: Limit | None = None
    reserved: int = 0
    spent: int = 0
    delta_limit: int = 0
    delta_reserved: int = 0
    delta_spent: int = 0
    law: Law = ZCDP
    promise: tuple[float, float] | None = None
    protects: ProtectedChange | None = None
    lapsed: tuple[Claim, ...] = ()

    @staticmethod
    def unopened(population: str) -> Balance:
        """A population that has no line."""
        return Balance(population=population)

    @staticmethod
    def opened(population: str, limits: Limit, protects: ProtectedChange | None = None) -> Balance:
        """A line that was opened with these limits and has no run yet."""
        return Balance(
            population=population,
            limits=limits,
            delta_limit=limits.delta_units,
            promise=limits.promise,
            protects=protects,
        )

    def check(self, release: ProtectedChange) -> None:
        """Raises: `Mistake` if a release cannot be charged: no line, or one about another change."""
        if self.limits is None:
            raise no_line(self.population)
        check_covers(self.population, self.protects, release)

    @property
    def limit(self) -> int | None:
        """The limit by the law that holds now."""
        return None if self.limits is None else self.limits.under(self.law)

    @property
    def committed(self) -> int:
        """What is spent or reserved."""
        return self.spent + self.reserved

    @property
    def is_committed(self) -> bool:
        """Whether anything is spent or reserved, in either currency."""
        return self.committed + self.delta_spent + self.delta_reserved > 0

    @property
    def left(self) -> int:
        """What a new run like the earlier ones may reserve."""
        return max(0, (self.limit or 0) - self.committed)

    @property
    def delta_left(self) -> int:
        """What a new run may reserve for bought lists."""
        return self.delta_limit - self.delta_reserved - self.delta_spent

    @property
    def lifetime(self) -> tuple[float, float]:
        """The (epsilon, delta) promised for all runs together, bought lists included."""
        if self.promise is not None:
            return self.promise[0], lifetime_delta(self.promise[1], self.delta_limit)
        most = self.limits.gaussian_units if self.limits else 0
        return self.claim(most), lifetime_delta(USUAL_DELTA, self.delta_limit)

    def law_with(self, law: Law) -> Law:
        """How the answers add up with a new run under a law: settled by what is committed when the first
        query is asked, as `rules` tells it."""
        if line_law(law) == GAUSSIAN:
            return self.law if self.committed else GAUSSIAN
        if self.law == GAUSSIAN:
            return MIXED if self.spent else ZCDP
        return self.law

    def limit_under(self, law: Law) -> int | None:
        """The limit with a new run under a law."""
        return None if self.limits is None else self.limits.under(self.law_with(law))

    def left_under(self, law: Law) -> int:
        """What a new run under a law may reserve."""
        return max(0, (self.limit_under(law) or 0) - self.committed)

    def facts(self) -> dict[str, Any]:
        """The line as plain JSON."""
        epsilon, delta = self.lifetime if self.limits else (None, None)
        return {
            "population": self.population,
            "lifetime_epsilon": epsilon,
            "lifetime_delta": delta,
            "law": self.law.name,
            "is_gaussian": self.law == GAUSSIAN,
            "limit": self.limit,
            "reserved": self.reserved,
            "spent": self.spent,
            "left": self.left,
            "gaussian_left": self.left_under(GAUSSIAN),
            "other_left": self.left_under(ZCDP),
            "delta_limit": self.delta_limit,
            "delta_reserved": self.delta_reserved,
            "delta_spent": self.delta_spent,
            "delta_left": self.delta_left,
            "protects": None if self.protects is None else asdict(self.protects),
            "lapsed": [asdict(claim) for claim in self.lapsed],
        }

    def claim(self, units: int) -> float:
        """The epsilon that these units amount to at this line's delta, by the law that holds for it."""
        return self._claim(self.law, units)

    def claim_of_run(self, units: int, law: Law) -> float:
        """The epsilon that a run amounts to by itself at this line's delta, whatever came before it."""
        return self._claim(law, units)

    def claim_with(self, price: Price) -> float:
        """The epsilon that everything committed amounts to with one more run, at this line's delta."""
        law = self.law_with(price.law)
        return self._claim(law, self.committed + price.units)

    def _claim(self, law: Law, units: int) -> float:
        if self.promise is None:
            return ZCDP.claim(units, USUAL_DELTA)
        return law.claim(units, self.promise[1])

    def raised(self, epsilon: float, delta: float | None = None) -> Limit:
        """The limits of this line under a higher lifetime promise; without `delta`, at the present one."""
        return limit_for(epsilon, self.lifetime[1] if delta is None else delta, delta_units=self.delta_limit)

    def cure(self, price: Price) -> tuple[float, float]:
        """The lifetime promise to which this line must be raised so that it covers such a run: epsilon
        rounded up to hundredths, delta to two digits."""
        epsilon, delta = self.lifetime
        lists = self.delta_reserved + self.delta_spent + price.delta_units
        if lists > self.delta_limit:
            delta = _rounded_up(lists / (LISTS * UNITS_PER_DELTA))
        rest = delta - delta_of(max(self.delta_limit, lists_of(delta)))
        needed = {law: self.limits.under(law) if self.limits else 0 for law in LINE_LAWS}
        law = self.law_with(price.law)
        needed[law] = max(needed[law], self.committed + price.units)
        least = max(epsilon, *(law.claim(units, rest) for law, units in needed.items()))
        hundredths = math.ceil(round(least * 100, 6))
        if any(law.units_of(hundredths / 100, rest) < units for law, units in needed.items()):
            hundredths += 1
        return hundredths / 100, delta

    def check_delta(self, law: Law, delta: float) -> None:
        """Raises: `Mistake` if answers under this law cannot keep a promise with so small a delta beside
        lists."""
        if delta < law.least_delta * (1 - LISTS) * (1 - 1e-9):
            raise Mistake(
                f"The lifetime delta {exact(delta)} of population {self.population!r} is too small: private "
                f"training needs at least {exact(law.least_delta)}. Set a larger delta or choose another "
                "method. No budget was spent."
            )

    def check_cover(self, price: Price) -> None:
        """Raises: `BudgetRefused`, with the raise that would mend it, if such a run does not fit."""
        self.check_delta(price.law, USUAL_DELTA if self.promise is None else self.promise[1])
        left = self.left_under(price.law)
        if price.units <= left and price.delta_units <= self.delta_left:
            return
        epsilon, delta = self.cure(price)
        advice = (
            f"Use a smaller budget, or raise the lifetime limit to epsilon {epsilon:g} at delta "
            f'{exact(delta)} with a reason (ledger raise "{self.population}" --epsilon {epsilon:g} --delta '
            f"{exact(delta)})."
        )
        if price.units > left:
            raise BudgetRefused(self.population, requested=price.units, left=left, advice=advice)
        raise BudgetRefused(
            self.population,
            requested=price.delta_units,
            left=self.delta_left,
            currency="delta",
            advice=f"Value lists estimated from the data use it. Declare the values. {advice}",
        )


def _rounded_up(value: float) -> float:
    """To two digits."""
    step = 10.0 ** (math.floor(math.log10(value)) - 1)
    return float(f"{math.ceil(round(value / step, 6)) * step:.2g}")

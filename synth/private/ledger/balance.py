"""Summarise a lifetime budget: its guarantee, its limits, what remains, and the increase that a run needs."""

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
    Odds,
    Price,
    delta_of,
    epsilon_for,
    exact,
    lifetime_delta,
    limit_for,
    line_law,
    lists_of,
    odds_at_limit,
    odds_of,
)
from synth.core.errors import BudgetRefused, Mistake
from synth.core.schema import ProtectedChange
from synth.private.ledger.guarantees import Claim, check_covers, no_line

DEFAULT_LIFETIME = (10.0, 1e-9)
"""The default lifetime limit (epsilon, delta) of a new population."""
USUAL_DELTA = DEFAULT_LIFETIME[1]


@dataclass(frozen=True, kw_only=True)
class Balance:
    """The lifetime budget of a population.

    `limits` is empty before the budget is opened; `reserved` is what open runs may still spend. `law` is the
    accounting rule of its queries. `promise` is the guarantee (epsilon, delta) from which the three limits
    follow; `delta_limit`, for value lists, is added to that delta. Limits in rho have no such guarantee. They
    are converted by zCDP at `USUAL_DELTA`. `protects` is None in older ledgers, which did not declare it.
    `lapsed` are the guarantees that ended when the limit was raised after a query.
    """

    population: str
    limits: Limit | None = None
    reserved: int = 0
    spent: int = 0
    delta_limit: int = 0
    delta_reserved: int = 0
    delta_spent: int = 0
    law: Law = GAUSSIAN
    promise: tuple[float, float] | None = None
    protects: ProtectedChange | None = None
    lapsed: tuple[Claim, ...] = ()

    @staticmethod
    def unopened(population: str) -> Balance:
        """Return a population without a lifetime budget."""
        return Balance(population=population)

    @staticmethod
    def opened(population: str, limits: Limit, protects: ProtectedChange | None = None) -> Balance:
        """Return a lifetime budget with these limits and no runs."""
        return Balance(
            population=population,
            limits=limits,
            delta_limit=limits.delta_units,
            promise=limits.promise,
            protects=protects,
        )

    def check(self, release: ProtectedChange) -> None:
        """Raise `Mistake` if a release cannot be charged.

        This happens if there is no lifetime budget, or if it has a different privacy unit.
        """
        if self.limits is None:
            raise no_line(self.population, release)
        check_covers(self.population, self.protects, release)

    def check_unused(self) -> None:
        """Raise `Mistake` if the population already has a release, so its people may not be new."""
        if self.is_committed:
            raise Mistake(
                f"Population {self.population!r} has a release already, so these people may not be new. Name "
                "another population for them. No budget was spent."
            )

    @property
    def limit(self) -> int | None:
        """Return the limit under the current accounting rule."""
        return None if self.limits is None else self.limits.under(self.law)

    @property
    def whole(self) -> int:
        """Return the units that all pages and documents call 100%: the limit without private training."""
        return 0 if self.limits is None else self.limits.gaussian_units

    @property
    def lost(self) -> int:
        """Return the part of 100% that cannot be used, because some queries are not covered by GDP."""
        return self.whole - (self.limit or 0)

    def share(self, units: int) -> float:
        """Return a cost as a share of the lifetime budget."""
        return units / (self.whole or 1)

    @property
    def committed(self) -> int:
        """Return the units that are spent or reserved."""
        return self.spent + self.reserved

    @property
    def is_committed(self) -> bool:
        """Whether any rho or delta is spent or reserved."""
        return self.committed + self.delta_spent + self.delta_reserved > 0

    @property
    def left(self) -> int:
        """Return the units that a new run may reserve if it is like the earlier runs."""
        return max(0, (self.limit or 0) - self.committed)

    @property
    def delta_left(self) -> int:
        """Return the delta units that a new run may reserve for value lists."""
        return self.delta_limit - self.delta_reserved - self.delta_spent

    @property
    def lifetime(self) -> tuple[float, float]:
        """Return the guarantee (epsilon, delta) for all runs together, including value lists."""
        if self.promise is not None:
            return self.promise[0], lifetime_delta(self.promise[1], self.delta_limit)
        most = self.limits.gaussian_units if self.limits else 0
        return self.claim(most), lifetime_delta(USUAL_DELTA, self.delta_limit)

    def law_with(self, law: Law) -> Law:
        """Return the accounting rule after a new run under `law`.

        It depends on what is committed when the first query is made (see `rules`).
        """
        if line_law(law) == GAUSSIAN:
            return self.law
        if self.law == GAUSSIAN:
            return MIXED if self.spent else ZCDP
        return self.law

    def limit_under(self, law: Law) -> int | None:
        """Return the limit after a new run under this accounting rule."""
        return None if self.limits is None else self.limits.under(self.law_with(law))

    def left_under(self, law: Law) -> int:
        """Return the units that a new run under this accounting rule may reserve."""
        return max(0, (self.limit_under(law) or 0) - self.committed)

    def facts(self) -> dict[str, Any]:
        """Return the lifetime budget as plain JSON."""
        epsilon, delta = self.lifetime if self.limits else (None, None)
        return {
            "population": self.population,
            "lifetime_epsilon": epsilon,
            "lifetime_delta": delta,
            "law": self.law.name,
            "is_gaussian": self.law == GAUSSIAN,
            "limit": self.limit,
            "whole": self.whole,
            "lost": self.lost,
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

    def claim(self, units: int, law: Law | None = None) -> float:
        """Return the epsilon of these units at this budget's delta.

        `law` is the accounting rule of a first run; the default is the budget's rule.
        """
        if self.promise is None:
            return ZCDP.claim(units, USUAL_DELTA)
        return (law or self.law).claim(units, self.promise[1])

    def odds(self, units: int, law: Law | None = None) -> Odds:
        """Return the odds of releases that cost these units. `law` is as in `claim`."""
        return odds_of(*self.lifetime, law=law or self.law, units=units)

    def lifetime_odds(self, law: Law | None = None) -> Odds:
        """Return the odds if the budget is used up. `law` is as in `claim`."""
        law = law or self.law
        units = 0 if self.limits is None else self.limits.under(law)
        if law != GAUSSIAN and units == self.whole:  # a limit in rho
            return odds_at_limit(*self.lifetime, law=MIXED, units=units)
        return odds_at_limit(*self.lifetime, law=law, units=units, gaussian_units=self.whole)

    def claim_with(self, price: Price) -> float:
        """Return the epsilon of everything committed plus one more run, at this budget's delta."""
        return self.claim(self.committed + price.units, self.law_with(price.law))

    def raised(self, epsilon: float, delta: float | None = None) -> Limit:
        """Return the limits under a higher lifetime guarantee; by default, delta is unchanged."""
        return limit_for(epsilon, self.lifetime[1] if delta is None else delta, delta_units=self.delta_limit)

    def cure(self, price: Price) -> tuple[float, float]:
        """Return the lifetime guarantee that would cover a run at this price.

        Epsilon is rounded up to hundredths, delta to two digits.
        """
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

    def largest_epsilon(self, law: Law, delta: float, *, releases: int = 1) -> float:
        """Return the largest epsilon at which this number of runs fits, rounded down to hundredths.

        `delta` is the delta of each run.
        """
        left = self.left_under(law) // releases
        hundredths = round(100 * epsilon_for(left, delta, law=law))
        if hundredths and limit_for(hundredths / 100, delta).under(law) > left:
            hundredths -= 1
        return hundredths / 100

    def amounts(self, price: Price, *, delta: float) -> str:
        """Return the epsilon of a run at this price, and the largest epsilon that fits, in words."""
        requested = epsilon_for(price.units, delta, law=price.law)
        return (
            f"epsilon {requested:.4g} was requested at delta {exact(delta)}, where at most epsilon "
            f"{self.largest_epsilon(price.law, delta):g} is left"
        )

    def check_delta(self, law: Law, delta: float) -> None:
        """Raise `Mistake` if this accounting rule is not valid at this delta.

        The part of delta for value lists is subtracted first.
        """
        if delta < law.least_delta * (1 - LISTS) * (1 - 1e-9):
            raise Mistake(
                f"The lifetime delta {exact(delta)} of population {self.population!r} is too small: private "
                f"training needs at least {exact(law.least_delta)}. Set a larger delta or choose another "
                "method. No budget was spent."
            )

    def check_cover(self, price: Price, *, delta: float | None = None) -> None:
        """Raise `BudgetRefused`, with the increase that is needed, if a run at this price does not fit.

        The message states epsilon at `delta`, which is by default the delta of this budget.
        """
        self.check_delta(price.law, USUAL_DELTA if self.promise is None else self.promise[1])
        left = self.left_under(price.law)
        if price.units <= left and price.delta_units <= self.delta_left:
            return
        asked, (epsilon, delta) = self.lifetime[1] if delta is None else delta, self.cure(price)
        advice = (
            f"Use a smaller epsilon, or raise the lifetime limit to epsilon {epsilon:g} at delta "
            f'{exact(delta)} (marginalia ledger raise "{self.population}" --epsilon {epsilon:g} --delta '
            f"{exact(delta)} --reason TEXT)."
        )
        if price.units > left:
            amounts = self.amounts(price, delta=asked)
            raise BudgetRefused(
                self.population, requested=price.units, left=left, amounts=amounts, advice=advice
            )
        raise BudgetRefused(
            self.population,
            requested=price.delta_units,
            left=self.delta_left,
            currency="delta",
            advice=f"Value lists estimated from the data use delta. Declare the values. {advice}",
        )


def _rounded_up(value: float) -> float:
    """Round up to two digits."""
    step = 10.0 ** (math.floor(math.log10(value)) - 1)
    return float(f"{math.ceil(round(value / step, 6)) * step:.2g}")

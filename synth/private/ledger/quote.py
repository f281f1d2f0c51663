"""Compare a planned run with its lifetime budget.

The pages, the command line and the worker show these figures and calculate none themselves.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Any

from synth.core.accounting import (
    GAUSSIAN,
    Law,
    Odds,
    Price,
    epsilon_for,
    exact,
    limit_for,
    odds_of,
    rho_of,
    units_of,
)
from synth.core.errors import BudgetRefused
from synth.private.ledger import Balance


def rho_of_guarantee(epsilon: float, delta: float, *, law: Law) -> float:
    """Return the rho that a run with this guarantee costs."""
    return rho_of(limit_for(epsilon, delta).under(law))


def epsilon_of_rho(rho: float, delta: float, *, law: Law) -> float:
    """Return the epsilon, at this delta, of a run that costs this rho."""
    return epsilon_for(units_of(rho), delta, law=law)


@dataclass(frozen=True, kw_only=True)
class OddsOf:
    """The odds of a release alone, of all releases of its population so far with it, and of all releases if
    the lifetime budget is used up.

    The odds so far are information: the guarantee for several releases is that of the limit, which was fixed
    in advance. If `is_gdp`, the odds at the limit hold as long as no run trains privately.
    """

    alone: Odds
    together: Odds
    limit: Odds
    is_gdp: bool


@dataclass(frozen=True, kw_only=True)
class Quote:
    """A run that has not started, with the lifetime budget of its population.

    Costs are in units of 1e-12 rho and 1e-18 delta.

    The run itself has the guarantee (`epsilon`, `delta`). `line` is the current budget, or the budget that
    the run would open (`opens`). All shares are relative to `Balance.whole`, as everywhere.
    """

    epsilon: float
    delta: float
    price: Price
    line: Balance
    opens: bool

    @property
    def limit(self) -> int:
        """Return the current limit, or the limit for this run if it is the first."""
        return (self.line.limit if self.line.committed else self.limit_after) or 0

    @property
    def limit_after(self) -> int:
        """Return the limit after this run is reserved, which is lower if its queries are the first of another
        kind.
        """
        return self.line.limit_under(self.price.law) or 0

    @property
    def left(self) -> int:
        """Return the remaining budget for this run."""
        return self.line.left_under(self.price.law)

    @property
    def left_after(self) -> int:
        """Return the remaining budget after this run, or 0 if the run does not fit."""
        return max(0, self.left - self.price.units)

    @property
    def covers(self) -> bool:
        """Whether the budget covers this run, both in rho and in delta for value lists."""
        return self.price.units <= self.left and self.price.delta_units <= self.line.delta_left

    @property
    def room(self) -> int:
        """Return how many further runs like this one the budget covers afterwards, in rho and in delta."""
        more = self.left_after // self.price.units
        if self.price.delta_units:
            more = min(more, (self.line.delta_left - self.price.delta_units) // self.price.delta_units)
        return max(0, more)

    @property
    def share(self) -> float:
        """Return the cost of this run as a share of the lifetime budget."""
        return self.line.share(self.price.units)

    @property
    def share_left(self) -> float:
        """Return the share of the lifetime budget that this run may reserve."""
        return self.line.share(self.left)

    @property
    def share_after(self) -> float:
        """Return the share of the lifetime budget that remains after this run."""
        return self.line.share(self.left_after)

    @property
    def usual(self) -> Quote:
        """Return the same guarantee by a method without private training."""
        units = limit_for(self.epsilon, self.delta).under(GAUSSIAN)
        return replace(self, price=replace(self.price, units=units, law=GAUSSIAN))

    @property
    def lost(self) -> float:
        """Return the share of the lifetime budget that this run makes unusable, because it trains
        privately.
        """
        return self.line.share(max(0, self.line.whole - self.limit_after - self.line.lost))

    @property
    def odds(self) -> OddsOf:
        """Return the odds of this run, of all releases with it, and at the lifetime limit."""
        law = self.line.law_with(self.price.law)
        return OddsOf(
            alone=odds_of(self.epsilon, self.delta, law=self.price.law, units=self.price.units),
            together=self.line.odds(self.line.committed + self.price.units, law),
            limit=self.line.lifetime_odds(law),
            is_gdp=law == GAUSSIAN,
        )

    @property
    def claim(self) -> float:
        """Return the epsilon of this run at the lifetime budget's delta, which may differ from the run's
        delta.
        """
        return self.line.claim(self.price.units, self.price.law)

    @property
    def claim_after(self) -> float:
        """Return the epsilon of all releases including this run, at the lifetime budget's delta."""
        return self.line.claim_with(self.price)

    @property
    def exceeds_delta(self) -> bool:
        """Whether the delta of the run is larger than the lifetime delta."""
        return self.delta > self.line.lifetime[1] * (1 + 1e-9)

    @property
    def largest_epsilon(self) -> float:
        """Return the largest epsilon at this run's delta that still fits, rounded down to hundredths."""
        return self.epsilon_each(1)

    def epsilon_each(self, releases: int) -> float:
        """Return the largest epsilon, at this run's delta, at which this number of runs fits.

        It is rounded down to hundredths.
        """
        return self.line.largest_epsilon(self.price.law, self.delta, releases=releases)

    def before(self) -> dict[str, float]:
        """Return the shares of the lifetime budget without this run, which add up to one."""
        line = self.line
        parts = {"spent": line.spent, "reserved": line.reserved, "given up": line.lost}
        return self._shares(parts | {"left": line.whole - line.lost - line.committed})

    def after(self) -> dict[str, float]:
        """Return the shares of the lifetime budget with this run, which add up to more than one if it does
        not fit.

        `given up` is the part that cannot be used once a run trains privately.
        """
        parts = {"spent": self.line.spent, "reserved": self.line.reserved, "this run": self.price.units}
        lost = self.line.whole - self.limit_after
        return self._shares(parts | {"given up": lost, "left": self.left_after})

    def _shares(self, parts: dict[str, int]) -> dict[str, float]:
        always = ("this run", "left")
        return {name: self.line.share(units) for name, units in parts.items() if units or name in always}

    def cure(self) -> tuple[float, float]:
        """Return the lifetime (epsilon, delta) with which the budget would cover this run."""
        return self.line.cure(self.price)

    def check(self) -> None:
        """Raise `BudgetRefused`, with the increase that is needed, if the budget does not cover this run."""
        if not self.opens:
            self.line.check_cover(self.price, delta=self.delta)
        elif not self.covers:
            epsilon, delta = self.cure()
            needed, left = self.price.units, self.left
            amounts = self.line.amounts(self.price, delta=self.delta)
            advice = (
                "Use a smaller epsilon, or open the lifetime budget with a higher limit: "
                f"epsilon {epsilon:g} at delta {exact(delta)}."
            )
            raise BudgetRefused(
                self.line.population, requested=needed, left=left, amounts=amounts, advice=advice
            )

    def facts(self) -> dict[str, Any]:
        """Return the quote as plain JSON."""
        epsilon, delta = self.line.lifetime
        return {
            "population": self.line.population,
            "opens": self.opens,
            "lifetime_epsilon": epsilon,
            "lifetime_delta": delta,
            "units": self.price.units,
            "limit": self.limit,
            "limit_after": self.limit_after,
            "left": self.left,
            "left_after": self.left_after,
            "delta_units": self.price.delta_units,
            "delta_left": self.line.delta_left,
            "share": self.share,
            "share_left": self.share_left,
            "share_after": self.share_after,
            "lost": self.lost,
            "odds": asdict(self.odds),
            "claim": self.claim,
            "room": self.room,
        }

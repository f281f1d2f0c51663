"""Conversions between rho, (epsilon, delta) and ledger units, each rounded to the safe side.

zCDP to approximate DP is the tight-for-Renyi bound of Canonne, Kamath, Steinke (2020), Corollary 13: rho-zCDP
implies (epsilon, delta)-DP with

    delta = inf_{a > 1} exp((a - 1)(a rho - epsilon)) / (a - 1) * (1 - 1/a)^a.

Every a > 1 gives a valid delta, so an inexact search for the best one is safe. `MARGIN` covers rounding.

Answers that are all Gaussian need no such bound. Gaussian answers of sensitivity c_i and noise sigma_i, each
asked after seeing the earlier ones, with mu^2 = sum of c_i^2 / sigma_i^2 kept below a limit fixed beforehand,
are together mu-GDP (Smith and Thakurta 2022; Koskela, Tobaben, Honkela 2022), and for that the curve of Balle
and Wang (2018), Theorem 8, is exact. mu^2 / 2 is the sum of their rho as well: one currency, two readings.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from synth.errors import Mistake

UNITS_PER_RHO = 10**12
UNITS_PER_DELTA = 10**18
MARGIN = 1e-11  # relative, on delta
ROUNDING = 1e-12  # relative, on a normal tail computed in floats; generous by a factor of ten
COARSE = 1e-323  # what a normal tail below 1e-308 may be too large by: two steps of such floats
HALVINGS = 120
SET_ASIDE = 0.01
"""The part of delta that a line of Gaussian answers sets aside for the day it takes others (`Limit`)."""
LISTS = 0.01
"""The part of a promised delta that is kept for the thresholds of bought value lists (`limit_for`)."""


def rho_of(units: int) -> float:
    """Ledger units as rho."""
    return units / UNITS_PER_RHO


def units_of(rho: float) -> int:
    """The largest number of units that rho covers, forgiving the last few float digits of rho.

    >>> units_of(0.1 + 0.2), units_of(0.3), units_of(1.9e-12)
    (300000000000, 300000000000, 1)
    """
    if not (math.isfinite(rho) and rho >= 0):
        raise ValueError("rho is a finite number, 0 or more")
    units = rho * UNITS_PER_RHO
    nearest = round(units)
    return nearest if abs(units - nearest) <= 8 * math.ulp(units) else math.floor(units)


def delta_from(rho: float, epsilon: float) -> float:
    """The delta of rho-zCDP at this epsilon, rounded up, at most 1."""
    if rho <= 0:
        return 0.0
    low, high = 1e-12, (epsilon + 1) / (2 * rho) + 2  # of a - 1; the exponent's slope is negative, positive
    for _ in range(HALVINGS):
        b = math.sqrt(low * high) if high > 4 * low else (low + high) / 2
        if (2 * b + 1) * rho - epsilon + math.log(b / (1 + b)) < 0:
            low = b
        else:
            high = b
    log_delta = high * ((high + 1) * rho - epsilon) - math.log(high) - (high + 1) * math.log1p(1 / high)
    return min(1.0, math.exp(min(0.0, log_delta)) * (1 + MARGIN))


@lru_cache(maxsize=256)
def rho_from(epsilon: float, delta: float) -> float:
    """The largest rho that gives (epsilon, delta)-DP, rounded down. Raises: `Mistake` for impossible ones."""
    _check_promise(epsilon, delta)
    low, high = 0.0, epsilon + 1
    while delta_from(high, epsilon) <= delta:
        low, high = high, 2 * high
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        if delta_from(middle, epsilon) <= delta:
            low = middle
        else:
            high = middle
    return low * (1 - 1e-14)  # more than the float dust that `units_of` forgives


@lru_cache(maxsize=256)
def epsilon_from(rho: float, delta: float) -> float:
    """The smallest epsilon of rho-zCDP at this delta, rounded up; 0 for rho 0."""
    if not (math.isfinite(rho) and rho >= 0):
        raise Mistake(f"Rho is a finite number, 0 or more, not {rho!r}.")
    _check_promise(1.0, delta)
    low, high = 0.0, rho + 2 * math.sqrt(rho * math.log(1 / delta))
    if delta_from(rho, low) <= delta:
        return low
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        if delta_from(rho, middle) <= delta:
            high = middle
        else:
            low = middle
    return high


def analytic_gaussian_sigma(epsilon: float, delta: float) -> float:
    """The smallest sigma, rounded up, that makes a Gaussian release of L2 sensitivity 1 (epsilon, delta)-DP.

    Balle and Wang (2018), Theorem 8: Phi(1/(2 sigma) - epsilon sigma) - e^epsilon Phi(-1/(2 sigma) -
    epsilon sigma) <= delta.
    """
    _check_promise(epsilon, delta)
    low, high = 0.0, 1.0
    while gaussian_delta_from(high, epsilon) > delta:
        low, high = high, 2 * high
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        if middle == 0 or gaussian_delta_from(middle, epsilon) > delta:
            low = middle
        else:
            high = middle
    return high


def gaussian_delta_from(sigma: float, epsilon: float) -> float:
    """The delta of a Gaussian release of L2 sensitivity 1 at this epsilon, rounded up (from 1e-290 on)."""
    near = math.erfc((epsilon * sigma - 0.5 / sigma) / math.sqrt(2)) / 2
    far = math.erfc((epsilon * sigma + 0.5 / sigma) / math.sqrt(2)) / 2 - COARSE
    scaled = math.exp(epsilon + math.log(far)) if far > 0 else 0.0
    return near * (1 + ROUNDING) - scaled * (1 - ROUNDING)


def gaussian_rho_from(epsilon: float, delta: float) -> float:
    """The largest mu^2 / 2 whose GDP gives (epsilon, delta)-DP, rounded down. Raises: as `rho_from`."""
    return 0.5 / analytic_gaussian_sigma(epsilon, delta) ** 2 * (1 - 1e-14)


@lru_cache(maxsize=256)
def gaussian_epsilon_from(rho: float, delta: float) -> float:
    """The smallest epsilon of GDP with mu^2 / 2 = rho at this delta, rounded up; 0 for rho 0."""
    low, high = 0.0, epsilon_from(rho, delta)
    if rho == 0 or gaussian_delta_from(math.sqrt(0.5 / rho), low) <= delta:
        return low
    sigma = math.sqrt(0.5 / rho)
    while gaussian_delta_from(sigma, high) > delta:
        high *= 2
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        if gaussian_delta_from(sigma, middle) <= delta:
            high = middle
        else:
            low = middle
    return high


def claim_of(units: int, delta: float, *, is_gaussian: bool) -> float:
    """The epsilon that units amount to at a delta; `is_gaussian` if all of them bought Gaussian answers."""
    convert = gaussian_epsilon_from if is_gaussian else epsilon_from
    return convert(rho_of(units), delta)


class Law(StrEnum):
    """By which of its three bounds the answers of a budget line add up (`Limit`)."""

    ZCDP = "zcdp"
    GAUSSIAN = "gaussian"
    MIXED = "mixed"

    def units_of(self, epsilon: float, delta: float) -> int:
        """The most units within epsilon at the delta that the three bounds share."""
        convert = gaussian_rho_from if self is Law.GAUSSIAN else rho_from
        return units_of(convert(epsilon, self._part(delta)))

    def claim(self, units: int, delta: float) -> float:
        """The epsilon that these units amount to at that delta: `units_of` backwards."""
        return claim_of(units, self._part(delta), is_gaussian=self is Law.GAUSSIAN)

    def _part(self, delta: float) -> float:
        return delta * {Law.ZCDP: 1.0, Law.GAUSSIAN: 1 - SET_ASIDE, Law.MIXED: SET_ASIDE}[self]


DEFAULT_DELTA_UNITS = 10**9
"""What bought lists may use of a line whose limit is given in rho: delta 1e-9."""


@dataclass(frozen=True, kw_only=True)
class Limit:
    """How many units a budget line may commit within its promise.

    `units` if something else than a Gaussian answer may come first (zCDP), `gaussian_units` as long as all
    answers are Gaussian (exact), `mixed_units` if they were at first and then another kind is asked (zCDP).
    `promise` is the (epsilon, delta) these three follow from, None for a limit in rho. Bought value lists may
    use `delta_units` (1e-18) beside it: the lifetime delta is the sum of the two.

    Why the third. Which of two bounds applies is chosen with answers at hand, and the larger of two bounds is
    not a bound. Let A be the event that all answers are Gaussian, B its complement. A run that is stopped
    before its first other answer is mu-GDP, one that is stopped at `mixed_units` is zCDP; so for every set of
    outputs P(S) = P(S and A) + P(S and B) <= e^epsilon Q(S) + delta_A + delta_B, and the two deltas must
    share the one of the promise: delta_A = (1 - SET_ASIDE) delta, delta_B = SET_ASIDE delta. Where the kind
    of the first answer is settled before any answer, no share is needed: `units` has all of delta.

    Why the sum. A list is (its own delta, rho)-approximate zCDP (Bun and Steinke 2016, section 8). While the
    rho and the deltas of adaptive answers each stay within a limit fixed beforehand, both add up (Whitehouse,
    Ramdas, Rogers, Wu 2023). So lists add at most `delta_units` to delta, or to delta_B: they are no Gaussian
    answers.
    """

    units: int
    gaussian_units: int
    mixed_units: int
    promise: tuple[float, float] | None = None
    delta_units: int = DEFAULT_DELTA_UNITS

    def __post_init__(self) -> None:
        if not 0 < self.mixed_units <= self.units <= self.gaussian_units:
            raise ValueError("a line has more for Gaussian answers than for others, and least for a change")

    def of(self, *, is_gaussian: bool) -> int:
        """The limit for the first run, if it is of this kind."""
        return self.gaussian_units if is_gaussian else self.units

    def under(self, law: Law) -> int:
        """The limit while the answers add up by this law."""
        return {Law.ZCDP: self.units, Law.GAUSSIAN: self.gaussian_units, Law.MIXED: self.mixed_units}[law]

    @staticmethod
    def plain(units: int) -> Limit:
        """The same limit whatever is asked: a limit in rho that no promise stands behind."""
        return Limit(units=units, gaussian_units=units, mixed_units=units)


@dataclass(frozen=True, kw_only=True)
class Price:
    """What a run reserves, in 1e-12 rho and, for the thresholds of bought value lists, 1e-18 of delta;
    `is_gaussian` if it asks for Gaussian answers only."""

    units: int
    delta_units: int
    is_gaussian: bool


def limit_for(epsilon: float, delta: float, *, delta_units: int = 0) -> Limit:
    """The limit of a line with this lifetime promise, or of a run; `delta` covers bought lists as well.

    They may use `LISTS` of it, or `delta_units` if that is more. Raises: `Mistake` for impossible ones.

    >>> limit = limit_for(1.0, 1e-9)
    >>> limit.units, limit.gaussian_units > 1.08 * limit.units, limit.delta_units
    (14964550268, True, 10000000)
    """
    _check_promise(epsilon, delta)
    lists = max(delta_units, lists_of(delta))
    rest = delta - lists / UNITS_PER_DELTA
    if rest <= 0:
        raise Mistake(
            f"Delta {delta:g} is not above what bought value lists may use already, "
            f"{lists / UNITS_PER_DELTA:g}. Give a larger one."
        )
    return limit_beside_lists(epsilon, rest, delta_units=lists)


def epsilon_for(units: int, delta: float, *, is_gaussian: bool) -> float:
    """The epsilon of a run of a kind that costs these units at its own delta: `limit_for` backwards."""
    law = Law.GAUSSIAN if is_gaussian else Law.ZCDP
    return law.claim(units, delta - lists_of(delta) / UNITS_PER_DELTA)


@lru_cache(maxsize=256)
def limit_beside_lists(epsilon: float, delta: float, *, delta_units: int) -> Limit:
    """The limit with this epsilon and delta, and `delta_units` for lists on top of that delta."""
    gaussian = Law.GAUSSIAN.units_of(epsilon, delta)
    units = min(Law.ZCDP.units_of(epsilon, delta), gaussian)
    mixed = min(Law.MIXED.units_of(epsilon, delta), units)
    if not mixed:
        raise Mistake(f"Epsilon {epsilon!r} is too small to be counted in the ledger. Try 0.01.")
    return Limit(
        units=units,
        gaussian_units=gaussian,
        mixed_units=mixed,
        promise=(epsilon, delta),
        delta_units=delta_units,
    )


def lists_of(delta: float) -> int:
    """What bought lists may use of a promised delta, in 1e-18, forgiving the last float digits of delta.

    >>> lists_of(1e-9), lists_of(1e-11), lists_of(1e-17)
    (10000000, 100000, 0)
    """
    return math.floor(delta * LISTS * UNITS_PER_DELTA * (1 + 1e-12))


def lifetime_delta(delta: float, delta_units: int) -> float:
    """The delta that is promised: the one of the three bounds and that of the lists together."""
    return float(f"{delta + delta_units / UNITS_PER_DELTA:.12g}")


def attack_ceiling(epsilon: float, delta: float, *, false_alarms: float = 0.05) -> tuple[float, float]:
    """What the promise leaves to an attacker who knows all records but one: two ceilings, as shares of 1.

    First the chance that a guess is right that was even before, (e^epsilon + delta) / (1 + e^epsilon);
    without delta this is also the highest posterior. Second the share of members caught when at most
    `false_alarms` of the others are accused, min(e^epsilon f + delta, 1 - e^-epsilon (1 - delta - f))
    (Kairouz, Oh, Viswanath 2015, Theorem 2.1; Dong, Roth, Su 2022, equation 5).
    """
    _check_promise(epsilon, delta, lowest=0.0)
    guess = (1 + delta * math.exp(-epsilon)) / (1 + math.exp(-epsilon))
    caught = 1 - math.exp(-epsilon) * max(0.0, 1 - delta - false_alarms)
    if epsilon < 700:
        caught = min(caught, math.exp(epsilon) * false_alarms + delta)
    return min(1.0, guess), min(1.0, caught)


def _check_promise(epsilon: float, delta: float, *, lowest: float = math.ulp(0.0)) -> None:
    if not (math.isfinite(epsilon) and epsilon >= lowest):
        raise Mistake(f"Epsilon is a positive number, not {epsilon!r}. Try 1.")
    if not (lowest <= delta < 1):
        raise Mistake(f"Delta is a number above 0 and below 1, not {delta!r}. Try 1e-9.")

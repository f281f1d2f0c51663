"""Convert the numbers of a guarantee: (epsilon, delta), the ledger's units, and the part for value lists."""

from __future__ import annotations

import math
from statistics import NormalDist

from synth.core.errors import Mistake

UNITS_PER_RHO = 10**12
UNITS_PER_DELTA = 10**18
RHO_PER_UNIT = 1e-12
"""The value of a unit in rho. It is used only for mu, which statements show with all digits; `rho_of`
divides.
"""

SET_ASIDE = 0.01
"""Share of delta that runs under GDP reserve for later runs with private training (`Limit`)."""
LISTS = 0.01
"""Share of delta that is reserved for the thresholds of value lists (`limit.limit_for`)."""
USUAL_DELTA = 1e-9
"""Default delta of a release and of a lifetime budget."""
LARGEST_DELTA = 1e-3
"""Largest delta of a new release or a new lifetime budget.

Delta must be far below 1 divided by the number of rows. This number is private, so the limit does not depend
on it.
"""


def check_new_delta(delta: float) -> None:
    """Raise `Mistake` if delta is too large for a new release or limit. Earlier limits may have any delta."""
    if delta > LARGEST_DELTA:
        raise Mistake(
            f"Delta is at most {LARGEST_DELTA:g} (you gave {delta:g}): the guarantee allows a method to "
            "publish a whole record with probability delta. 1e-9 is a usual value."
        )


def usual_delta(rows: int | None) -> float:
    """Return the delta for a table of about this many rows: 1e-9, or a tenth of 1 / rows if this is smaller.

    >>> usual_delta(None), usual_delta(10**6), usual_delta(10**9)
    (1e-09, 1e-09, 1e-10)
    """
    return min(USUAL_DELTA, 0.1 / max(rows or 1, 1))


def rho_of(units: int) -> float:
    """Convert ledger units to rho."""
    return units / UNITS_PER_RHO


def units_of(rho: float) -> int:
    """Return the largest number of units that rho covers, ignoring the last few float digits of rho.

    >>> units_of(0.1 + 0.2), units_of(0.3), units_of(1.9e-12)
    (300000000000, 300000000000, 1)
    """
    if not (math.isfinite(rho) and rho >= 0):
        raise ValueError("rho is a finite number, 0 or more")
    units = rho * UNITS_PER_RHO
    nearest = round(units)
    return nearest if abs(units - nearest) <= 8 * math.ulp(units) else math.floor(units)


def delta_of(units: int) -> float:
    """Convert ledger units to delta."""
    return units / UNITS_PER_DELTA


def lists_of(delta: float) -> int:
    """Return the part of delta that value lists may use, in units of 1e-18, ignoring the last float digits.

    >>> lists_of(1e-9), lists_of(1e-11), lists_of(1e-17)
    (10000000, 100000, 0)
    """
    return math.floor(delta * LISTS * UNITS_PER_DELTA * (1 + 1e-12))


def lifetime_delta(delta: float, delta_units: int) -> float:
    """Return the lifetime delta: the delta shared by the three limits plus the delta of value lists."""
    return float(f"{delta + delta_of(delta_units):.12g}")


def attack_ceiling(
    epsilon: float, delta: float, *, mu: float | None = None, false_alarms: float = 0.05
) -> tuple[float, float]:
    """Return two upper limits, as numbers from 0 to 1, for an attacker who knows all other records.

    The first is the probability that a guess with prior probability 1/2 is right, (e^epsilon + delta) / (1 +
    e^epsilon). Without delta, this is also the highest posterior. The second is the share of members that the
    attacker detects if at most a share f (`false_alarms`) of the non-members is accused. It is min(e^epsilon
    f + delta, 1-e^-epsilon (1-delta-f)) (Kairouz, Oh, Viswanath 2015, Theorem 2.1; Dong, Roth, Su 2022,
    equation 5).

    If the release is also mu-GDP, the limits are at most Phi(mu / 2) and Phi(Phi^-1(f) + mu), by the
    trade-off between the normals N(0, 1) and N(mu, 1) (Dong, Roth, Su 2022, equation 6).
    """
    check_guarantee(epsilon, delta, lowest=0.0)
    guess = (1 + delta * math.exp(-epsilon)) / (1 + math.exp(-epsilon))
    caught = 1 - math.exp(-epsilon) * max(0.0, 1 - delta - false_alarms)
    if epsilon < 700:
        caught = min(caught, math.exp(epsilon) * false_alarms + delta)
    if mu is not None and 0 < false_alarms < 1:
        normal = NormalDist()
        guess = min(guess, normal.cdf(mu / 2))
        caught = min(caught, normal.cdf(normal.inv_cdf(false_alarms) + mu))
    return min(1.0, guess), min(1.0, caught)


def check_guarantee(epsilon: float, delta: float, *, lowest: float = math.ulp(0.0)) -> None:
    """Check that epsilon and delta are valid in a guarantee. Raises: `Mistake` if they are not."""
    if not (math.isfinite(epsilon) and epsilon >= lowest):
        raise Mistake(f"Epsilon must be a positive number, not {epsilon!r}. Try 1.")
    if not (lowest <= delta < 1):
        raise Mistake(f"Delta must be above 0 and below 1, not {delta!r}. Try 1e-9.")

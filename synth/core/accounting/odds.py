"""Convert a guarantee to odds: what an attacker who knows all other records can gain at most.

The odds of GDP follow from its mu. For zCDP and RDP of sampled sums, they follow from rho, which gives a
delta for every epsilon. All are worst-case limits.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

from synth.core.accounting.gaussian import GAUSSIAN
from synth.core.accounting.guarantee import attack_ceiling
from synth.core.accounting.law import Law, narrowed
from synth.core.accounting.limit import limit_for
from synth.core.accounting.zcdp import MIXED, delta_from
from synth.core.errors import Mistake

FALSE_ALARMS = 0.05
"""Share of non-members that an attacker wrongly accuses, at which detected members are stated."""
STEPS = 400
"""Number of epsilons at which rho is converted to find the lowest odds."""
SMALLEST, LARGEST = 0.01, 20.0
"""The smallest and largest epsilon of a release."""


@dataclass(frozen=True, kw_only=True)
class Odds:
    """Upper limits, as numbers from 0 to 1: the probability that a guess with prior probability 1/2 is right,
    and the share of members that are detected at `FALSE_ALARMS`.
    """

    guess: float
    caught: float


@lru_cache(maxsize=1024)
def odds_of(epsilon: float, delta: float, *, law: Law, units: int) -> Odds:
    """Return the odds of queries that cost these units under this law, and together are (epsilon, delta)-DP.

    By Pinsker's inequality, the total variation of rho-zCDP is at most sqrt(rho / 2), because its
    Kullback-Leibler divergence is at most rho. This also holds for RDP at all orders near 1.
    """
    mu = law.mu(units)
    guess, caught = attack_ceiling(epsilon, delta, mu=mu, false_alarms=FALSE_ALARMS)
    if mu is None and epsilon:
        rho = units * 1e-12 * (1 + 1e-12)
        apart = math.sqrt(rho / 2)
        guess, caught = min(guess, (1 + apart) / 2), min(caught, FALSE_ALARMS + apart)
        for step in range(STEPS):
            lower = epsilon * step / STEPS
            one = attack_ceiling(lower, min(delta_from(rho, lower), 1 - 1e-16), false_alarms=FALSE_ALARMS)
            guess, caught = min(guess, one[0]), min(caught, one[1])
    return Odds(guess=guess, caught=caught)


def odds_at_limit(
    epsilon: float, delta: float, *, law: Law, units: int, gaussian_units: int | None = None
) -> Odds:
    """Return the odds if a lifetime budget with this guarantee is used up to its limit `units` under `law`.

    If GDP queries came first and another kind followed (`MIXED`), results decided which of two limits applies
    (`limit.Limit`). Let A be the event that all queries are covered by GDP, with the limit `gaussian_units`.
    A set S of outputs has P(S) - Q(S) <= P(S and A) - Q(S and A) + P(S and B) - Q(S and B), so the advantages
    of the two cases add up. Without `gaussian_units`, the odds follow from epsilon and delta.
    """
    if law != MIXED:
        return odds_of(epsilon, delta, law=law, units=units)
    guess, caught = attack_ceiling(epsilon, delta, false_alarms=FALSE_ALARMS)
    if gaussian_units is not None:
        covered = odds_of(epsilon, delta, law=GAUSSIAN, units=gaussian_units)
        other = odds_of(epsilon, delta, law=MIXED, units=units)
        guess = min(guess, covered.guess + other.guess - 0.5 + delta)
        caught = min(caught, covered.caught + other.caught + delta)
    return Odds(guess=guess, caught=caught)


@lru_cache(maxsize=256)
def epsilon_for_odds(
    delta: float, *, law: Law, guess: float | None = None, caught: float | None = None
) -> float:
    """Return the largest epsilon of a run at this delta with at most these odds, rounded down to 4 decimals.

    Raises: `Mistake` for odds that no release can have, and for odds that the smallest epsilon exceeds.
    """
    if guess is not None and not 0.5 < guess < 1:
        raise Mistake(
            f"Right guesses must be above 50 and below 100 in 100 (you gave {100 * guess:g}): without any "
            "release, a guess is right 50 times in 100. Try 55."
        )
    if caught is not None and not FALSE_ALARMS < caught < 1:
        raise Mistake(
            f"Detected members must be above {100 * FALSE_ALARMS:g} and below 100 in 100 (you gave "
            f"{100 * caught:g}): an attacker who accuses {100 * FALSE_ALARMS:g} in 100 people at random "
            "detects as many members. Try 7."
        )

    def exceeds(epsilon: float) -> bool:
        odds = odds_of(epsilon, delta, law=law, units=limit_for(epsilon, delta).under(law))
        return odds.guess > (guess or 1.0) or odds.caught > (caught or 1.0)

    if exceeds(SMALLEST):
        raise Mistake(f"These odds need an epsilon below {SMALLEST:g}. Allow an attacker a little more.")
    if not exceeds(LARGEST):
        return LARGEST
    low, _ = narrowed(SMALLEST, LARGEST, exceeds, halvings=20)
    return math.floor(low * 10_000) / 10_000


def in_hundred(share: float) -> str:
    """Return odds as a number out of 100, rounded up.

    >>> in_hundred(0.7310586), in_hundred(0.5)
    ('73.2', '50')
    """
    return f"{math.ceil(1000 * share - 1e-9) / 10:g}"

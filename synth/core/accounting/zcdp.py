"""Compute privacy costs of earlier runs and of training, by zero-concentrated differential privacy (zCDP).

See assets/proofs/mixed-line.md.

zCDP is converted to approximate DP by Canonne, Kamath, Steinke (2020), Corollary 13: rho-zCDP implies
(epsilon, delta)-DP with

    delta = inf_{a > 1} exp((a - 1)(a rho - epsilon)) / (a - 1) * (1 - 1/a)^a.

Every a > 1 yields a valid delta, so the search for the best a need not be exact. `MARGIN` covers rounding.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import lru_cache

from synth.core.accounting.guarantee import LISTS, SET_ASIDE, check_guarantee, rho_of
from synth.core.accounting.law import HALVINGS, USUAL, Law, Noise, exact, narrowed
from synth.core.errors import Mistake
from synth.core.numbers import per_cent

MARGIN = 1e-11  # relative, on delta


def delta_from(rho: float, epsilon: float) -> float:
    """Return the delta of rho-zCDP at this epsilon, rounded up, at most 1."""
    if rho <= 0:
        return 0.0
    low, high = 1e-12, (epsilon + 1) / (2 * rho) + 2  # range of a - 1; the exponent decreases, then increases
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
    """Return the largest rho that implies (epsilon, delta)-DP, rounded down.

    Raises: `Mistake` for invalid values.
    """
    check_guarantee(epsilon, delta)
    low, high = 0.0, epsilon + 1
    while delta_from(high, epsilon) <= delta:
        low, high = high, 2 * high
    low, _ = narrowed(low, high, lambda rho: delta_from(rho, epsilon) > delta)
    return low * (1 - 1e-14)  # larger than the float error that `units_of` tolerates


@lru_cache(maxsize=256)
def epsilon_from(rho: float, delta: float) -> float:
    """Return the smallest epsilon of rho-zCDP at this delta, rounded up (0 for rho 0)."""
    if not (math.isfinite(rho) and rho >= 0):
        raise Mistake(f"Rho must be a finite number, 0 or more, not {rho!r}.")
    check_guarantee(1.0, delta)
    low, high = 0.0, rho + 2 * math.sqrt(rho * math.log(1 / delta))
    if delta_from(rho, low) <= delta:
        return low
    return narrowed(low, high, lambda epsilon: delta_from(rho, epsilon) <= delta)[1]


@dataclass(frozen=True, kw_only=True)
class Zcdp(Law):
    """Zero-concentrated differential privacy: rho adds up for any queries."""

    of_range: str = "rho = e^2 / 8 (bounded range; Cesar and Rogers 2021)"

    def rho_within(self, epsilon: float, delta: float) -> float:
        return rho_from(epsilon, delta)

    def epsilon_of(self, rho: float, delta: float) -> float:
        return epsilon_from(rho, delta)

    def range_within(self, units: int) -> float:
        """Return the largest e with e^2 / 8 <= rho (Dong, Durfee, Rogers 2020; Cesar and Rogers 2021).

        >>> ZCDP.range_within(2 * 10**12) <= 4 < ZCDP.range_within(2 * 10**12) * (1 + 1e-12)
        True
        """
        return math.sqrt(8 * rho_of(units)) * (1 - 2.0**-48)

    def conversion(self, units: int, *, delta_of_lists: float) -> str:
        used = f"of which this release used {exact(delta_of_lists)}" if delta_of_lists else "and left unused"
        return (
            "the tight conversion from zCDP of Canonne, Kamath and Steinke (2020), rounded to the safe "
            f"side; {per_cent(LISTS)} of delta is reserved for value lists estimated with a threshold, "
            f"{used}"
        )


ZCDP = Zcdp(
    name=USUAL,
    title="zCDP",
    limit="units",
    share=1.0,
    asks=None,
    noise=Noise.DISCRETE,
    definition="zero-concentrated differential privacy (zCDP); one unit of the ledger is 1e-12 rho",
    composition=(
        "the rho of all queries adds up; a later query may depend on earlier results, because the "
        "sum is capped by the reservation made before the first query (a privacy filter)"
    ),
    proof="mixed-line.md",
)

MIXED = replace(ZCDP, name="mixed", limit="mixed_units", share=SET_ASIDE, is_of_runs=False)
"""The accounting rule of a lifetime budget whose runs were first Gaussian and then of a different kind. rho
adds up as in zCDP, and is converted at the part of delta that Gaussian runs reserve
(assets/proofs/mixed-line.md). No run reserves budget under this rule.
"""

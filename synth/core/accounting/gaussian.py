"""Compute privacy costs of runs with only Gaussian queries, by Gaussian differential privacy (GDP).

See assets/proofs/adaptive-gaussian-filter.md and assets/proofs/rounded-normal.md.

Let adaptive Gaussian queries have sensitivities c_i and noise sigma_i, with mu^2 = sum of c_i^2 / sigma_i^2
below a limit that is fixed in advance. Together they are mu-GDP (Smith and Thakurta 2022; Koskela, Tobaben,
Honkela 2022), for which the curve of Balle and Wang (2018), Theorem 8, is exact. mu^2 / 2 is also the sum of
their rho, so the same cost is valid in GDP and in zCDP.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

from synth.core.accounting.guarantee import LISTS, RHO_PER_UNIT, SET_ASIDE, check_guarantee
from synth.core.accounting.law import Law, Noise, narrowed, upwards
from synth.core.accounting.zcdp import epsilon_from
from synth.core.numbers import per_cent

ROUNDING = 1e-12  # relative error of a normal tail in floats, ten times larger than necessary
COARSE = 1e-323  # maximum error of a normal tail below 1e-308: two steps of such floats


def analytic_gaussian_sigma(epsilon: float, delta: float) -> float:
    """Return the smallest sigma of an (epsilon, delta)-DP Gaussian release with L2 sensitivity 1, rounded up.

    Balle and Wang (2018), Theorem 8: Phi(1/(2 sigma) - epsilon sigma) - e^epsilon Phi(-1/(2 sigma) - epsilon
    sigma) <= delta.
    """
    check_guarantee(epsilon, delta)
    low, high = 0.0, 1.0
    while gaussian_delta_from(high, epsilon) > delta:
        low, high = high, 2 * high
    return narrowed(low, high, lambda s: s > 0 and gaussian_delta_from(s, epsilon) <= delta)[1]


def gaussian_delta_from(sigma: float, epsilon: float) -> float:
    """Return the delta at this epsilon of a Gaussian release with L2 sensitivity 1, rounded up.

    It is at least 1e-290.
    """
    near = math.erfc((epsilon * sigma - 0.5 / sigma) / math.sqrt(2)) / 2
    far = math.erfc((epsilon * sigma + 0.5 / sigma) / math.sqrt(2)) / 2 - COARSE
    scaled = math.exp(epsilon + math.log(far)) if far > 0 else 0.0
    return near * (1 + ROUNDING) - scaled * (1 - ROUNDING)


def gaussian_rho_from(epsilon: float, delta: float) -> float:
    """Return the largest mu^2 / 2 for which mu-GDP implies (epsilon, delta)-DP, rounded down.

    Raises: as `rho_from`.
    """
    return 0.5 / analytic_gaussian_sigma(epsilon, delta) ** 2 * (1 - 1e-14)


@lru_cache(maxsize=256)
def gaussian_epsilon_from(rho: float, delta: float) -> float:
    """Return the smallest epsilon at this delta of GDP with mu^2 / 2 = rho, rounded up (0 for rho 0)."""
    low, high = 0.0, epsilon_from(rho, delta)
    if rho == 0 or gaussian_delta_from(math.sqrt(0.5 / rho), low) <= delta:
        return low
    sigma = math.sqrt(0.5 / rho)
    while gaussian_delta_from(sigma, high) > delta:
        high *= 2
    return narrowed(low, high, lambda epsilon: gaussian_delta_from(sigma, epsilon) <= delta)[1]


@dataclass(frozen=True, kw_only=True)
class Gdp(Law):
    """Gaussian differential privacy. The sum of mu^2 / 2, which equals rho, is converted by the exact
    curve.
    """

    def rho_within(self, epsilon: float, delta: float) -> float:
        return gaussian_rho_from(epsilon, delta)

    def epsilon_of(self, rho: float, delta: float) -> float:
        return gaussian_epsilon_from(rho, delta)

    def mu(self, units: int) -> float:
        return math.sqrt(2 * units * RHO_PER_UNIT)

    def loss(self, units: int) -> tuple[str, str]:
        return "mu (GDP)", upwards(self.mu(units))

    def in_short(self, units: int) -> str:
        return f"{self.mu(units):.4g}-GDP"

    def as_a_whole(self, units: int) -> str:
        return (
            f" The whole release is {upwards(self.mu(units))}-GDP, which gives a delta for every other "
            "epsilon as well."
        )

    def conversion(self, units: int, *, delta_of_lists: float) -> str:
        return (
            f"mu = {upwards(self.mu(units))} by the exact curve of the Gaussian mechanism (Balle and Wang "
            f"2018), rounded to the safe side; {per_cent(SET_ASIDE)} of delta is reserved for later "
            f"releases with other kinds of noise, and {per_cent(LISTS)} for estimated value lists"
        )

    def details(self, mu: float | None) -> tuple[str, ...]:
        if mu is None:
            return ()
        parameter = f"mu = {upwards(mu)} of Gaussian DP"
        return (f"all noise is Gaussian, so epsilon follows from {parameter}; rho = mu^2 / 2",)


GAUSSIAN = Gdp(
    name="gaussian",
    title="GDP",
    limit="gaussian_units",
    share=1 - SET_ASIDE,
    asks=("measure", "interaction", "score", "mean_score", "hits", "moments", "logistic", "magnitudes"),
    noise=Noise.ROUNDED,
    definition=(
        "Gaussian differential privacy (GDP): all noise is Gaussian; one unit of the ledger is "
        "1e-12 of mu^2 / 2, which equals rho of zCDP"
    ),
    composition=(
        "the mu^2 of all queries adds up; a later query may depend on earlier results, because the "
        "sum is capped by the reservation made before the first query (a privacy filter; Smith and "
        "Thakurta 2022). Together with releases of other kinds, the ledger adds up rho"
    ),
    answers="Gaussian",
    proof="adaptive-gaussian-filter.md",
)

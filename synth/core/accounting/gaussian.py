"""Compute privacy costs of all queries except training, by Gaussian differential privacy (GDP).

See assets/proofs/adaptive-gaussian-filter.md, assets/proofs/rounded-normal.md and assets/proofs/ranges.md.

Every query i is mu_i-GDP. Gaussian noise sigma_i on numbers of sensitivity c_i has mu_i = c_i / sigma_i. A
query whose log ratios lie within an interval of length e has mu_i = 2 Phi^-1(1 / (1 + exp(-e / 2))), by which
private selections and trees are charged. Let mu^2, the sum of mu_i^2, be below a limit that is fixed in
advance. Together, adaptive queries are mu-GDP (Smith and Thakurta 2022; Koskela, Tobaben, Honkela 2022), for
which the curve of Balle and Wang (2018), Theorem 8, is exact. A mu-GDP query is also (mu^2 / 2)-zCDP, so the
same cost is valid in GDP and in zCDP.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

from synth.core.accounting.guarantee import LISTS, RHO_PER_UNIT, SET_ASIDE, check_guarantee, rho_of
from synth.core.accounting.law import Law, Noise, exact, narrowed, upwards
from synth.core.accounting.zcdp import epsilon_from
from synth.core.numbers import per_cent

ROUNDING = 1e-12  # relative error of a normal tail in floats, ten times larger than necessary
COARSE = 1e-323  # maximum error of a normal tail below 1e-308: two steps of such floats
FARTHEST = 26.0  # erfc(x) is a normal float up to here; longer ranges are not used


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


def range_within(mu: float) -> float:
    """Return the longest range e of log ratios that implies mu-GDP, rounded down.

    mu = 2 Phi^-1(1 / (1 + exp(-e / 2))) is solved for e = 2 log(Phi(mu / 2) / Phi(-mu / 2)). For small mu,
    the logarithm is computed as 2 artanh(erf(x)) with x = mu / sqrt(8), because the two tails are then
    nearly equal.
    """
    x = min(mu / math.sqrt(8), FARTHEST)
    log_ratio = 2 * math.atanh(math.erf(x)) if x < 0.5 else math.log((2 - math.erfc(x)) / math.erfc(x))
    return 2 * log_ratio * (1 - ROUNDING)


@dataclass(frozen=True, kw_only=True)
class Gdp(Law):
    """Gaussian differential privacy. The sum of mu^2 / 2, which is also a cost in rho, is converted by the
    exact curve.
    """

    def rho_within(self, epsilon: float, delta: float) -> float:
        return gaussian_rho_from(epsilon, delta)

    def epsilon_of(self, rho: float, delta: float) -> float:
        return gaussian_epsilon_from(rho, delta)

    def range_within(self, units: int) -> float:
        return range_within(math.sqrt(2 * rho_of(units)))

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
        used = f"of which this release used {exact(delta_of_lists)}" if delta_of_lists else "and left unused"
        return (
            f"mu = {upwards(self.mu(units))} by the exact curve of the Gaussian mechanism (Balle and Wang "
            f"2018), rounded to the safe side; {per_cent(SET_ASIDE)} of delta is reserved for later "
            f"releases by private training, and {per_cent(LISTS)} for estimated value lists, {used}"
        )

    def details(self, mu: float | None) -> tuple[str, ...]:
        if mu is None:
            return ()
        return (f"epsilon follows from mu = {upwards(mu)} of Gaussian DP; rho = mu^2 / 2",)


GAUSSIAN = Gdp(
    name="gaussian",
    title="GDP",
    limit="gaussian_units",
    share=1 - SET_ASIDE,
    asks=(
        "measure",
        "interaction",
        "score",
        "mean_score",
        "hits",
        "moments",
        "logistic",
        "magnitudes",
        "choose",
        "values",
        "tree",
        "votes",
        "sides",
        "embedding",
    ),
    noise=Noise.ROUNDED,
    definition=(
        "Gaussian differential privacy (GDP): each query is at least as hard to attack as a Gaussian "
        "measurement with its mu; one unit of the ledger is 1e-12 of mu^2 / 2, which is also a cost in rho "
        "of zCDP"
    ),
    composition=(
        "the mu^2 of all queries adds up; a later query may depend on earlier results, because the "
        "sum is capped by the reservation made before the first query (a privacy filter; Smith and "
        "Thakurta 2022). Together with releases of other kinds, the ledger adds up rho"
    ),
    answers="covered by GDP",
    of_range=(
        "mu^2 / 2 with mu = 2 Phi^-1(1 / (1 + exp(-e / 2))) (bounded range; Dong, Durfee and Rogers 2020)"
    ),
    proof="adaptive-gaussian-filter.md",
)

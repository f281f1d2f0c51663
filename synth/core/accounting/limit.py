"""Compute the limits of a lifetime budget from its guarantee, and the reservation of a run."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from synth.core.accounting.gaussian import GAUSSIAN
from synth.core.accounting.guarantee import check_guarantee, delta_of, lists_of
from synth.core.accounting.law import Law, exact
from synth.core.accounting.zcdp import MIXED, ZCDP
from synth.core.errors import Mistake

LINE_LAWS: tuple[Law, ...] = (ZCDP, GAUSSIAN, MIXED)
"""The laws of a lifetime budget: each has its own limit in `Limit` and in the ledger's chain."""


def line_law(law: Law) -> Law:
    """Return the law of a lifetime budget whose queries are all under this law."""
    return next(found for found in LINE_LAWS if found.limit == law.limit)


DEFAULT_DELTA_UNITS = 10**9
"""Delta for value lists, in ledger units, if the limit is given in rho: 1e-9."""


@dataclass(frozen=True, kw_only=True)
class Limit:
    """The units that a lifetime budget may spend under its guarantee.

    `units` applies if a query that is not Gaussian may come first (zCDP), `gaussian_units` as long as all
    queries are Gaussian (exact), and `mixed_units` if Gaussian queries came first and another kind follows
    (zCDP). `promise` is the guarantee (epsilon, delta) from which these three follow, None for a limit in
    rho. Value lists may use `delta_units` (in 1e-18) on top of it: the lifetime delta is the sum of the two.

    Why there is a third limit: which of two bounds applies depends on the results, and the larger of two
    bounds is not a valid bound. Let A be the event that all queries are Gaussian, and B its complement. A run
    that is stopped before its first non-Gaussian query is mu-GDP, and one that is stopped at `mixed_units` is
    zCDP. So for every set of outputs P(S) = P(S and A) + P(S and B) <= e^epsilon Q(S) + delta_A + delta_B,
    and the two deltas must share that of the guarantee: delta_A = (1 - SET_ASIDE) delta, delta_B = SET_ASIDE
    delta. If the kind of the first query is fixed before any result, delta is not split: `units` uses all of
    it.

    Why the deltas add up: a list is (its own delta, rho)-approximate zCDP (Bun and Steinke 2016, section 8).
    If the rho and the delta of adaptive queries each stay within a limit that is fixed in advance, both add
    up (Whitehouse, Ramdas, Rogers, Wu 2023). So lists add at most `delta_units` to delta, or to delta_B,
    because they are not Gaussian queries.

    Why there are exactly three limits: the ledger's chain has a column for each, and its hashes cover them. A
    run under a law without its own limit composes by zCDP, which is valid for every law.
    """

    units: int
    gaussian_units: int
    mixed_units: int
    promise: tuple[float, float] | None = None
    delta_units: int = DEFAULT_DELTA_UNITS

    def __post_init__(self) -> None:
        if not 0 < self.mixed_units <= self.units <= self.gaussian_units:
            raise ValueError(
                "the limit must be largest for Gaussian queries only, and smallest after a change of law"
            )

    def under(self, law: Law) -> int:
        """Return the limit that applies while all queries are under this law."""
        return int(getattr(self, law.limit))

    @staticmethod
    def plain(units: int) -> Limit:
        """Return one limit for all kinds of queries: a limit in rho without a guarantee."""
        return Limit(units=units, gaussian_units=units, mixed_units=units)


@dataclass(frozen=True, kw_only=True)
class Price:
    """The reservation of a run: its cost in 1e-12 rho, the delta (in 1e-18) for the thresholds of value
    lists, and its law.
    """

    units: int
    delta_units: int
    law: Law


def limit_for(epsilon: float, delta: float, *, delta_units: int = 0) -> Limit:
    """Return the limit of a lifetime budget with this guarantee, or of a run; `delta` includes value lists.

    Value lists may use `LISTS` of delta, or `delta_units` if that is more. Raises: `Mistake` for invalid
    values.

    >>> limit = limit_for(1.0, 1e-9)
    >>> limit.units, limit.gaussian_units > 1.08 * limit.units, limit.delta_units
    (14964550268, True, 10000000)
    """
    check_guarantee(epsilon, delta)
    lists = max(delta_units, lists_of(delta))
    rest = delta - delta_of(lists)
    if rest <= 0:
        raise Mistake(
            f"Delta {exact(delta)} must be above {exact(delta_of(lists))}, the part that value lists may "
            "use. Enter a larger delta."
        )
    return limit_beside_lists(epsilon, rest, delta_units=lists)


def epsilon_for(units: int, delta: float, *, law: Law) -> float:
    """Return the epsilon of a run under a law that costs these units at its own delta: inverse of
    `limit_for`.
    """
    return law.claim(units, delta - delta_of(lists_of(delta)))


@lru_cache(maxsize=256)
def limit_beside_lists(epsilon: float, delta: float, *, delta_units: int) -> Limit:
    """Return the limit with this epsilon and delta, plus `delta_units` for value lists."""
    gaussian = GAUSSIAN.units_of(epsilon, delta)
    units = min(ZCDP.units_of(epsilon, delta), gaussian)
    mixed = min(MIXED.units_of(epsilon, delta), units)
    if not mixed:
        raise Mistake(f"Epsilon {epsilon!r} is smaller than the smallest unit of the ledger. Try 0.01.")
    return Limit(
        units=units,
        gaussian_units=gaussian,
        mixed_units=mixed,
        promise=(epsilon, delta),
        delta_units=delta_units,
    )

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
"""The laws of a lifetime budget. Each has a separate limit in `Limit` and in the ledger's chain."""


def line_law(law: Law) -> Law:
    """Return the law that a lifetime budget has if all its queries are under this law."""
    return next(found for found in LINE_LAWS if found.limit == law.limit)


DEFAULT_DELTA_UNITS = 10**9
"""The delta for value lists if the limit is given in rho, in ledger units (1e-9)."""


@dataclass(frozen=True, kw_only=True)
class Limit:
    """The units that a lifetime budget may spend under its guarantee.

    `units` applies if a query that GDP does not cover may come first (zCDP), `gaussian_units` as long as GDP
    covers all queries (exact), and `mixed_units` if GDP queries came first and another kind follows (zCDP).
    `promise` is the guarantee (epsilon, delta) from which these three limits follow, or None for a limit in
    rho. Value lists may use `delta_units` (in 1e-18) on top of it: the lifetime delta is the sum of the two.

    A third limit is necessary because the results decide which of the two bounds applies, and the larger of
    two bounds is not a valid bound. Let A be the event that GDP covers all queries, and B its complement. A
    run that is stopped before its first other query is mu-GDP, and one that is stopped at `mixed_units` is
    zCDP. So for every set of outputs, P(S) = P(S and A) + P(S and B) <= e^epsilon Q(S) + delta_A + delta_B,
    and the delta of the guarantee must be split: delta_A = (1 - SET_ASIDE) delta, delta_B = SET_ASIDE delta.
    If the kind of the first query is fixed before any result, delta is not split, and `units` uses all of it.

    Value lists are counted once, for A and B together. Without the texts of only one table, a list is a GDP
    or zCDP query, and everything above applies. These texts appear with a probability of at most
    `delta_units`, which is added at the end (assets/proofs/thresholds-of-lists.md).

    There are exactly three limits because the ledger's chain has a column for each of them, which its hashes
    cover. A run under a law without a separate limit composes by zCDP, which is valid for every law.
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
        """Return a single limit for all kinds of queries, which is a limit in rho without a guarantee."""
        return Limit(units=units, gaussian_units=units, mixed_units=units)


@dataclass(frozen=True, kw_only=True)
class Price:
    """The reservation of a run: its cost in units of 1e-12 rho, the delta for value lists in units of 1e-18,
    and its law.
    """

    units: int
    delta_units: int
    law: Law


def limit_for(epsilon: float, delta: float, *, delta_units: int = 0) -> Limit:
    """Return the limit of a lifetime budget with this guarantee, or of a run; `delta` includes value lists.

    Value lists may use the share `LISTS` of delta, or `delta_units` if that is more. Raises: `Mistake` for
    invalid values.

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
    """Return the epsilon of a run under this law that costs these units (the inverse of `limit_for`).

    `delta` is the delta of the run.
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

"""Define accounting rules (laws), by which the queries of a run or of a lifetime budget compose."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import ROUND_CEILING, Context
from enum import StrEnum
from typing import Any, Literal

from synth.core.accounting.guarantee import rho_of, units_of

HALVINGS = 120
"""Number of halvings of an interval after which there is no float between its ends."""


def narrowed(
    low: float, high: float, is_above: Callable[[float], bool], *, halvings: int = HALVINGS
) -> tuple[float, float]:
    """Return the ends of an interval after bisection.

    `is_above` is False at the low end and True at the high end.
    """
    for _ in range(halvings):
        middle = (low + high) / 2
        if is_above(middle):
            high = middle
        else:
            low = middle
    return low, high


_EXPONENT = re.compile(r"e([+-])0")
"""Pattern of the start of a one-digit exponent, which Python pads to two digits."""

APART = frozenset({"train"})
"""Kinds of queries that are allowed only under a law that lists them."""

USUAL = "zcdp"
"""The name of the default law. It is not stored: entries, queries and tables without a name use this law."""


class Noise(StrEnum):
    """The noise that is added to counts, with its description for the statement.

    `private.noise` draws the noise, and `estimates.concentration` bounds sums of it.
    """

    DISCRETE = "discrete Gaussian noise, added to integer counts in integer arithmetic"
    ROUNDED = (
        "Gaussian noise, rounded to the nearest integer: counts are integers, so this is a Gaussian "
        "mechanism with a rounded result"
    )


@dataclass(frozen=True, kw_only=True)
class Law(ABC):
    """An accounting rule: how the costs of queries compose. All rules state costs in rho of zCDP.

    `name` is stored in the ledger, the statement and the package; `title` is used in reports and on pages.
    `limit` names the limit of a lifetime budget while all its queries are under this law (`limit.Limit`), and
    `share` is the part of delta that this limit uses. `asks` contains the kinds of queries that a run under
    this law may make, or None for all; `noise` is the noise that is added to their results. `definition` and
    `composition` are sentences of the statement; `of_range` states the cost of a selection with range e.
    `answers` describes the queries of such a run, and is empty if they can be of any kind. `proof` is the
    file in assets/proofs. A law with `is_of_runs` False applies only to lifetime budgets. The guarantee is
    not available below `least_delta`. If `is_for_added_units` is true, the law covers adding or removing a
    unit but not replacing one.
    """

    name: str
    title: str
    limit: Literal["units", "gaussian_units", "mixed_units"]
    share: float
    asks: tuple[str, ...] | None
    noise: Noise
    definition: str
    composition: str
    proof: str
    of_range: str
    answers: str = ""
    is_of_runs: bool = True
    least_delta: float = 0.0
    is_for_added_units: bool = False

    @abstractmethod
    def rho_within(self, epsilon: float, delta: float) -> float:
        """Return the largest rho that implies (epsilon, delta)-DP, rounded down.

        Raises: `Mistake` for invalid values.
        """

    @abstractmethod
    def epsilon_of(self, rho: float, delta: float) -> float:
        """Return the smallest epsilon of rho at this delta, rounded up."""

    @abstractmethod
    def conversion(self, units: int, *, delta_of_lists: float) -> str:
        """Return a text for the statement about how the cost of a release was converted to epsilon and
        delta.
        """

    @abstractmethod
    def range_within(self, units: int) -> float:
        """Return the longest range of log ratios of a query at this cost, rounded down.

        A query has range e if the logarithms of the ratios between its probabilities on two neighbours lie
        within an interval of length e. The exponential mechanism with parameter e is such a query.
        """

    def units_of(self, epsilon: float, delta: float) -> int:
        """Return the maximum number of units for this epsilon and this law's share of delta."""
        return units_of(self.rho_within(epsilon, delta * self.share))

    def claim(self, units: int, delta: float) -> float:
        """Return the epsilon of these units at this delta (the inverse of `units_of`)."""
        return self.claim_alone(units, delta * self.share)

    def claim_alone(self, units: int, delta: float) -> float:
        """Return the epsilon of these units if no other limit shares the delta."""
        return self.epsilon_of(rho_of(units), delta)

    @property
    def written(self) -> str | None:
        """Return the stored name, which is None for the default law."""
        return None if self.name == USUAL else self.name

    def as_facts(self) -> dict[str, str]:
        """Return the law's entry in the facts of a query or a table, which is empty for the default law."""
        return {} if self.written is None else {"law": self.written}

    def allows(self, *asks: str) -> bool:
        """Whether a run under this law may make all these kinds of queries."""
        return not set(asks) & APART if self.asks is None else set(asks) <= set(self.asks)

    def covers(self, query: Mapping[str, Any], units: int) -> bool:
        """Whether a query is allowed if it raises the run's cost to this many units."""
        return True

    def mu(self, units: int) -> float | None:
        """Return the mu (in Gaussian DP) of queries with this total cost, or None if it does not apply."""
        return None

    def loss(self, units: int) -> tuple[str, str]:
        """Return the name of the measure of privacy loss, and its total, rounded up."""
        return "rho", upwards(rho_of(units))

    def in_short(self, units: int) -> str:
        """Return a short description, with the privacy loss if the law has a separate measure for it."""
        return self.title

    def as_a_whole(self, units: int) -> str:
        """Return an additional sentence about the guarantee of a release, or an empty text."""
        return ""

    def details(self, mu: float | None) -> tuple[str, ...]:
        """Return the parameter from which epsilon follows, if the statement contains mu and not rho."""
        return ()


def exact(value: float) -> str:
    """Return a number as text, with all digits that were typed.

    >>> exact(1.2345678), exact(1e-9), exact(2.0)
    ('1.2345678', '1e-9', '2')
    """
    return _EXPONENT.sub(r"e\1", f"{value:.15g}")


def upwards(value: float) -> str:
    """Return a number as text with six digits, rounded up so that a guarantee with it is still valid.

    >>> upwards(0.18192012), upwards(2.0)
    ('0.181921', '2')
    """
    return f"{float(Context(prec=6, rounding=ROUND_CEILING).create_decimal_from_float(value)):g}"

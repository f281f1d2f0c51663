"""Define an accounting rule (law): how the answers of a run, or of a lifetime budget, compose."""

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
"""Number of halvings of an interval, after which no float is between its ends."""


def narrowed(
    low: float, high: float, is_above: Callable[[float], bool], *, halvings: int = HALVINGS
) -> tuple[float, float]:
    """Return the ends of an interval after halvings; `is_above` is False at its low end and True at its high
    one.
    """
    for _ in range(halvings):
        middle = (low + high) / 2
        if is_above(middle):
            high = middle
        else:
            low = middle
    return low, high


_EXPONENT = re.compile(r"e([+-])0")
"""The start of an exponent of one digit, which Python writes with two."""

APART = frozenset({"train"})
"""Kinds of queries that only a law which names them allows."""

USUAL = "zcdp"
"""The name of the law that is not stored: entries, queries and tables without a name use it."""


class Noise(StrEnum):
    """The noise added to counts, in the words of the statement. `private.noise` draws each of them, and
    `checks.concentration` bounds sums of them.
    """

    DISCRETE = "discrete Gaussian noise, added to integer counts in integer arithmetic"
    ROUNDED = (
        "Gaussian noise, rounded to the nearest integer: as counts are integers, this is a Gaussian "
        "mechanism whose result was rounded"
    )


@dataclass(frozen=True, kw_only=True)
class Law(ABC):
    """A rule by which answers compose. Costs are rho of zCDP under every law.

    `name` is used in ledger, statement and bundle, `title` in texts. `limit` is the limit of a lifetime
    budget while all its answers are under this law (`limit.Limit`), `share` the part of delta that this limit
    follows from. `asks` are the kinds of queries that a run under it may ask, None for all; `noise` is the
    noise of their answers. `definition` and `composition` are sentences of the statement; `answers` describes
    all answers of such a run in a word, empty if they may be of any kind. `proof` is the note in
    assets/proofs. A law with `is_of_runs` False applies to lifetime budgets only. `least_delta`: smaller
    deltas cannot be guaranteed. `is_for_added_units`: it covers adding or removing a unit, not replacing one.
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
    answers: str = ""
    is_of_runs: bool = True
    least_delta: float = 0.0
    is_for_added_units: bool = False

    @abstractmethod
    def rho_within(self, epsilon: float, delta: float) -> float:
        """Return the largest rho that gives (epsilon, delta)-DP, rounded down. Raises: `Mistake` for
        impossible ones.
        """

    @abstractmethod
    def epsilon_of(self, rho: float, delta: float) -> float:
        """Return the smallest epsilon of rho at this delta, rounded up."""

    @abstractmethod
    def conversion(self, units: int, *, delta_bought: float) -> str:
        """Return how the cost of a release became epsilon and delta, for its statement."""

    def units_of(self, epsilon: float, delta: float) -> int:
        """Return the most units within epsilon at the delta that the limits share."""
        return units_of(self.rho_within(epsilon, delta * self.share))

    def claim(self, units: int, delta: float) -> float:
        """Return the epsilon of these units at that delta: inverse of `units_of`."""
        return self.claim_alone(units, delta * self.share)

    def claim_alone(self, units: int, delta: float) -> float:
        """Return the epsilon of these units at a delta that is shared with no other limit."""
        return self.epsilon_of(rho_of(units), delta)

    @property
    def written(self) -> str | None:
        """The name as it is stored, None for the default law."""
        return None if self.name == USUAL else self.name

    def told(self) -> dict[str, str]:
        """Return the name as a part of a query or a table; empty for the default law."""
        return {} if self.written is None else {"law": self.written}

    def allows(self, *asks: str) -> bool:
        """Whether a run under it may ask queries of all these kinds."""
        return not set(asks) & APART if self.asks is None else set(asks) <= set(self.asks)

    def covers(self, query: Mapping[str, Any], units: int) -> bool:
        """Whether a query under it is allowed if it brings the run's charges to this many units."""
        return True

    def mu(self, units: int) -> float | None:
        """Return the mu of Gaussian DP of answers with this total cost, if they have one."""
        return None

    def loss(self, units: int) -> tuple[str, str]:
        """Return the total privacy loss: the name of the measure, and its value rounded up."""
        return "rho", upwards(rho_of(units))

    def in_short(self, units: int) -> str:
        """Return the law with the privacy loss, where it has its own measure."""
        return self.title

    def as_a_whole(self, units: int) -> str:
        """Return a further sentence on the guarantee of a release beside (epsilon, delta); empty if there is
        none.
        """
        return ""

    def details(self, mu: float | None) -> tuple[str, ...]:
        """Return the quantity from which epsilon follows, if that is the mu of a statement and not rho."""
        return ()


def exact(value: float) -> str:
    """Return a number with all digits that were typed.

    >>> exact(1.2345678), exact(1e-9), exact(2.0)
    ('1.2345678', '1e-9', '2')
    """
    return _EXPONENT.sub(r"e\1", f"{value:.15g}")


def upwards(value: float) -> str:
    """Return a number in six digits, rounded up, so that a guarantee stated with it holds as well.

    >>> upwards(0.18192012), upwards(2.0)
    ('0.181921', '2')
    """
    return f"{float(Context(prec=6, rounding=ROUND_CEILING).create_decimal_from_float(value)):g}"

"""What a law is: how the answers of a run, or of a budget line, add up, and what follows from it."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import ROUND_CEILING, Context
from enum import StrEnum
from typing import Any, Literal

from synth.core.accounting.guarantee import rho_of, units_of

HALVINGS = 120
"""Of an interval, until no float lies between its ends."""

_EXPONENT = re.compile(r"e([+-])0")
"""How Python begins an exponent of one digit, which it writes with two."""

APART = frozenset({"train"})
"""Kinds of queries that only a law which names them allows."""

USUAL = "zcdp"
"""The name of the law that is not written down: entries, queries and tables that name none are under it."""


class Noise(StrEnum):
    """What is added to counts, in the words of the statement. `private.noise` draws each of them, and
    `check.concentration` says how far sums of them go."""

    DISCRETE = "discrete Gaussian noise, added to integer counts in integer arithmetic"
    ROUNDED = (
        "Gaussian noise, rounded to the nearest integer: as counts are integers, this is a Gaussian "
        "mechanism whose result was rounded"
    )


@dataclass(frozen=True, kw_only=True)
class Law(ABC):
    """A way in which answers add up to a promise. Prices are rho of zCDP under every law: one currency.

    `name` is what ledger, statement and bundle call it, `title` what people do. `limit` is which limit of a
    line holds while all its answers are under this law (`limit.Limit`), `share` the part of delta that this
    limit follows from. `asks` are the kinds of queries a run under it may ask, None for all; `noise` is
    what their answers get. `definition` and `composition` are sentences of the statement; `answers` says in a
    word what all answers of such a run are, empty if they may be of any kind. `proof` is the note in
    assets/proofs on why it holds. A law of lines alone is none `is_of_runs`. `least_delta`: a promise with
    less is none that its answers can keep; `is_for_added_units`: they hide that a unit was added or removed,
    and say nothing of one that was replaced.
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
        """The largest rho that gives (epsilon, delta)-DP, rounded down. Raises: `Mistake` for impossible
        ones."""

    @abstractmethod
    def epsilon_of(self, rho: float, delta: float) -> float:
        """The smallest epsilon of rho at this delta, rounded up."""

    @abstractmethod
    def conversion(self, units: int, *, delta_bought: float) -> str:
        """How the price of a release became epsilon and delta, for its statement."""

    def units_of(self, epsilon: float, delta: float) -> int:
        """The most units within epsilon at the delta that the limits of a line share."""
        return units_of(self.rho_within(epsilon, delta * self.share))

    def claim(self, units: int, delta: float) -> float:
        """The epsilon that these units amount to at that delta: `units_of` backwards."""
        return self.claim_alone(units, delta * self.share)

    def claim_alone(self, units: int, delta: float) -> float:
        """The epsilon that these units amount to at a delta that is shared with no other limit."""
        return self.epsilon_of(rho_of(units), delta)

    @property
    def written(self) -> str | None:
        """The name as it is written down, None for the one that is not."""
        return None if self.name == USUAL else self.name

    def told(self) -> dict[str, str]:
        """The name as a part of a query or a table; nothing for the one that is not written down."""
        return {} if self.written is None else {"law": self.written}

    def allows(self, *asks: str) -> bool:
        """Whether a run under it may ask queries of all these kinds."""
        return not set(asks) & APART if self.asks is None else set(asks) <= set(self.asks)

    def covers(self, query: Mapping[str, Any], units: int) -> bool:
        """Whether a query may be asked under it that brings what the run is charged to so many units."""
        return True

    def mu(self, units: int) -> float | None:
        """The mu of Gaussian DP that answers amount to which cost this together, if they are such."""
        return None

    def loss(self, units: int) -> tuple[str, str]:
        """What is lost in all: the name of the measure, and its value rounded up."""
        return "rho", upwards(rho_of(units))

    def in_short(self, units: int) -> str:
        """The law with what is lost, where it has a measure of its own."""
        return self.title

    def as_a_whole(self, units: int) -> str:
        """What a release promises beside (epsilon, delta), as a further sentence; empty if nothing."""
        return ""

    def details(self, mu: float | None) -> tuple[str, ...]:
        """What epsilon follows from, where it is not rho but the mu that a statement claims."""
        return ()


def exact(value: float) -> str:
    """A number with all digits that were typed.

    >>> exact(1.2345678), exact(1e-9), exact(2.0)
    ('1.2345678', '1e-9', '2')
    """
    return _EXPONENT.sub(r"e\1", f"{value:.15g}")


def upwards(value: float) -> str:
    """A number in six digits, rounded up, so that what is promised by it holds as well.

    >>> upwards(0.18192012), upwards(2.0)
    ('0.181921', '2')
    """
    return f"{float(Context(prec=6, rounding=ROUND_CEILING).create_decimal_from_float(value)):g}"

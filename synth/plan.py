"""What a release is asked to do: public facts, checked before anything is reserved."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from synth.errors import Mistake
from synth.measure.accounting import rho_from, units_of
from synth.mechanisms import MECHANISMS
from synth.mechanisms.base import Mechanism
from synth.preprocess.buy import DELTA_UNITS, pieces_to_buy
from synth.rules import Rules
from synth.rules.terms import Compare
from synth.schema import Binning, Schema

PREPROCESS_SHARE = 0.1
"""Part of rho for bought domains, trees and merges, when the schema asks for any."""

DELTA_SHARE = 0.1
"""Part of delta for the thresholds of bought value lists."""


@dataclass(frozen=True, kw_only=True)
class Plan:
    """Everything a release is asked to do; all of it public. `seed` drives modelling, never noise.

    Shares of rho: `preprocess_share` buys what the schema leaves open, if it leaves anything; `held_back`
    measures a few pairs that no model is fitted to, so that methods can be compared on them; the mechanism
    has the rest.
    """

    schema: Schema
    rules: Rules
    epsilon: float
    delta: float
    method: str = "aim"
    options: dict[str, Any] = field(default_factory=dict)
    rows: int | None = None
    workload: int = 2
    confidence: float = 0.95
    preprocess_share: float = PREPROCESS_SHARE
    held_back: float = 0.0
    seed: int = 0

    def __post_init__(self) -> None:
        if not self.epsilon > 0:
            raise Mistake(f"Epsilon must be above 0 (you gave {self.epsilon}). 1 is a usual start.")
        if not 0 < self.delta < 1:
            raise Mistake(f"Delta must lie between 0 and 1 (you gave {self.delta}). 1e-9 is a usual choice.")
        if self.rows is not None and self.rows < 0:
            raise Mistake(f"The number of synthetic rows cannot be negative (you gave {self.rows}).")
        if self.workload not in (1, 2, 3):
            raise Mistake(f"The workload is 1-, 2- or 3-way marginals (you gave {self.workload}).")
        if not 0.5 <= self.confidence < 1:
            raise Mistake(f"The confidence lies between 0.5 and 1 (you gave {self.confidence}).")
        if not 0 < self.preprocess_share <= 0.5:
            raise Mistake(
                "The share for what the schema leaves open lies above 0 and up to 0.5 (you gave "
                f"{self.preprocess_share}). {PREPROCESS_SHARE} is usual."
            )
        if not 0 <= self.held_back <= 0.4:
            raise Mistake(
                f"The share held back for comparing lies between 0 and 0.4 (you gave {self.held_back}). "
                "0.05 is usual."
            )
        if not self.schema.modelled:
            raise Mistake("The schema drops every column. Declare at least one to synthesise.")
        self.mechanism()
        comparisons = (p for rule in self.rules.rules for p in rule.parts if isinstance(p, Compare))
        compared = {name for comparison in comparisons for name in comparison.columns}
        for column in self.schema.modelled:
            if column.binning is Binning.PRIVTREE and column.name in compared:
                raise Mistake(
                    f"A rule compares column {column.name!r} with another, so its bins must be known "
                    "beforehand. Give it uniform bins instead of privtree."
                )

    def mechanism(self) -> Mechanism:
        """The configured method."""
        known = MECHANISMS.get(self.method)
        if known is None:
            raise Mistake(f"There is no method {self.method!r}. Choose one of: {', '.join(MECHANISMS)}.")
        try:
            return known(**self.options)
        except TypeError:
            raise Mistake(
                f"Method {self.method!r} does not have one of the options: {', '.join(self.options)}."
            ) from None

    @property
    def delta_units(self) -> int:
        """The part of delta that the thresholds of bought value lists use, in units of 1e-18."""
        return int(self.delta * DELTA_SHARE * DELTA_UNITS) if pieces_to_buy(self.schema).lists else 0

    @property
    def delta_bought(self) -> float:
        """The same as a number."""
        return self.delta_units / DELTA_UNITS

    @property
    def units(self) -> int:
        """The whole price in 1e-12 rho: the tightest zCDP budget within (epsilon, delta)."""
        return units_of(rho_from(self.epsilon, self.delta - self.delta_bought))

    @property
    def preprocess_units(self) -> int:
        """The part of the price that buys what the schema leaves open; 0 if it leaves nothing."""
        return int(self.units * self.preprocess_share) if pieces_to_buy(self.schema) else 0

    @property
    def held_back_units(self) -> int:
        """The part of the price for answers that no model is fitted to."""
        return int(self.units * self.held_back)

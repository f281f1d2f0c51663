"""What a release is asked to do: public facts, checked before anything is reserved."""

from __future__ import annotations

from dataclasses import dataclass

from synth.errors import Mistake
from synth.measure.accounting import limit_for, rho_from, units_of
from synth.mechanisms import MECHANISMS
from synth.mechanisms.base import Mechanism
from synth.mechanisms.route import Route, configured
from synth.preprocess.buy import DELTA_UNITS, pieces_to_buy
from synth.request import Request
from synth.rules import Rules
from synth.rules.terms import Compare
from synth.schema import Binning, Schema

DELTA_SHARE = 0.1
"""Part of delta for the thresholds of bought value lists."""


@dataclass(frozen=True, kw_only=True)
class Plan(Request):
    """A request and the declared table it is for. `seed` drives modelling, never noise."""

    schema: Schema
    rules: Rules
    seed: int = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.schema.modelled:
            raise Mistake("The schema drops every column. Declare at least one to synthesise.")
        self.route()
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
        return configured(self.method, self.options)

    def route(self) -> Route:
        """The configured method with the generator that follows it."""
        return Route(mechanism=self.mechanism(), generator=self.generator, compress=self.compress)

    @property
    def delta_units(self) -> int:
        """The part of delta that the thresholds of bought value lists use, in units of 1e-18."""
        return int(self.delta * DELTA_SHARE * DELTA_UNITS) if pieces_to_buy(self.schema).lists else 0

    @property
    def delta_bought(self) -> float:
        """The same as a number."""
        return self.delta_units / DELTA_UNITS

    @property
    def is_gaussian(self) -> bool:
        """Whether every answer of the release will be Gaussian: the method's own and all that is bought."""
        return type(self.mechanism()).is_gaussian and pieces_to_buy(self.schema).are_gaussian

    @property
    def units(self) -> int:
        """The whole price in 1e-12 rho, the largest within (epsilon, delta).

        If all answers are Gaussian, mu^2 / 2 by their exact curve; otherwise by the tightest bound for zCDP.
        """
        if self.is_gaussian:
            return limit_for(self.epsilon, self.delta).gaussian_units
        return units_of(rho_from(self.epsilon, self.delta - self.delta_bought))

    @property
    def preprocess_units(self) -> int:
        """The part of the price that buys what the schema leaves open; 0 if it leaves nothing."""
        return int(self.units * self.preprocess_share) if pieces_to_buy(self.schema) else 0

    @property
    def held_back_units(self) -> int:
        """The part of the price for answers that no model is fitted to."""
        return int(self.units * self.held_back)


def is_gaussian_method(name: str) -> bool:
    """Whether a method asks for Gaussian answers only; one that does not exist asks for none."""
    return name in MECHANISMS and MECHANISMS[name].is_gaussian

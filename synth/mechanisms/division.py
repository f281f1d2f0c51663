"""How a mechanism divides its price, as far as its own options say so, and the same mechanism divided anew.

Three parts: single columns, choosing what to measure, and measuring relations. An option that is a share of
the price says which part it is (`option(..., part=...)`); what a mechanism does not say is not guessed.
"""

from __future__ import annotations

from dataclasses import Field, astuple, dataclass, replace
from typing import Any

from synth.core.options import options_of
from synth.mechanisms.base import LEAST_LEFT, Mechanism, Prospect

LEAST = 1e-9

ROUNDING = 0.002
"""What two shares may gain in rounding."""


@dataclass(frozen=True, kw_only=True)
class Division:
    """Shares of a mechanism's price; they add up to 1."""

    columns: float
    choosing: float
    relations: float

    def weighted(self, *, columns: float, choosing: float, relations: float) -> Division:
        """The division in which every part counts by a weight above zero."""
        parts = (self.columns * columns, self.choosing * choosing, self.relations * relations)
        whole = sum(parts)
        return Division(columns=parts[0] / whole, choosing=parts[1] / whole, relations=parts[2] / whole)

    def after(self, columns: float) -> Division:
        """The division of a whole price of which a part goes to single columns before the mechanism."""
        rest = 1 - columns
        return Division(
            columns=columns + rest * self.columns,
            choosing=rest * self.choosing,
            relations=rest * self.relations,
        )

    def leaving(self, relations: float) -> Division:
        """The same with at least so much for relations; the other two keep their proportion."""
        if self.relations >= relations:
            return self
        taken = self.columns + self.choosing
        columns, choosing = ((1 - relations) * part / taken for part in (self.columns, self.choosing))
        return Division(columns=columns, choosing=choosing, relations=relations)


def division_of(mechanism: Mechanism, prospect: Prospect) -> Division | None:
    """What a mechanism says beforehand of its division of the price; None if that is not enough.

    Where the run itself decides by a noisy number of records, it is what that number is thought to bring.
    """
    shares = _shares(mechanism)
    first = shares["columns"] if shares.get("columns") else mechanism.first_pass(prospect)
    if first is None:
        return None
    first = min(first, 1.0)
    if "measuring" in shares:
        choosing = (1 - shares["measuring"]) * (1 - first)
    elif "choosing" in shares:
        choosing = shares["choosing"] or mechanism.choosing_pass(prospect)
    elif "looking" in shares:
        choosing = 2 * shares["looking"]
    elif not mechanism.chooses:
        choosing = 0.0
    else:
        return None
    return Division(columns=first, choosing=choosing, relations=max(1 - first - choosing, 0.0))


def adjustable(mechanism: Mechanism) -> tuple[str, ...]:
    """The parts whose shares its options can change; empty if they cannot be moved against each other, or if
    not all of the division is known."""
    shares = _shares(mechanism)
    if division_of(mechanism, Prospect(sizes=(2, 2))) is None:
        return ()
    columns = ("columns",) if "columns" in shares else ()
    choosing = ("choosing",) if {"choosing", "looking", "measuring"} & set(shares) else ()
    return (*columns, *choosing, "relations") if columns or choosing else ()


def divided(mechanism: Mechanism, wanted: Division, prospect: Prospect) -> Mechanism:
    """The mechanism with its shares as near to `wanted` as its options and `check_options` let it; as it was
    if that is its own."""
    own = division_of(mechanism, prospect)
    if own is not None and all(
        abs(a - b) < LEAST for a, b in zip(astuple(own), astuple(wanted), strict=True)
    ):
        return mechanism
    wanted = wanted.leaving(LEAST_LEFT + ROUNDING)
    rest = max(1 - wanted.columns, LEAST)
    meant = {
        "columns": wanted.columns,
        "choosing": wanted.choosing,
        "looking": wanted.choosing / 2,
        "measuring": 1 - wanted.choosing / rest,
    }
    shares = {f.name: _within(f, meant[f.metadata["part"]]) for f in _fields(mechanism)}
    return replace(mechanism, **shares)  # type: ignore[type-var]


def _shares(mechanism: Mechanism) -> dict[str, float]:
    return {f.metadata["part"]: float(getattr(mechanism, f.name)) for f in _fields(mechanism)}


def _fields(mechanism: Mechanism) -> list[Field[Any]]:
    return [f for f in options_of(type(mechanism)) if f.metadata.get("part")]


def _within(field: Field[Any], share: float) -> float:
    """A share inside its option's bounds, in steps of a thousandth so that it can be read in a report."""
    low, high = field.metadata["low"], field.metadata["high"]
    rounded = max(round(share, 3), 0.001)
    return float(min(max(rounded, low or 0.0), 1.0 if high is None else high))

"""Determine how a mechanism splits its budget, and change this split.

A budget has three parts: single columns, choosing what to measure, and measuring relations. An option that
sets a share of the budget declares its part (`option(..., part=...)`). The shares of parts that no option
declares are treated as unknown.
"""

from __future__ import annotations

from dataclasses import Field, astuple, dataclass, replace
from typing import Any

from synth.core.options import options_of
from synth.mechanisms.shared.base import LEAST_LEFT, Mechanism, Prospect

LEAST = 1e-9

ROUNDING = 0.002
"""Maximum change of the sum of two shares due to rounding."""


@dataclass(frozen=True, kw_only=True)
class Division:
    """Budget shares of a mechanism, which sum to 1."""

    columns: float
    choosing: float
    relations: float

    def weighted(self, *, columns: float, choosing: float, relations: float) -> Division:
        """Return the split after multiplying each part by a positive weight."""
        parts = (self.columns * columns, self.choosing * choosing, self.relations * relations)
        whole = sum(parts)
        return Division(columns=parts[0] / whole, choosing=parts[1] / whole, relations=parts[2] / whole)

    def after(self, columns: float) -> Division:
        """Return the split of the whole budget if the share `columns` is spent on single columns before the
        mechanism runs.
        """
        rest = 1 - columns
        return Division(
            columns=columns + rest * self.columns,
            choosing=rest * self.choosing,
            relations=rest * self.relations,
        )

    def leaving(self, relations: float) -> Division:
        """Return the split with at least this share for relations. The ratio of the other two shares stays
        the same.
        """
        if self.relations >= relations:
            return self
        taken = self.columns + self.choosing
        columns, choosing = ((1 - relations) * part / taken for part in (self.columns, self.choosing))
        return Division(columns=columns, choosing=choosing, relations=relations)


def division_of(mechanism: Mechanism, prospect: Prospect) -> Division | None:
    """Return the split that a mechanism declares before a run, or None if the declaration is incomplete.

    If the run determines a share from a noisy record count, the count in `prospect` is used instead.
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
    """Return the parts whose shares the options can change. The result is empty if no share can be moved to
    another part, or if the split is not fully known.
    """
    shares = _shares(mechanism)
    if division_of(mechanism, Prospect(sizes=(2, 2))) is None:
        return ()
    columns = ("columns",) if "columns" in shares else ()
    choosing = ("choosing",) if {"choosing", "looking", "measuring"} & set(shares) else ()
    return (*columns, *choosing, "relations") if columns or choosing else ()


def divided(mechanism: Mechanism, wanted: Division, prospect: Prospect) -> Mechanism:
    """Return the mechanism with shares as close to `wanted` as its options and `check_options` allow. If
    `wanted` is the current split, return the same mechanism.
    """
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
    """Round a share to three decimals within the limits of its option."""
    low, high = field.metadata["low"], field.metadata["high"]
    rounded = max(round(share, 3), 0.001)
    return float(min(max(rounded, low or 0.0), 1.0 if high is None else high))

"""Options of mechanisms and generators: fields that say how a form draws them and what they may be."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Sequence
from dataclasses import Field, field, fields
from typing import Any

from synth.core.errors import Mistake


def option(
    default: Any,
    *,
    label: str,
    help: str,
    low: float | None = None,
    high: float | None = None,
    unit: str = "",
    part: str = "",
    literal: bool = False,
    is_column: bool = False,
) -> Any:
    """A field of a frozen dataclass from whose metadata a form is drawn.

    `part` marks a share of the price (see `mechanisms.division`): "columns" and "choosing" are shares of the
    whole, "looking" is half of choosing, "measuring" is the share of measuring in what is left for relations.
    `literal` marks one that, on, makes a fit as its paper has it, however long that takes: forms tell its
    time, contract tests leave it off. `is_column` marks the name of a column of the table; empty for none.
    """
    metadata = {"label": label, "help": help, "low": low, "high": high, "unit": unit, "part": part}
    return field(default=default, metadata={**metadata, "literal": literal, "is_column": is_column})


def options_of(kind: type) -> Sequence[Field[Any]]:
    """The fields of a dataclass that are options."""
    return [f for f in fields(kind) if "label" in f.metadata]


def check_columns(configured: Any, names: Collection[str]) -> None:
    """Raises: `Mistake` if an option names a column that is none of these."""
    for f in options_of(type(configured)):
        name = getattr(configured, f.name)
        if f.metadata["is_column"] and name and name not in names:
            raise Mistake(
                f"{f.metadata['label']} ({f.name}) is {name!r}, but no column that is synthesised has this "
                f"name. Choose one of: {', '.join(names)}."
            )


def check_values(configured: Any) -> None:
    """Raises: `Mistake` if an option has a value of another kind, or beyond its limits."""
    for f in options_of(type(configured)):
        value, label, default = getattr(configured, f.name), f.metadata["label"], f.default
        low, high = f.metadata["low"], f.metadata["high"]
        kinds = (int, float) if isinstance(default, float) else type(default)
        if not isinstance(value, kinds) or isinstance(value, bool) != isinstance(default, bool):
            kind = {int: "a whole number", float: "a number", bool: "true or false"}
            raise Mistake(f"{label} ({f.name}) is {value!r}. It has to be {kind.get(type(default), 'text')}.")
        if (low is not None and not value >= low) or (high is not None and not value <= high):
            raise Mistake(f"{label} ({f.name}) is {value!r}. It may be {low:,} to {high:,}.")


def options_typed(typed: Iterable[str]) -> dict[str, Any]:
    """Options as they were typed, `name=value` each.

    >>> options_typed(["clique-cells=5000", "word=x"])
    {'clique_cells': 5000, 'word': 'x'}

    Raises: `Mistake` for one that is written otherwise.
    """
    return dict(_option(one) for one in typed)


def _option(typed: str) -> tuple[str, Any]:
    """Its name, and its value as JSON; as text where it is none."""
    name, equals, value = typed.partition("=")
    if not (name and equals):
        raise Mistake(f"{typed!r} is not an option. Write it as name=value.")
    name = name.strip().replace("-", "_")
    try:
        return name, json.loads(value)
    except ValueError:
        return name, value

"""Define the options of mechanisms and generators, with their limits and form fields."""

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
    """Return a dataclass field with the metadata of its form field.

    `part` marks a share of the budget (see `mechanisms.division`): "columns" and "choosing" are shares of the
    whole budget, "looking" is half of the share for choosing, and "measuring" is the share of the remaining
    budget that measures relations. `literal` marks an option that follows the paper exactly, even if the fit
    takes a long time. Contract tests do not use such options. `is_column` marks an option whose value is the
    name of a column, or empty for none.
    """
    metadata = {"label": label, "help": help, "low": low, "high": high, "unit": unit, "part": part}
    return field(default=default, metadata={**metadata, "literal": literal, "is_column": is_column})


def options_of(kind: type) -> Sequence[Field[Any]]:
    """Return the fields of a dataclass that are options."""
    return [f for f in fields(kind) if "label" in f.metadata]


def check_names(kind: type, typed: Iterable[str], *, owner: str) -> None:
    """Raise `Mistake` if a dataclass has no option with a typed name. `owner` names the dataclass."""
    known = [f.name for f in options_of(kind)]
    for name in typed:
        if name not in known:
            raise Mistake(f"{owner} has no option {name!r}. Its options: {', '.join(known) or 'none'}.")


def check_columns(configured: Any, names: Collection[str]) -> None:
    """Raise `Mistake` if an option names a column that does not exist."""
    for f in options_of(type(configured)):
        name = getattr(configured, f.name)
        if f.metadata["is_column"] and name and name not in names:
            raise Mistake(
                f"{f.metadata['label']} ({f.name}) is {name!r}, but no synthesised column has this name. "
                f"Choose one of: {', '.join(names)}."
            )


def check_values(configured: Any) -> None:
    """Raise `Mistake` if the value of an option has the wrong type or is outside the limits."""
    for f in options_of(type(configured)):
        value, label, default = getattr(configured, f.name), f.metadata["label"], f.default
        low, high = f.metadata["low"], f.metadata["high"]
        kinds = (int, float) if isinstance(default, float) else type(default)
        if not isinstance(value, kinds) or isinstance(value, bool) != isinstance(default, bool):
            kind = {int: "a whole number", float: "a number", bool: "true or false"}
            raise Mistake(f"{label} ({f.name}) is {value!r}. It must be {kind.get(type(default), 'text')}.")
        if (low is not None and not value >= low) or (high is not None and not value <= high):
            raise Mistake(f"{label} ({f.name}) is {value!r}. Allowed: {low:,} to {high:,}.")


def options_typed(typed: Iterable[str]) -> dict[str, Any]:
    """Parse options that were typed as `name=value`.

    >>> options_typed(["clique-cells=5000", "word=x"])
    {'clique_cells': 5000, 'word': 'x'}

    Raises: `Mistake` if a text has a different form.
    """
    return dict(_option(one) for one in typed)


def _option(typed: str) -> tuple[str, Any]:
    """Return the name and the value of a typed option.

    The value is parsed as JSON if possible. Otherwise, it is a string.
    """
    name, equals, value = typed.partition("=")
    if not (name and equals):
        raise Mistake(f"{typed!r} is not an option. Write it as name=value.")
    name = name.strip().replace("-", "_")
    try:
        return name, json.loads(value)
    except ValueError:
        return name, value

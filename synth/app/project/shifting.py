"""Move the declared dates of a schema for the table of another period, and list what changed in a schema."""

from __future__ import annotations

import calendar
import datetime as dt
import re
from collections.abc import Mapping, Sequence
from copy import deepcopy
from typing import Any

from synth.core.errors import Mistake
from synth.core.schema import Kind

SHIFT = re.compile(r"([+-]?[0-9]{1,4})([dwmy])")
MONTHS = {"m": 1, "y": 12}
DAYS = {"d": 1, "w": 7}

Document = dict[str, Any]


def shifted(document: Mapping[str, Any], by: str) -> Document:
    """Return a schema document whose declared dates are moved, such as by "1m", "2w", "-30d" or "1y".

    Ranges, cut points and points of date columns move. Codes for missing values and rules do not. A month
    keeps the day, or the last day of the month. Raises: `Mistake` for another text, a schema without declared
    dates, or a date that does not exist.

    >>> dates = {"name": "v", "kind": "date", "min": "2024-06-01", "max": "2024-06-30"}
    >>> moved = shifted({"columns": [dates]}, "1m")["columns"][0]
    >>> moved["min"], moved["max"]
    ('2024-07-01', '2024-07-31')
    """
    found = SHIFT.fullmatch(by.strip())
    if found is None or not int(found[1]):
        raise Mistake(
            f"{by!r} is not a shift of dates. Write a number and d, w, m or y, such as 1m. "
            "No budget was spent."
        )
    moved: Document = deepcopy(dict(document))
    columns = [c for c in moved["columns"] if c.get("kind") == Kind.DATE and has_dates(c)]
    if not columns:
        raise Mistake(
            f"The schema declares no dates, so they cannot be moved by {by!r}. No budget was spent."
        )
    for column in columns:
        for name in ("min", "max"):
            if column.get(name) is not None:
                column[name] = _later(column[name], int(found[1]), found[2])
        for name in ("cuts", "points"):
            if column.get(name):
                column[name] = [_later(day, int(found[1]), found[2]) for day in column[name]]
    return moved


def has_dates(column: Mapping[str, Any]) -> bool:
    """Whether a column of a schema document declares a range of dates."""
    return column.get("kind") == Kind.DATE and column.get("min") is not None


def _later(text: str, number: int, unit: str) -> str:
    try:
        day = dt.date.fromisoformat(text)
        if unit in DAYS:
            return (day + dt.timedelta(days=number * DAYS[unit])).isoformat()
        months = 12 * day.year + day.month - 1 + number * MONTHS[unit]
        year, month = months // 12, months % 12 + 1
        last = calendar.monthrange(year, month)[1]
        is_last = day.day == calendar.monthrange(day.year, day.month)[1]
        return dt.date(year, month, last if is_last else min(day.day, last)).isoformat()
    except (ValueError, OverflowError):
        raise Mistake(f"The date {text} cannot be moved by {number}{unit}. No budget was spent.") from None


def changes(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[str]:
    """Return a sentence for each difference between two schema documents.

    >>> comma, semicolon = ({"columns": [], "format": {"delimiter": d}} for d in ",;")
    >>> changes(comma, semicolon)
    ['format: delimiter , → ;.']
    >>> changes({"columns": [{"name": "a"}]}, {"columns": [{"name": "a", "blank": False}]})
    ["Column 'a': blank not stated → no."]
    """
    one, other = ({c["name"]: c for c in document["columns"]} for document in (before, after))
    said = [f"Column {name!r} was removed." for name in one if name not in other]
    said += [f"Column {name!r} was added." for name in other if name not in one]
    for name in (name for name in other if name in one):
        said += [f"Column {name!r}: {line}" for line in _differences(one[name], other[name])]
    whole = ({k: v for k, v in document.items() if k != "columns"} for document in (before, after))
    return [*said, *_differences(*whole)]


def _differences(one: Mapping[str, Any], other: Mapping[str, Any]) -> list[str]:
    """Return a sentence for each field that differs, also within groups of fields such as `format`."""
    said = []
    for field in dict.fromkeys((*one, *other)):
        before, after = one.get(field), other.get(field)
        groups = [{} if group is None else group for group in (before, after)]
        if before != after and all(isinstance(group, Mapping) for group in groups):
            said += [f"{field}: {line}" for line in _differences(*groups)]
        elif before != after:
            said.append(f"{field} {_text(before)} → {_text(after)}.")
    return said


def rule_changes(before: Any, after: Any) -> list[str]:
    """Return a sentence for each rule that was added or removed."""
    one, other = ([_rule(rule) for rule in _entries(rules)] for rules in (before, after))
    said = [f"Rule removed: {rule}" for rule in one if rule not in other]
    return [*said, *(f"Rule added: {rule}" for rule in other if rule not in one)]


def _entries(rules: Any) -> Sequence[Any]:
    return rules.get("rules", ()) if isinstance(rules, Mapping) else rules or ()


def _rule(rule: Any) -> str:
    return str(rule.get("sentence", rule) if isinstance(rule, Mapping) else rule)


def _text(value: Any) -> str:
    if value is None:
        return "not stated"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Sequence) and not isinstance(value, str):
        return f"{len(value)} values"
    return str(value)

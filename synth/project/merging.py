"""Two windows on one project: what either of them changed, put together field by field.

Pure: documents (JSON objects) in, one document out. A field that both windows changed in different ways stays
as it was saved first and is told as a clash, with both values, so that nothing typed disappears unsaid.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

Document = Mapping[str, Any]

COLLECTIONS = ("rules", "runs", "settled", "extras")
"""Lists whose entries come and go one by one; any other list is one value."""

ABSENT = object()
"""What a field is where there is none."""


@dataclass(frozen=True, kw_only=True)
class Clash:
    """A field that two windows changed: what is `saved`, and what was given `here` and is not."""

    field: str
    saved: str
    here: str


def merged(base: Document, here: Document, saved: Document) -> tuple[dict[str, Any], tuple[Clash, ...]]:
    """The saved document with every change made here since `base` that nothing saved stands against."""
    clashes: list[Clash] = []
    return dict(_merged(base, here, saved, (), clashes)), tuple(clashes)


def _merged(base: Any, here: Any, saved: Any, path: tuple[str, ...], clashes: list[Clash]) -> Any:
    if here in (base, saved):
        return saved
    if saved == base:
        return here
    if isinstance(here, Mapping) and isinstance(saved, Mapping):
        known = base if isinstance(base, Mapping) else {}
        names = [*saved, *(name for name in here if name not in saved)]
        fields = {
            name: _merged(
                known.get(name, ABSENT),
                here.get(name, ABSENT),
                saved.get(name, ABSENT),
                (*path, name),
                clashes,
            )
            for name in names
        }
        return {name: value for name, value in fields.items() if value is not ABSENT}
    first, second, third = map(_named, (base, here, saved))
    if first is not None and second is not None and third is not None:
        return list(_merged(first, second, third, path, clashes).values())
    if path[-1:] and path[-1] in COLLECTIONS and all(isinstance(p, list) for p in (base, here, saved)):
        kept = [entry for entry in saved if entry in here or entry not in base]
        return kept + [entry for entry in here if entry not in base and entry not in saved]
    clashes.append(Clash(field=" ".join(path), saved=_text(saved), here=_text(here)))
    return saved


def _named(value: Any) -> dict[str, Any] | None:
    """A list of objects with names of their own (the columns of a schema) by name; None for anything else."""
    if not isinstance(value, list) or not all(isinstance(v, Mapping) and "name" in v for v in value):
        return None
    by_name = {str(entry["name"]): entry for entry in value}
    return by_name if len(by_name) == len(value) else None


def _text(value: Any) -> str:
    if value is ABSENT or value in (None, "", []):
        return "nothing"
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)

"""Provide well-known lists, so that no one has to type them: answers, calendars, scales, classifications.

Codes and words come from the standards that are named with each list. The names of countries come from the tz
database (`iso3166.tab`, public domain).
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from synth.core.schema import Kind


@dataclass(frozen=True, kw_only=True)
class KnownList:
    """Values with their labels. `reads` is as in `Column.reads`, and `of` is the source of the list."""

    name: str
    values: tuple[str, ...]
    labels: tuple[str, ...] = ()
    reads: tuple[tuple[str, ...], ...] = ()
    kind: Kind = Kind.CATEGORY
    of: str = ""


def named(name: str) -> KnownList | None:
    """Return the list with this name, ignoring case, or None if there is no such list.

    >>> named("Months").values[:2], named("nothing")
    (('January', 'February'), None)
    """
    return known_lists().get(" ".join(name.lower().split()))


@cache
def known_lists() -> dict[str, KnownList]:
    """Return all lists by name."""
    parsed = json.loads((files("synth.dictionaries") / "lists.json").read_text(encoding="utf-8"))
    return {entry["name"]: _list(**entry) for entry in parsed}


def _list(
    *,
    name: str,
    of: str = "",
    ordered: bool = False,
    values: list[str] | None = None,
    coded: dict[str, str] | None = None,
    reads: list[str] | None = None,
) -> KnownList:
    """Return a list from its form in the file, which has bare values or codes with labels.

    The strings in `reads` are separated by spaces.
    """
    codes = coded or {}
    return KnownList(
        name=name,
        values=tuple(values or codes),
        labels=tuple(codes.values()),
        reads=tuple(tuple(texts.split()) for texts in reads or ()),
        kind=Kind.ORDERED if ordered else Kind.CATEGORY,
        of=of,
    )

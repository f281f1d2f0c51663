"""Well-known lists that no one should have to type: answers, calendars, scales, classifications.

Codes and words are those of the standards stated with each list. The names of countries are those of the tz
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
    """Values with their labels; `reads` is as in `Column.reads`. `of` is the source of the list."""

    name: str
    values: tuple[str, ...]
    labels: tuple[str, ...] = ()
    reads: tuple[tuple[str, ...], ...] = ()
    kind: Kind = Kind.CATEGORY
    of: str = ""


def named(name: str) -> KnownList | None:
    """Return the list with this name, ignoring case; None if there is none.

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
    """Return a list in the form of the file: bare values, or codes with their labels; `reads` are separated
    by spaces.
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

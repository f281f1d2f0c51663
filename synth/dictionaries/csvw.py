"""Read CSV on the Web metadata, which describe the columns of a table.

Reference: W3C, Metadata Vocabulary for Tabular Data (2015): `tableSchema`, `columns`, `datatype` with
`base`, `minimum` and `maximum`, `required`, `titles`, and `format` as an alternation of values.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import PurePath
from typing import Any

from synth.core.errors import Mistake
from synth.core.schema import Column, Kind, Provenance
from synth.dictionaries.check import show
from synth.dictionaries.domain_text import bound
from synth.dictionaries.reading import ForeignTable, Reading

_WHOLE = ("integer", "int", "long", "short", "byte", "nonNegativeInteger", "positiveInteger", "gYear")
_KINDS = {
    **dict.fromkeys(_WHOLE, Kind.INTEGER),
    **dict.fromkeys(("number", "decimal", "double", "float"), Kind.DECIMAL),
    "date": Kind.DATE,
}
_ALTERNATION = re.compile(r"\^?\(?([^()\[\]{}.*+?\\|]+(?:\|[^()\[\]{}.*+?\\|]+)*)\)?\$?")
"""Pattern that recognises a regular expression that only lists the allowed strings."""


def is_csvw(document: Mapping[str, Any]) -> bool:
    """Return whether a JSON object is a document in this format."""
    return "csvw" in str(document.get("@context", "")) or "tableSchema" in document


def draft_csvw(document: Mapping[str, Any], *, name: str) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Return a schema document, and a sentence for each incomplete column.

    Raises: `Mistake` if there are no columns.
    """
    tables = document.get("tables")
    table = tables[0] if isinstance(tables, list) and tables else document
    schema = table.get("tableSchema") or document.get("tableSchema") or {}
    columns = [c for c in schema.get("columns", ()) if c.get("name") or c.get("titles")]
    columns = [c for c in columns if not c.get("virtual")]
    if not columns:
        raise Mistake(f"{show(name)} describes no columns in its 'tableSchema'.")
    return ForeignTable(name=PurePath(name).stem or "table", readings=[*map(_reading, columns)]).draft()


def _said(words: Any) -> str:
    """Return a string. If there are several strings, return the first one, or the one in the first
    language.
    """
    if isinstance(words, Mapping):
        words = next(iter(words.values()), "")
    return str(words[0] if isinstance(words, list) and words else words or "")


def _reading(entry: Mapping[str, Any]) -> Reading:
    titles, name = _said(entry.get("titles")), str(entry.get("name") or _said(entry.get("titles")))
    datatype = entry.get("datatype", "string")
    facts = datatype if isinstance(datatype, Mapping) else {"base": datatype}
    common: dict[str, Any] = {
        "name": name,
        "title": titles if titles != name else "",
        "description": _said(entry.get("dc:description")),
        "blank": not entry.get("required", False),
        "missing": tuple(filter(None, [null] if isinstance(null := entry.get("null", []), str) else null)),
        "provenance": Provenance.PUBLIC_DOCUMENT,
    }
    kind = _KINDS.get(str(facts.get("base", "string")), Kind.CATEGORY)
    if facts.get("base") == "boolean":
        words = str(facts.get("format") or "true|false").split("|")
        return Reading(column=Column(**common, kind=kind, values=tuple(words)))
    if kind is Kind.CATEGORY:
        listed = _ALTERNATION.fullmatch(str(facts.get("format") or ""))
        return Reading(
            column=Column(**common, kind=kind, values=tuple(listed[1].split("|")) if listed else ())
        )
    low, high = (facts.get(end, facts.get(f"{end[:3]}Inclusive")) for end in ("minimum", "maximum"))
    ends = {"min": low, "max": high}
    given: dict[str, Any] = {
        end: bound(value) if isinstance(value, str) and kind is not Kind.DATE else value
        for end, value in ends.items()
        if value is not None
    }
    return Reading(column=Column(**common, kind=kind, **given))

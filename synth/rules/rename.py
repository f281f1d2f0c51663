"""Rename columns in rules, without any other changes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from synth.core.schema import Schema
from synth.rules.documents import Entry, parse_entry
from synth.rules.grammar import rename_columns


def rename(entry: Entry, schema: Schema, names: Mapping[str, str]) -> Entry:
    """Return an entry of a rules document with renamed columns. `schema` contains the old names.

    Raises: `Mistake` if the entry cannot be read.
    """
    if isinstance(entry, str):
        return rename_columns(entry, schema, names)
    rule = parse_entry(entry, schema)
    called = {name: names.get(name, name) for name in rule.columns}

    def new(typed: Any) -> Any:
        """Return the new name of a column. The case of names in objects is ignored, as in sentences."""
        folded = {name.casefold(): other for name, other in called.items()}
        return called.get(typed, folded.get(str(typed).casefold(), typed))

    changed: dict[str, Any] = dict(entry)
    if "sentence" in entry:
        changed["sentence"] = rename_columns(entry["sentence"], schema, names)
    elif "forbidden" in entry:
        changed["forbidden"] = {new(name): cell for name, cell in entry["forbidden"].items()}
    elif "share" in entry:
        where = {new(name): cell for name, cell in entry["share"]["where"].items()}
        changed["share"] = {**entry["share"], "where": where}
    elif "allowed" in entry:
        changed["allowed"] = {**entry["allowed"], "columns": [new(n) for n in entry["allowed"]["columns"]]}
    else:
        ends = {end: new(entry["determines"][end]) for end in ("from", "to")}
        changed["determines"] = {**entry["determines"], **ends}
    return changed

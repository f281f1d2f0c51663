"""Edit many columns at once: search, common settings, pasted lines. Functions take and return documents."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from synth.app.project.describe.columns import Document, entries_of, rows_of, with_rows
from synth.core.errors import Mistake
from synth.core.schema import Kind, Provenance


@dataclass(frozen=True, kw_only=True)
class Together:
    """Common settings of several columns. None leaves a setting unchanged. `holds` is as in `columns.Row`."""

    kind: Kind | None = None
    holds: str | None = None
    blank: bool | None = None
    weight: float | None = None
    source: Provenance | None = None


def with_together(document: Mapping[str, Any], names: Collection[str], said: Together) -> Document:
    """Return the document after applying common settings to these columns."""
    given = {field: value for field, value in vars(said).items() if value is not None}
    rows = [{**row, **given} if row["name"] in names else row for row in rows_of(document)]
    return with_rows(document, rows)


def found(document: Mapping[str, Any], words: str, *, is_open: bool = False) -> tuple[str, ...]:
    """Return the columns whose name, title or description contains all these words, ignoring case.

    With `is_open`, return only columns without a domain.
    """
    wanted = words.lower().split()
    return tuple(
        str(entry["name"])
        for entry in entries_of(document)
        if all(word in _said_of(entry) for word in wanted) and (not is_open or waits(entry))
    )


def _said_of(entry: Mapping[str, Any]) -> str:
    return " ".join(str(entry.get(field) or "") for field in ("name", "title", "description")).lower()


def waits(entry: Mapping[str, Any]) -> bool:
    """Return whether the domain of a column is still missing."""
    if entry.get("kind") == Kind.DROP or entry.get("buy"):
        return False
    return (
        not entry.get("values")
        and not entry.get("formula")
        and entry.get("min") is None
        and entry.get("max") is None
    )


def without(document: Mapping[str, Any], names: Collection[str]) -> Document:
    """Return the document without these columns."""
    kept = [entry for entry in entries_of(document) if entry["name"] not in names]
    return {**document, "columns": kept}


def moved(document: Mapping[str, Any], names: Collection[str], *, to: int) -> Document:
    """Return the document with these columns moved together, the first one to index `to`."""
    entries = entries_of(document)
    chosen = [entry for entry in entries if entry["name"] in names]
    others = [entry for entry in entries if entry["name"] not in names]
    place = min(max(to, 0), len(others))
    return {**document, "columns": [*others[:place], *chosen, *others[place:]]}


def pasted(document: Mapping[str, Any], text: str) -> tuple[Document, tuple[str, ...]]:
    """Return the document with the columns from pasted or typed lines, and the names of these columns.

    A line contains a name, the domain and the title, separated by tabs, or a name and the domain, separated
    by a colon. Existing columns are changed in place, and new ones are added at the end. Raises: `Mistake`
    for a missing or repeated name.
    """
    lines = [line for line in text.splitlines() if line.strip()]
    if not lines:
        raise Mistake("There are no lines. Paste or type one line per column.")
    rows = rows_of(document)
    place = {row["name"]: row for row in rows}
    names: list[str] = []
    for line in lines:
        name, holds, title = _parted(line)
        if not name:
            raise Mistake(
                f"The line {line.strip()!r} has no name. Start it with the column's name in the file."
            )
        if name in names:
            raise Mistake(f"The column {name!r} is in these lines twice. Remove one of them.")
        names.append(name)
        row = place.get(name)
        if row is None:
            row = {"was": None, "name": name, "kind": None}
            rows.append(row)
        row |= {field: said for field, said in (("holds", holds), ("title", title)) if said}
    return with_rows(document, rows), tuple(names)


def _parted(line: str) -> tuple[str, str, str]:
    """Return the name, domain and title in a line."""
    cells = line.split("\t") if "\t" in line else line.split(":", 1)
    name, holds, title = (*(cell.strip() for cell in cells), "", "")[:3]
    return name, holds, title

"""Edit many columns at once: search, common settings, pasted lines. Documents in, documents out."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from synth.app.project.describe.columns import DOMAIN, Document, entries_of, rows_of, with_rows
from synth.core.errors import Mistake
from synth.core.schema import Kind, Provenance
from synth.dictionaries import read_draft
from synth.dictionaries.dictionary import ALIASES, HEADINGS
from synth.dictionaries.words import FIELD_NAMES, Words


@dataclass(frozen=True, kw_only=True)
class Together:
    """Common settings of several columns; None changes nothing. `holds` as in `columns.Row`."""

    kind: Kind | None = None
    holds: str | None = None
    blank: bool | None = None
    weight: float | None = None
    source: Provenance | None = None


def with_together(document: Mapping[str, Any], names: Collection[str], said: Together) -> Document:
    """Return the document with common settings for these columns."""
    given = {field: value for field, value in vars(said).items() if value is not None}
    rows = [{**row, **given} if row["name"] in names else row for row in rows_of(document)]
    return with_rows(document, rows)


def found(document: Mapping[str, Any], words: str, *, is_open: bool = False) -> tuple[str, ...]:
    """Return the columns whose name, title or description contains all these words, in any case.

    `is_open` keeps those without a domain only.
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
    return not entry.get("values") and entry.get("min") is None and entry.get("max") is None


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


@dataclass(frozen=True, kw_only=True)
class Pasted:
    """The result of pasted lines: the document, the columns they name, and remarks."""

    document: Document
    names: tuple[str, ...]
    notes: tuple[str, ...] = ()


def pasted(document: Mapping[str, Any], text: str, words: Words = FIELD_NAMES) -> Pasted:
    """Return the document with the columns of pasted or typed lines.

    A line is a name, the domain and the title, separated by tabs, or the first two by a colon. Or the first
    line has the headings of a CSV dictionary. Declared columns are changed in place, others are added at the
    end. Raises: `Mistake` for an unknown heading or a repeated name.
    """
    lines = [line for line in text.splitlines() if line.strip()]
    if not lines:
        raise Mistake("There are no lines. Paste or type one line per column.")
    if _has_headings(lines[0]):
        draft = read_draft(text.encode(), name="lines.csv", words=words)
        return replace(_merged(document, draft.document["columns"]), notes=draft.notes)
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
    return Pasted(document=with_rows(document, rows), names=tuple(names))


def _has_headings(line: str) -> bool:
    """Return whether the first line has headings of a dictionary."""
    words = [word.strip().lower() for word in max((line.split(mark) for mark in "\t;,"), key=len)]
    fields = [ALIASES.get(word, word) for word in words]
    return len(fields) > 1 and "name" in fields and sum(field in HEADINGS for field in fields) > 1


def _parted(line: str) -> tuple[str, str, str]:
    """Return name, domain and title of a line."""
    if "\t" in line:
        cells = [cell.strip() for cell in line.split("\t")]
        return cells[0], cells[1], cells[2] if len(cells) > 2 else ""
    name, _, holds = line.partition(":")
    return name.strip(), holds.strip(), ""


def _merged(document: Mapping[str, Any], given: Sequence[Document]) -> Pasted:
    names = [str(entry["name"]).strip() for entry in given]
    for name in names:
        if not name:
            raise Mistake("One of the lines has no name. Add it, or remove the line.")
        if names.count(name) > 1:
            raise Mistake(f"The column {name!r} is in these lines twice. Remove one of them.")
    by_name = dict(zip(names, given, strict=True))
    entries = entries_of(document)
    declared = {entry["name"] for entry in entries}
    columns = [_replaced(entry, by_name.get(entry["name"])) for entry in entries]
    columns += [entry for name, entry in by_name.items() if name not in declared]
    return Pasted(document={**document, "columns": columns}, names=tuple(names))


def _replaced(entry: Document, given: Document | None) -> Document:
    """Return a column with the given fields; a given domain replaces the whole old one."""
    if given is None:
        return entry
    has_domain = any(given.get(field) for field in (*DOMAIN, "buy"))
    kept = {k: v for k, v in entry.items() if not (has_domain and k in (*DOMAIN, "bins", "points", "buy"))}
    return {**kept, **{field: said for field, said in given.items() if said is not None}}

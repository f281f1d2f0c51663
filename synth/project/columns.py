"""The columns of a schema document as rows to edit, and what stands beside them for one column.

Pure: documents and rows in, documents out. A document may be unfinished; nothing typed is lost on the way
through the rows, and what makes no sense is kept so that the checks can quote it.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Mapping, Sequence
from contextlib import suppress
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

from synth.errors import Mistake
from synth.schema import Binning, Kind, Outside, Provenance, Value
from synth.schema_io import load_schema
from synth.schema_io.check import text_of
from synth.schema_io.words import FIELD_NAMES, Words

Document = dict[str, Any]
"""A schema as JSON-able object, finished or not."""

_OF_VALUES = ("values", "merge_rare", "other_label")
_OF_RANGES = ("min", "max", "bins", "step", "points", "binning")
Row = dict[str, Any]
"""A column as it is edited: `was` (its name before the edit), `name`, `kind` (None while open), `low`, `high`
(texts), `bins`, `blank`, `source` (a `Provenance`); None where nothing is given."""


@dataclass(frozen=True, kw_only=True)
class Details:
    """What the panel beside the grid holds for one column; only the fields of its kind count."""

    title: str = ""
    description: str = ""
    values: tuple[Value, ...] = ()
    other: bool = False
    other_label: str = "Other"
    merge_rare: bool = False
    blank_outside: bool = False
    adaptive: bool = False
    step: float | None = None
    points: str = ""


def entries_of(document: Mapping[str, Any]) -> list[Document]:
    """The columns of a document, unfinished ones included."""
    return list(document.get("columns") or [])


def problems_of(document: Mapping[str, Any], words: Words = FIELD_NAMES) -> tuple[str, ...]:
    """What keeps the document from being used, one sentence each; empty when it is finished.

    A column whose kind is still open does not hide what is wrong with another. `words` is what the sentences
    call the fields.
    """
    problems = _problems(document, words)
    if not problems:
        return ()
    stated = [entry for entry in entries_of(document) if entry.get("kind") is not None]
    others = {**document, "population": "p", "unit": {"max_rows": 1}, "columns": stated}
    of_columns = [sentence for sentence in _problems(others, words) if sentence.startswith("Column ")]
    return tuple(dict.fromkeys([*problems, *of_columns]))


def _problems(document: Mapping[str, Any], words: Words) -> tuple[str, ...]:
    try:
        load_schema(document, words)
    except Mistake as mistake:
        return tuple(str(mistake).splitlines())
    return ()


def first_of(document: Mapping[str, Any]) -> str:
    """The column to look at first: one whose list of values is missing, else one that is not left out."""
    entries = entries_of(document)
    kept = [entry for entry in entries if entry.get("kind") != Kind.DROP]
    listed = [entry for entry in kept if entry.get("kind") in (Kind.CATEGORY, Kind.ORDERED)]
    bare = [entry for entry in listed if not entry.get("values") and not entry.get("buy")]
    return str(next(iter([*bare, *listed, *kept, *entries]))["name"])


def rows_of(document: Mapping[str, Any]) -> list[Row]:
    """One row per column."""
    return [_row(entry) for entry in entries_of(document)]


def _row(entry: Mapping[str, Any]) -> Row:
    low, high = (None if entry.get(end) is None else text_of(entry[end]) for end in ("min", "max"))
    source = Provenance.BOUGHT if entry.get("buy") else entry.get("provenance", Provenance.STEWARD)
    return {
        "was": entry["name"],
        "name": entry["name"],
        "kind": _kind(entry.get("kind")),
        "low": low,
        "high": high,
        "bins": entry.get("bins"),
        "blank": entry.get("blank", True),
        "source": Provenance(source),
    }


def with_rows(document: Mapping[str, Any], rows: Sequence[Mapping[str, Any]]) -> Document:
    """The document after an edit of its rows; those that say nothing are left out.

    Raises: `Mistake` for a row without a name and for a name that stands twice.
    """
    before = {entry["name"]: entry for entry in entries_of(document)}
    columns: list[Document] = []
    for number, row in enumerate(rows, start=1):
        if not any(row.get(field) for field in ("name", "kind", "low", "high", "bins")):
            continue
        name = str(row.get("name") or "").strip()
        if not name:
            raise Mistake(
                f"Line {number} of the grid has no name. Name the column as it is named in the file, or "
                "remove the line."
            )
        if any(entry["name"] == name for entry in columns):
            raise Mistake(f"The column {name!r} stands twice in the grid. Keep one line of it.")
        columns.append(_entry(before.get(str(row.get("was")), {}), row, name))
    changed: Document = {**deepcopy(dict(document)), "columns": columns}
    unit, renamed = changed.get("unit"), renames(document, rows)
    if isinstance(unit, dict) and unit.get("id_column") in renamed:
        unit["id_column"] = renamed[unit["id_column"]]
    return changed


def renames(document: Mapping[str, Any], rows: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """The columns that an edit calls otherwise: old name to new."""
    before = {entry["name"] for entry in entries_of(document)}
    pairs = ((row["was"], str(row["name"] or "").strip()) for row in rows if row["was"] in before)
    return {str(was): name for was, name in pairs if name and name != was}


def _entry(before: Mapping[str, Any], row: Mapping[str, Any], name: str) -> Document:
    entry: Document = {**deepcopy(dict(before)), "name": name}
    kind: Kind | None = row.get("kind")
    entry["kind"] = None if kind is None else kind.value
    for end, typed in (("min", row.get("low")), ("max", row.get("high"))):
        _set(entry, end, None if typed is None else _bound(str(typed), kind))
    _set(entry, "bins", None if row.get("bins") is None else int(row["bins"]))
    if entry.get("bins") is not None:
        entry.pop("step", None)
    entry["blank"] = True if row.get("blank") is None else bool(row["blank"])
    source: Provenance = row.get("source") or Provenance.STEWARD
    entry["provenance"] = source.value
    had = before.get("provenance") == Provenance.BOUGHT
    return _bought(entry, source, had=had) if kind is not Kind.DROP else _unbought(entry)


def _bought(entry: Document, source: Provenance, *, had: bool) -> Document:
    """A domain is either declared or bought: choosing one takes the other away.

    What an earlier release has bought (`had`) is known by now and stays: it need not be paid for again.
    """
    if source is not Provenance.BOUGHT:
        return _fitted(_unbought(entry))
    is_bounded = any(entry.get(field) is not None for field in ("values", "min", "max"))
    if had and is_bounded and not entry.get("buy"):
        return _fitted(entry)
    for field in ("values", "min", "max", "bins", "step", "points"):
        entry.pop(field, None)
    return _fitted({**entry, "buy": True})


def _unbought(entry: Document) -> Document:
    entry.pop("buy", None)
    return entry


def _fitted(entry: Document) -> Document:
    """The entry without fields that its kind does not have, so that a changed kind leaves none behind."""
    kind = _kind(entry.get("kind"))
    if kind is None:
        return entry
    for field in _OF_RANGES if kind.has_values else _OF_VALUES:
        entry.pop(field, None)
    unfit = Outside.CLAMP if kind.has_values else Outside.OTHER
    if entry.get("outside") == unfit:
        entry.pop("outside")
    return entry


def details_of(entry: Mapping[str, Any]) -> Details:
    """What the panel shows for a column."""
    return Details(
        title=entry.get("title", ""),
        description=entry.get("description", ""),
        values=tuple(entry.get("values") or ()),
        other=entry.get("outside") == Outside.OTHER,
        other_label=entry.get("other_label", "Other"),
        merge_rare=bool(entry.get("merge_rare", False)),
        blank_outside=entry.get("outside") == Outside.MISSING,
        adaptive=entry.get("binning") == Binning.PRIVTREE,
        step=entry.get("step"),
        points=", ".join(text_of(point) for point in entry.get("points") or ()),
    )


def with_details(document: Mapping[str, Any], name: str, details: Details) -> Document:
    """The document after an edit of the panel; what the grid holds stays as it is."""
    columns = [
        _detailed(entry, details) if entry["name"] == name else entry for entry in entries_of(document)
    ]
    return {**document, "columns": columns}


def _detailed(before: Mapping[str, Any], details: Details) -> Document:
    entry, kind = dict(before), _kind(before.get("kind"))
    _set(entry, "title", details.title.strip() or None)
    _set(entry, "description", details.description.strip() or None)
    if kind is None or kind is Kind.DROP:
        return entry
    if kind.has_values:
        _set(entry, "values", None if entry.get("buy") else list(details.values) or None)
        _set(entry, "merge_rare", details.merge_rare or None)
        _set(entry, "outside", Outside.OTHER.value if details.other else None)
        label = details.other_label.strip()
        _set(entry, "other_label", label if details.other and label and label != "Other" else None)
        return entry
    _set(entry, "outside", Outside.MISSING.value if details.blank_outside else None)
    _set(entry, "binning", Binning.PRIVTREE.value if details.adaptive else None)
    step = details.step
    _set(entry, "step", int(step) if step is not None and step == int(step) else step)
    if entry.get("step") is not None:
        entry.pop("bins", None)
    points = [_bound(typed, kind) for typed in split_values(details.points)]
    _set(entry, "points", points or None)
    return entry


def split_values(typed: str) -> tuple[str, ...]:
    """The values of a list as typed: one per line, or on a single line parted by commas.

    On several lines a comma belongs to the value. Quotes keep a comma on a single line.

    >>> split_values("red, green"), split_values("Smith, A\\nJones, B")
    (('red', 'green'), ('Smith, A', 'Jones, B'))
    """
    lines = [line.strip() for line in typed.splitlines() if line.strip()]
    if len(lines) == 1:
        lines = [cell.strip() for cell in next(csv.reader(lines, skipinitialspace=True))]
    return tuple(line for line in lines if line)


def typed_values(typed: str, before: Sequence[Value]) -> tuple[Value, ...]:
    """The list as typed, in which a value that was a number or true or false stays one."""
    known = {text_of(value): value for value in before}
    return tuple(known.get(word, word) for word in split_values(typed))


def written_values(values: Sequence[Value]) -> str:
    """A list as the panel shows it, one value per line; a single value with a comma is quoted."""
    words = [text_of(value) for value in values]
    return f'"{words[0]}"' if len(words) == 1 and "," in words[0] else "\n".join(words)


def repeated(values: Sequence[Value]) -> tuple[str, ...]:
    """Values that stand more than once in a list, as written."""
    words = [text_of(value) for value in values]
    return tuple(dict.fromkeys(word for word in words if words.count(word) > 1))


def _bound(typed: str, kind: Kind | None) -> int | float | str:
    """A typed end of a range: a number where one can be read, else the text for the checks to quote."""
    word = typed.strip()
    if kind is Kind.DATE:
        return word
    for read in (int, float):
        with suppress(ValueError):
            number = read(word)
            return number if math.isfinite(number) else word
    return word


def _kind(name: Any) -> Kind | None:
    return Kind(name) if name in list(Kind) else None


def _set(entry: Document, field: str, value: Any) -> None:
    """Write a field, or take it out for None."""
    if value is None:
        entry.pop(field, None)
    else:
        entry[field] = value

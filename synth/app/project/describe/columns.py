"""Edit the columns of a schema document as rows, or the details of one column.

Functions take and return documents and rows. A document may be incomplete. All input is kept, even if it is
invalid, so that the checks can quote it.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from copy import deepcopy
from typing import Any

from synth.core.cells.ranges import tidied
from synth.core.columns import formula
from synth.core.columns.check import OF_FORMULAS
from synth.core.errors import Mistake
from synth.core.schema import ANY, Kind, Outside, Provenance, Value
from synth.dictionaries import load_schema
from synth.dictionaries.check import NONE_LEFT, text_of
from synth.dictionaries.domain_text import kinds_estimated, listed, read, written, written_parts
from synth.dictionaries.words import FIELD_NAMES, Words

Document = dict[str, Any]
"""A schema as a JSON object, which may be incomplete."""

_OF_VALUES = (
    "values",
    "reads",
    "merge_rare",
    "other_label",
    "separator",
    "exclusive",
    "combinations",
    "totals",
)
_OF_RANGES = (
    "min", "max", "bins", "step", "decimals", "cuts", "points", "binning", "measured_in", "is_weight",
    "limit",
)  # fmt: skip
DOMAIN = (
    "values",
    "labels",
    "reads",
    "min",
    "max",
    "step",
    "multiple",
    "heaps",
    "decimals",
    "cuts",
    "measured_in",
    "formula",
    "separator",
    "exclusive",
    "combinations",
)  # fmt: skip
"""Names of the fields that describe the domain of a column."""
Row = dict[str, Any]
"""A column as a row to edit: `was` (its earlier name), `name`, `holds` (the domain, as
`dictionaries.domain_text` reads it), `kind` (None while undecided), `bins`, `blank`, `weight`, `source` (a
`Provenance`) and `title`. Fields that are not given are None.
"""


def entries_of(document: Mapping[str, Any]) -> list[Document]:
    """Return the columns of a document, including incomplete ones."""
    return list(document.get("columns") or [])


def problems_of(
    document: Mapping[str, Any], words: Words = FIELD_NAMES, *, leave: Collection[str] = ()
) -> tuple[str, ...]:
    """Return the problems with the document, one sentence each, or nothing if it is complete.

    A column without a kind does not hide the problems of other columns. `words` contains the names of the
    fields in the sentences. Problems with the columns in `leave` are omitted.
    """
    stated = [entry for entry in entries_of(document) if entry["name"] not in leave]
    if leave and not stated:
        return ()
    document = {**document, "columns": stated} if leave else document
    problems = tuple(p for p in _problems(document, words) if not (leave and p == NONE_LEFT))
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
    """Return the name of the column to show first: one without a list of values, or otherwise one that is not
    excluded.
    """
    entries = entries_of(document)
    kept = [entry for entry in entries if entry.get("kind") != Kind.DROP]
    listed = [entry for entry in kept if entry.get("kind") in (Kind.CATEGORY, Kind.ORDERED)]
    bare = [entry for entry in listed if not entry.get("values") and not entry.get("buy")]
    return str(next(iter([*bare, *listed, *kept, *entries]))["name"])


def rows_of(document: Mapping[str, Any]) -> list[Row]:
    """Return one row per column."""
    return [_row(entry) for entry in entries_of(document)]


def _row(entry: Mapping[str, Any]) -> Row:
    source = Provenance.ESTIMATED if entry.get("buy") else entry.get("provenance", Provenance.STEWARD)
    return {
        "was": entry["name"],
        "name": entry["name"],
        "holds": written(entry) or None,
        "kind": _kind(entry.get("kind")),
        "bins": entry.get("bins"),
        "blank": entry.get("blank", True),
        "weight": float(entry.get("weight", 1.0)),
        "source": Provenance(source),
        "title": entry.get("title") or None,
    }


def with_rows(document: Mapping[str, Any], rows: Sequence[Mapping[str, Any]]) -> Document:
    """Return the document after its rows were edited.

    Empty rows are ignored. Raises: `Mistake` for a row without a name, and for a repeated name.
    """
    before = {entry["name"]: entry for entry in entries_of(document)}
    columns: list[Document] = []
    for number, row in enumerate(rows, start=1):
        if not any(row.get(field) for field in ("name", "holds", "kind", "bins", "title")):
            continue
        name = str(row.get("name") or "").strip()
        if not name:
            raise Mistake(
                f"Line {number} has no name. Enter the column's name as in the file, or remove the line."
            )
        if any(entry["name"] == name for entry in columns):
            raise Mistake(f"The column {name!r} is in the grid twice. Remove one line.")
        columns.append(_entry(before.get(str(row.get("was")), {}), row, name))
    changed: Document = {**deepcopy(dict(document)), "columns": columns}
    unit, renamed = changed.get("unit"), renames(document, rows)
    if isinstance(unit, dict) and unit.get("id_column") in renamed:
        unit["id_column"] = renamed[unit["id_column"]]
    for group in changed.get("groups", ()):
        group["columns"] = [renamed.get(name, name) for name in group["columns"]]
    for entry in columns if renamed else ():
        written_so = {key: entry[key] for key in ("formula", "limit") if entry.get(key)}
        entry |= {key: formula.renamed(text, renamed) for key, text in written_so.items()}
    return changed


def renames(document: Mapping[str, Any], rows: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """Return the columns that an edit renames, as a mapping from old to new names."""
    before = {entry["name"] for entry in entries_of(document)}
    pairs = ((row["was"], str(row["name"] or "").strip()) for row in rows if row["was"] in before)
    return {str(was): name for was, name in pairs if name and name != was}


def _entry(before: Mapping[str, Any], row: Mapping[str, Any], name: str) -> Document:
    entry: Document = {**deepcopy(dict(before)), "name": name}
    typed, shown = str(row.get("holds") or "").strip(), written(before) if before else ""
    said = tidied(typed)[1] if typed != shown else {}
    row = {**row, **{field: said[field] for field in ("blank", "bins") if field in said}}
    typed_blank = row.get("blank")
    entry["blank"] = bool(before) if typed_blank is None else bool(typed_blank)
    weight = row.get("weight")
    _set(
        entry, "weight", None if weight is None or (weight == 1 and "weight" not in before) else float(weight)
    )
    if "title" in row:
        _set(entry, "title", str(row["title"] or "").strip() or None)
    source: Provenance = row.get("source") or Provenance.STEWARD
    if typed == shown and row.get("kind") == _kind(before.get("kind")):
        kind = row.get("kind")
    else:
        kind, source = _held(entry, before, typed, row.get("kind"), source, is_new=typed != shown)
    entry["kind"] = None if kind is None else kind.value
    bins = row.get("bins")
    if typed != shown and (entry.get("step") is not None or entry.get("cuts")) and bins == before.get("bins"):
        bins = None
    _set(entry, "bins", None if bins is None else int(bins))
    if entry.get("bins") is not None:
        entry.pop("step", None)
    entry["provenance"] = source.value
    had = before.get("provenance") == Provenance.ESTIMATED
    return _estimated(entry, source, had=had) if kind is not Kind.DROP else _declared_again(entry)


def _held(
    entry: Document,
    before: Mapping[str, Any],
    typed: str,
    chosen: Kind | None,
    source: Provenance,
    *,
    is_new: bool,
) -> tuple[Kind | None, Provenance]:
    """Write the typed domain to an entry, and return the kind of the column and the source of its domain.

    A kind that was just `chosen` is used. Otherwise, the kind follows from the typed domain if this `is_new`.
    The domain of an excluded column is kept for later.
    """
    was = _kind(before.get("kind"))
    if not is_new and Kind.DROP in (was, chosen):
        return chosen, source
    kind, facts = read(typed, chosen if chosen is not was else _firm(typed, was))
    if kind is Kind.DROP:
        _set(entry, "id_format", facts.get("id_format"))
        return kind, source
    if facts.pop("buy", False):
        return kind, Provenance.ESTIMATED
    reads = {text_of(v): r for v, r in zip(before.get("values", ()), before.get("reads", ()), strict=False)}
    if reads and "values" in facts and "reads" not in facts:
        facts["reads"] = [list(reads.get(text_of(value), ())) for value in facts["values"]]
    known = {text_of(value): value for value in before.get("values", ())}
    if "values" in facts:
        facts["values"] = [known.get(value, value) for value in facts["values"]]
    is_list = kind is None or kind.has_values
    of_ranges = () if is_list and "missing" not in facts else ("missing",)  # a list does not show them
    for field in (*DOMAIN, *of_ranges):
        _set(entry, field, facts.get(field))
    is_estimated = source is Provenance.ESTIMATED and bool(facts) and bool(before.get("buy"))
    return kind, Provenance.STEWARD if is_estimated else source


def _firm(typed: str, was: Kind | None) -> Kind | None:
    """Return the kind that a column keeps when another domain is typed, or None if the new domain determines
    the kind.

    A list stays a list (`1 to 9` then lists its values), and an ordered list stays ordered. A decimal column
    stays decimal if whole numbers are typed. A range that cannot be read stays a range, so that the checks
    can report it. A column with an estimated domain keeps its kind if the typed text allows several kinds.
    """
    kind, facts = read(typed)
    if was is None or kind is None or was is Kind.DROP or kind is Kind.DROP:
        return None
    if facts.get("buy"):
        return was if was in kinds_estimated(typed) else None
    if was.has_values:
        return None if kind in (Kind.ORDERED, Kind.DECIMAL, Kind.DATE) else was
    is_lesser = was is Kind.DECIMAL and kind is Kind.INTEGER
    return was if is_lesser or (kind.has_values and len(facts.get("values", ())) == 1) else None


def _estimated(entry: Document, source: Provenance, *, had: bool) -> Document:
    """Return the entry with a domain that is either declared or to be estimated.

    A domain that an earlier release estimated (`had`) is kept, because it is known.
    """
    if source is not Provenance.ESTIMATED:
        return _fitted(_declared_again(entry))
    is_bounded = any(entry.get(field) is not None for field in ("values", "min", "max"))
    if had and is_bounded and not entry.get("buy"):
        return _fitted(entry)
    for field in (*DOMAIN, "bins", "points"):
        entry.pop(field, None)
    return _fitted({**entry, "buy": True})


def _declared_again(entry: Document) -> Document:
    entry.pop("buy", None)
    return entry


def _fitted(entry: Document) -> Document:
    """Return the entry without the fields that its kind does not have."""
    kind = _kind(entry.get("kind"))
    if kind is None:
        return entry
    entry.pop("id_format", None)
    if "formula" in entry:
        return {field: value for field, value in entry.items() if field in OF_FORMULAS}
    for field in _OF_RANGES if kind.has_values else _OF_VALUES:
        entry.pop(field, None)
    if kind is not Kind.DECIMAL:
        entry.pop("decimals", None)
    if not entry.get("labels"):
        entry.pop("write_labels", None)
    for field in ("decimal_sign", "thousands") if kind is Kind.DATE else ("date_order",):
        entry.pop(field, None)
    unfit = Outside.CLAMP if kind.has_values else Outside.OTHER
    if entry.get("outside") == unfit:
        entry.pop("outside")
    return entry


def with_column(document: Mapping[str, Any], column: Mapping[str, Any]) -> Document:
    """Return the document after an edit of one column in the panel. An empty field means that it is not
    given.
    """
    given = {
        field: value
        for field, value in column.items()
        if value not in (None, "", []) or (field == "thousands" and value == "")
    }
    entry = _fitted({f: v for f, v in given.items() if f not in ("labels", "reads") or any(v)})
    for field, others in (("cuts", ("bins", "step")), ("step", ("bins",))):
        for other in others if field in entry else ():
            entry.pop(other, None)
    same = entry["name"]
    return {**document, "columns": [entry if e["name"] == same else e for e in entries_of(document)]}


def split_values(typed: str) -> tuple[str, ...]:
    """Return the values of a typed list, with one value per line or with commas on a single line.

    On several lines, commas belong to the values. On a single line, quotes protect a comma.

    >>> split_values("red, green"), split_values("Smith, A\\nJones, B")
    (('red', 'green'), ('Smith, A', 'Jones, B'))
    """
    lines = [line.strip() for line in typed.splitlines() if line.strip()]
    if len(lines) == 1:
        lines = [cell.strip() for cell in next(csv.reader(lines, skipinitialspace=True))]
    return tuple(line for line in lines if line)


def typed_values(typed: str, before: Sequence[Value]) -> tuple[list[Value], list[str]]:
    """Return the values of a typed list and their labels, which are empty if there are none. Numbers and
    booleans keep their type.
    """
    if not typed.strip():
        return [], []
    known = {text_of(value): value for value in before}
    values, labels = listed(typed)
    return [known.get(word, word) for word in values], list(labels)


def written_values(values: Sequence[Value], labels: Sequence[str] = ()) -> str:
    """Return a list as the panel shows it: one value per line, with its label after an equals sign."""
    return "\n".join(written_parts(values, labels, alone=len(values) == 1))


def written_labels(labels: Sequence[str]) -> str:
    """Return the labels of bands as one line of text."""
    return ", ".join(f'"{label}"' if "," in label else label for label in labels)


def typed_reads(typed: str, values: Sequence[Value]) -> list[list[str]]:
    """Return the additional codes of each value, from lines with a value, a colon and codes."""
    own: dict[str, list[str]] = {}
    for line in typed.splitlines():
        value, _, codes = line.rpartition(":")
        own.setdefault(value.strip(), []).extend(c.strip() for c in codes.split(",") if c.strip())
    return [own.get(text_of(value), []) for value in values]


def stray_reads(typed: str, values: Sequence[Value]) -> list[str]:
    """Return the lines of additional codes without a declared value or without a code."""
    known = {text_of(value) for value in values}
    parts = [(line.strip(), *line.rpartition(":")[::2]) for line in typed.splitlines() if line.strip()]
    return [line for line, value, codes in parts if value.strip() not in known or not codes.strip()]


def written_reads(values: Sequence[Value], reads: Sequence[Sequence[str]]) -> str:
    """Return the lines that `typed_reads` reads."""
    return "\n".join(f"{text_of(v)}: {', '.join(own)}" for v, own in zip(values, reads, strict=False) if own)


def at_level(column: Mapping[str, Any], length: int) -> Document:
    """Return the column with codes that are truncated to their first characters. Labels of codes of that
    length are kept.
    """
    texts = [text_of(value) for value in column.get("values", ())]
    meant = dict(zip(texts, column.get("labels", ()), strict=False))
    groups = list(dict.fromkeys(text[:length] for text in texts))
    longer = {text[:length] for text in texts if len(text) > length}
    return {
        **column,
        "values": groups,
        "labels": [meant.get(group, "") for group in groups],
        "reads": [[f"{group}{ANY}"] if group in longer else [] for group in groups],
    }


def repeated(values: Sequence[Value]) -> tuple[str, ...]:
    """Return the values that are repeated in a list."""
    words = [text_of(value) for value in values]
    return tuple(dict.fromkeys(word for word in words if words.count(word) > 1))


def typed_points(typed: str, kind: Kind) -> list[int | float | str]:
    """Return the typed ends and cuts of a range. They are numbers if possible, and otherwise strings that
    errors can quote.
    """
    return [_bound(word, kind) for word in split_values(typed)]


def _bound(typed: str, kind: Kind) -> int | float | str:
    word = typed.strip()
    if kind is Kind.DATE:
        return word
    for number_of in (int, float):
        with suppress(ValueError):
            number = number_of(word)
            return number if math.isfinite(number) else word
    return word


def _kind(name: Any) -> Kind | None:
    return Kind(name) if name in list(Kind) else None


def _set(entry: Document, field: str, value: Any) -> None:
    """Set a field, or remove it if the value is None."""
    if value is None:
        entry.pop(field, None)
    else:
        entry[field] = value

"""Read any data dictionary as a draft, which is a schema document that a person completes.

Text formats are recognised by their content, other formats by the file extension. A draft need not be a valid
schema: missing parts are null or absent, as in `starter`, and `load_schema` reports them. Fields with the
wrong shape are removed and reported, so that a form can show every field of a draft.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass
from enum import StrEnum
from importlib.util import find_spec
from pathlib import Path, PurePath
from typing import Any

from synth.core.errors import Mistake
from synth.core.schema import Schema
from synth.dictionaries import apart
from synth.dictionaries.check import show, text_of
from synth.dictionaries.csvw import draft_csvw, is_csvw
from synth.dictionaries.ddi import draft_ddi
from synth.dictionaries.dictionary import draft_dictionary
from synth.dictionaries.document import load_schema, misshapen, without_nulls
from synth.dictionaries.frictionless import draft_frictionless
from synth.dictionaries.sdv import draft_sdv
from synth.dictionaries.statistics import READERS, draft_statistics
from synth.dictionaries.words import FIELD_NAMES, Words


class Format(StrEnum):
    """The format of a dictionary."""

    OWN = "Marginalia schema"
    FRICTIONLESS = "Frictionless table schema"
    SDV = "SDV metadata"
    CSV = "CSV dictionary"
    CSVW = "CSV on the Web metadata"
    DDI = "DDI codebook"
    EXCEL = "Excel dictionary"
    STATISTICS = "labels of a statistics package"
    SPEC = "spec of an earlier release"


EXCEL, XML = ".xlsx", ".xml"
BY_NAME = {*READERS, EXCEL, XML}
"""The extensions of files that are not text, or whose text does not reveal the format."""
RULES_TOO = "Its rules can be loaded on the rules page, from the same file."


@dataclass(frozen=True, kw_only=True)
class Draft:
    """A schema document and its format.

    `lacking` contains sentences about missing parts. `refused` contains sentences about fields with the wrong
    shape, which were removed.
    """

    document: dict[str, Any]
    format: Format
    lacking: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()

    @property
    def notes(self) -> tuple[str, ...]:
        """Return all remarks on the draft."""
        return (
            *self.lacking,
            *(f"{sentence} The given value is not used." for sentence in self.refused),
        )

    def completed(
        self,
        *,
        population: str,
        max_rows: int,
        name: str | None = None,
        id_column: str | None = None,
        rows_public: int | None = None,
    ) -> Schema:
        """Return the schema with the facts that no dictionary contains.

        Raises: `Mistake`, with one sentence per incomplete column or removed field.
        """
        if self.refused:
            raise Mistake("\n".join(self.refused))
        columns = [
            {**c, "kind": c["kind"] or "drop"} if c["name"] == id_column else c
            for c in self.document["columns"]
        ]
        return load_schema(
            {
                **self.document,
                "name": name or self.document["name"],
                "population": population,
                "unit": {"max_rows": max_rows, "id_column": id_column},
                "rows_public": rows_public or False,
                "columns": columns,
            }
        )


def labels_in(path: Path) -> Draft:
    """Return the dictionary in the file of the table, which must be a file of a statistics package.

    The rows are not read.

    Raises: `Mistake` if it cannot be read.
    """
    return _labels(path, path.name, FIELD_NAMES)


def _labels(source: bytes | Path, name: str, words: Words) -> Draft:
    document, notes = draft_statistics(source, name=name)
    return _pruned(document, Format.STATISTICS, words, *notes)


def read_draft(raw: bytes, *, name: str, table: str | None = None, words: Words = FIELD_NAMES) -> Draft:
    """Return the dictionary in the bytes of a file.

    `name` is the name of the file, `table` selects one of several tables, and `words` contains the names of
    the fields in the notes.

    Raises: `Mistake` if it is not UTF-8 text, has an unknown format, or contains no table.
    """
    suffix, stem = PurePath(name).suffix.lower(), PurePath(name).stem or "table"
    if suffix in READERS:
        return _labels(raw, name, words)
    if suffix == EXCEL:
        return _pruned(draft_dictionary(sheet_lines(raw, name=name), name=stem), Format.EXCEL, words)
    if suffix == XML:
        document, notes = draft_ddi(raw, name=name)
        return _pruned(document, Format.DDI, words, *notes)
    parsed = _parsed(raw, name)
    if isinstance(parsed, str):
        return _pruned(draft_dictionary(parsed, name=stem), Format.CSV, words)
    if _is_spec(parsed):
        return _pruned(parsed["schema"], Format.SPEC, words, *([RULES_TOO] if parsed.get("rules") else []))
    form = format_of(parsed)
    try:
        document, notes = _drafted(parsed, form, table, name)
    except (AttributeError, KeyError, TypeError, ValueError):  # a known format with unexpected content
        raise Mistake(f"{show(name)} is not a valid {form}: it cannot be read as a dictionary.") from None
    return _pruned(document, form, words, *notes)


def _is_spec(document: Mapping[str, Any]) -> bool:
    """Whether a JSON object is the `config/spec.json` of a release."""
    schema = document.get("schema")
    named = str(document.get("format", "")).startswith("marginalia-spec/")
    return named and isinstance(schema, Mapping) and isinstance(schema.get("columns"), list)


def tables_in(raw: bytes, *, name: str) -> tuple[str, ...]:
    """Return the names of the tables in a dictionary of several tables, or () if there is only one.

    Raises: `Mistake` if it is not UTF-8 text or has an unknown format.
    """
    if PurePath(name).suffix.lower() in BY_NAME:
        return ()
    parsed = _parsed(raw, name)
    if isinstance(parsed, str):
        return ()
    form = format_of(parsed)
    if form is Format.SDV and isinstance(parsed.get("tables"), Mapping):
        names = tuple(str(key) for key in parsed["tables"])
    elif form is Format.FRICTIONLESS and isinstance(parsed.get("resources"), list):
        names = tuple(str(r.get("name")) for r in parsed["resources"] if isinstance(r, Mapping))
    else:
        names = ()
    return names if len(names) > 1 else ()


def format_of(document: Mapping[str, Any]) -> Format:
    """Return the format of a JSON object. Raises: `Mistake` if the format is unknown."""
    columns = document.get("columns")
    if isinstance(columns, list):
        return Format.OWN
    if is_csvw(document):
        return Format.CSVW
    if isinstance(document.get("tables"), Mapping) or isinstance(columns, Mapping):
        return Format.SDV
    if any(field in document for field in ("resources", "fields", "schema")):
        return Format.FRICTIONLESS
    raise Mistake(
        "This JSON file is not a known data dictionary: it has neither 'columns' (a Marginalia schema or SDV "
        "metadata), 'fields' or 'resources' (Frictionless), nor 'tableSchema' (CSV on the Web)."
    )


def _parsed(raw: bytes, name: str) -> dict[str, Any] | str:
    """Return the JSON object in the bytes, or their text, which must then be a CSV."""
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise Mistake(f"{show(name)} is not UTF-8 text; save it as UTF-8.") from None
    if not text.lstrip().startswith(("{", "[")):
        return text
    try:
        parsed = json.loads(text)
    except (json.JSONDecodeError, RecursionError) as error:
        place = f" (line {error.lineno}, column {error.colno})" if isinstance(error, ValueError) else ""
        raise Mistake(f"{show(name)} is not a JSON document{place}.") from None
    if not isinstance(parsed, dict):
        raise Mistake(f"{show(name)} must contain one JSON object, not a list.")
    return parsed


def _drafted(
    parsed: Mapping[str, Any], form: Format, table: str | None, name: str
) -> tuple[dict[str, Any], tuple[str, ...]]:
    if form is Format.FRICTIONLESS:
        return draft_frictionless(parsed, resource=table)
    if form is Format.SDV:
        return draft_sdv(parsed, table=table)
    if form is Format.CSVW:
        return draft_csvw(parsed, name=name)
    return dict(parsed), ()


def _pruned(document: Mapping[str, Any], form: Format, words: Words, *lacking: str) -> Draft:
    """Return the document without unnamed columns and fields with the wrong shape.

    The draft has a sentence for each removed field.
    """
    named = [c for c in document["columns"] if isinstance(c, Mapping) and str(c.get("name") or "").strip()]
    if not named:
        raise Mistake("The dictionary names no column.")
    kept = {**document, "columns": [{**c, "name": str(c["name"])} for c in named]}
    pruned = deepcopy(without_nulls(kept))
    refused = misshapen(pruned, words)
    for path, _ in refused:
        place: Any = pruned
        for step in path[:-1]:
            place = place[step]
        del place[path[-1]]
    for column in pruned["columns"]:
        column.setdefault("kind", None)
    return Draft(document=pruned, format=form, lacking=lacking, refused=tuple(s for _, s in refused))


_EXCEL_NEEDED = (
    "Excel workbooks are read with openpyxl, which is not installed: pip install openpyxl. Alternatively, "
    "save the sheet as CSV."
)


def sheet_lines(raw: bytes, *, name: str) -> str:
    """Return the first sheet as CSV text.

    Raises: `Mistake` if `openpyxl` is missing, or if the file is not a workbook.
    """
    if find_spec("openpyxl") is None:
        raise Mistake(_EXCEL_NEEDED)
    try:
        rows = apart.content_of(raw, way=apart.WORKBOOK)
    except ValueError:
        raise Mistake(f"{show(name)} cannot be read as an Excel workbook.") from None
    width = max(
        (number for row in rows for number, cell in enumerate(row, start=1) if cell is not None), default=0
    )
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerows(["" if cell is None else text_of(cell) for cell in row[:width]] for row in rows)
    return out.getvalue()

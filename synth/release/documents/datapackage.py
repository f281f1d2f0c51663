"""Write the machine-readable data dictionary: a Frictionless Data Package (v2) that describes the synthetic
table."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from typing import Any

from synth.core.schema import Column, Schema
from synth.dictionaries import to_frictionless
from synth.release.csv_text import guard
from synth.release.layout import LICENSE, Layout

_PACKAGE_PROFILE = "https://datapackage.org/profiles/2.0/datapackage.json"
_RESOURCE_PROFILE = "https://datapackage.org/profiles/2.0/dataresource.json"
_DIALECT = {"header": True, "delimiter": ",", "lineTerminator": "\r\n", "quoteChar": '"', "doubleQuote": True}
_GUARD = (
    "If a spreadsheet could run a text cell or column name as a formula, the cell has one apostrophe in "
    "front. Remove exactly one apostrophe to restore it. The fields in which this can occur are marked; "
    "the label of each category is the original text. The Parquet file has no such apostrophes."
)
_MEDIA_TYPES = {
    "csv": "text/csv",
    "parquet": "application/vnd.apache.parquet",
    "json": "application/json",
    "html": "text/html",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "dta": "application/x-stata-dta",
    "sav": "application/x-spss-sav",
}
_NOISY_COUNTS = {
    "fields": [
        {"name": "table", "type": "integer", "description": "position of the table in measurements.json"},
        {"name": "clique", "type": "string", "description": "columns of the table, as a JSON list of names"},
        {"name": "cell", "type": "integer", "description": "position of the cell in C order, from 0"},
        {
            "name": "codes",
            "type": "any",
            "description": "code of the cell in each column, a list of integers",
        },
        {"name": "count", "type": "integer", "description": "noisy count"},
        {"name": "sigma", "type": "number", "description": "parameter of the noise in this count"},
        {"name": "rho_units", "type": "integer", "description": "privacy cost of the table in 1e-12 rho"},
        {
            "name": "part",
            "type": "string",
            "description": "part of the budget to which the table was charged",
        },
        {"name": "step", "type": "integer", "description": "position of the query in that part"},
    ]
}
"""The columns of `measurements.MARGINALS`.

Codes have the type `any`: `frictionless` does not accept a Parquet list as an array, and it fails if there
is no schema.
"""
_UNCOUNTED = ("parquet",)
"""Formats for which the hash is stated, but not the size.

`frictionless validate` reads them without counting bytes, and would report that a stated size is wrong.
"""


def datapackage(
    schema: Schema,
    files: Mapping[str, bytes],
    *,
    layout: Layout,
    release: Mapping[str, Any],
    licence: str = "",
) -> dict[str, Any]:
    """Return the descriptor.

    `files` maps each path in the bundle to its bytes, from which sizes and hashes are computed. `release` is
    the part of the statement with this name. The table's schema describes the cells as they are written in
    the CSV.
    """
    rehearsal = "REHEARSAL, not a release. " if layout.rehearsal else ""
    others = (
        layout.measurements,
        layout.statement,
        layout.checks,
        layout.spec,
    )
    return {
        "$schema": _PACKAGE_PROFILE,
        "name": slug(schema.name),
        "id": release["id"],
        "title": f"{rehearsal}{schema.title or schema.name}: synthetic rows with differential privacy",
        "description": f"{rehearsal}{schema.description}".strip()
        or "Synthetic rows. The privacy statement is in the package.",
        "created": f"{release['date']}T00:00:00Z",
        "keywords": ["synthetic data", "differential privacy"],
        "licenses": [{"path": LICENSE, "title": licence or "no licence was chosen; see the file"}],
        "resources": [
            {
                **_resource(layout.csv, files),
                "type": "table",
                "encoding": "utf-8",
                "dialect": _DIALECT,
                "schema": table_schema(schema),
                "formulaGuard": _GUARD,
            },
            {**_resource(layout.parquet, files), "type": "table", "schema": _untyped(schema)},
            {**_resource(layout.marginals, files), "type": "table", "schema": _NOISY_COUNTS},
            *(_resource(path, files) for path in others),
            *(_resource(path, files) for path in sorted(files) if _is_form(path, layout)),
        ],
    }


def _is_form(path: str, layout: Layout) -> bool:
    """Whether a file is the synthetic table in a further format (`release.formats.forms`)."""
    return path.startswith(layout.csv.removesuffix(".csv")) and path not in (layout.csv, layout.parquet)


def table_schema(schema: Schema) -> dict[str, Any]:
    """Return the Table Schema of the CSV: the declared domains, with values as they are written in the
    cells."""
    described = to_frictionless(schema)
    columns = {column.name: column for column in schema.published}
    return {**described, "fields": [_field(f, columns[f["name"]]) for f in described["fields"]]}


def _untyped(schema: Schema) -> dict[str, Any]:
    """Return the schema of the Parquet file, with names only, because Parquet stores its own types.

    `frictionless` reads a missing number in Parquet as NaN, which it accepts neither as an integer nor inside
    a range.
    """
    return {"fields": [{"name": column.name, "type": "any"} for column in schema.published]}


def _field(field: dict[str, Any], column: Column) -> dict[str, Any]:
    name = guard(field["name"])
    entry = {**field, "name": name, "provenance": column.provenance.value}
    if name != field["name"]:
        entry["title"] = field.get("title", field["name"])
    listed = [e if isinstance(e, Mapping) else {"value": e} for e in field.get("categories", [])]
    if any(isinstance(e["value"], str) and guard(e["value"]) != e["value"] for e in listed):
        entry["categories"] = [
            {"value": guard(str(e["value"])), "label": str(e.get("label", e["value"]))} for e in listed
        ]
        entry["formulaGuard"] = True
    return entry


def _resource(path: str, files: Mapping[str, bytes]) -> dict[str, Any]:
    stem, _, suffix = path.rpartition("/")[2].partition(".")
    size = {} if suffix in _UNCOUNTED else {"bytes": len(files[path])}
    return {
        "$schema": _RESOURCE_PROFILE,
        "name": slug(f"{stem}-{suffix}"),
        "path": path,
        "format": suffix,
        "mediatype": _MEDIA_TYPES[suffix],
        **size,
        "hash": f"sha256:{hashlib.sha256(files[path]).hexdigest()}",
    }


def slug(text: str) -> str:
    """Return a text as a name that the standard allows: lower-case letters, digits, dots and dashes.

    >>> slug("Survey of 2024 (raw)")
    'survey-of-2024-raw'
    """
    return re.sub(r"[^a-z0-9._]+", "-", text.lower()).strip("-") or "table"

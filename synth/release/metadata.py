"""The data dictionary in the words of two other houses: SDV's metadata, and Croissant for catalogues.

SDV: docs.sdv.dev, "Metadata JSON" (V1). Croissant: docs.mlcommons.org, format specification 1.1 with the
vocabulary for responsible AI (RAI 1.0), whose flag for synthetic data is set.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

from synth.release.citation import spdx
from synth.release.csv_text import guard
from synth.release.datapackage import slug
from synth.release.layout import REHEARSAL, Layout
from synth.schema import Column, Kind, Schema

CONTEXT = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "sc": "https://schema.org/",
    "cr": "http://mlcommons.org/croissant/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "dct": "http://purl.org/dc/terms/",
    "citeAs": "cr:citeAs",
    "column": "cr:column",
    "conformsTo": "dct:conformsTo",
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "extract": "cr:extract",
    "field": "cr:field",
    "fileObject": "cr:fileObject",
    "format": "cr:format",
    "isLiveDataset": "cr:isLiveDataset",
    "recordSet": "cr:recordSet",
    "source": "cr:source",
}
_TYPES = {Kind.INTEGER: "sc:Integer", Kind.DECIMAL: "sc:Float", Kind.DATE: "sc:Date"}


def sdv(schema: Schema) -> dict[str, Any]:
    """Kinds and orders of the columns; SDV has no place for ranges or for lists without an order."""
    columns = {column.name: _sdv_column(column) for column in schema.modelled}
    return {
        "METADATA_SPEC_VERSION": "V1",
        "tables": {slug(schema.name): {"columns": columns}},
        "relationships": [],
    }


def _sdv_column(column: Column) -> dict[str, Any]:
    if column.kind is Kind.INTEGER:
        return {"sdtype": "numerical", "computer_representation": "Int64"}
    if column.kind is Kind.DECIMAL:
        return {"sdtype": "numerical", "computer_representation": "Float"}
    if column.kind is Kind.DATE:
        return {"sdtype": "datetime", "datetime_format": "%Y-%m-%d"}
    order = {"order": list(column.values)} if column.kind is Kind.ORDERED and column.values else {}
    return {"sdtype": "categorical", **order}


def croissant(
    schema: Schema, files: Mapping[str, bytes], statement: Mapping[str, Any], *, layout: Layout
) -> dict[str, Any]:
    """The table as a Croissant data set. `files` maps paths of the bundle to their bytes, for the hashes."""
    release, imprint = statement["release"], statement["imprint"]
    mark = f"{REHEARSAL}, not a release. " if release["rehearsal"] else ""
    licence = spdx(imprint["licence"])
    terms = f"https://spdx.org/licenses/{licence}.html" if licence else imprint["licence"]
    return {
        "@context": CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": ["http://mlcommons.org/croissant/1.1", "http://mlcommons.org/croissant/RAI/1.0"],
        "name": slug(schema.name),
        "description": f"{mark}{release['title']}: synthetic rows with differential privacy.",
        "version": release["id"],
        "datePublished": release["date"],
        "isLiveDataset": False,
        **({"license": terms} if terms else {}),
        "rai:hasSyntheticData": True,
        "rai:dataLimitations": list(statement["known_limits"]),
        "rai:dataUseCases": imprint["purpose"],
        "rai:personalSensitiveInformation": statement["promise"],
        "distribution": [
            _file("table", layout.csv, "text/csv", files),
            _file("table-parquet", layout.parquet, "application/vnd.apache.parquet", files),
        ],
        "recordSet": [
            {
                "@type": "cr:RecordSet",
                "@id": "rows",
                "name": "rows",
                "field": [_field(number, column) for number, column in enumerate(schema.modelled)],
            }
        ],
    }


def _file(name: str, path: str, form: str, files: Mapping[str, bytes]) -> dict[str, Any]:
    return {
        "@type": "cr:FileObject",
        "@id": name,
        "name": name,
        "contentUrl": path,
        "encodingFormat": form,
        "contentSize": f"{len(files[path])} B",
        "sha256": hashlib.sha256(files[path]).hexdigest(),
    }


def _field(number: int, column: Column) -> dict[str, Any]:
    said = " ".join(f"{column.title} {column.description}".split())
    return {
        "@type": "cr:Field",
        "@id": f"rows/{number}",
        "name": column.name,
        **({"description": said} if said else {}),
        "dataType": _TYPES.get(column.kind, "sc:Text"),
        "source": {"fileObject": {"@id": "table"}, "extract": {"column": guard(column.name)}},
    }

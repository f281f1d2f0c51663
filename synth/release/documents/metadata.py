"""Write the data dictionary in two other formats: SDV's metadata, and Croissant for catalogues.

SDV: docs.sdv.dev, "Metadata JSON" (V1). Croissant: docs.mlcommons.org, format specification 1.1 with the
vocabulary for responsible AI (RAI 1.0), whose flag for synthetic data is set.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

from synth.core.schema import Column, Kind, Schema
from synth.release.csv_text import guard
from synth.release.documents import citation
from synth.release.documents.citation import spdx
from synth.release.documents.datapackage import slug
from synth.release.documents.templating import flat
from synth.release.layout import LICENSE, REHEARSAL, Layout

_TERMS = (
    "arrayShape", "citeAs", "column", "containedIn", "equivalentProperty", "extract", "field", "fileObject",
    "fileProperty", "fileSet", "format", "includes", "isArray", "isLiveDataset", "jsonPath", "key", "md5",
    "parentField", "path", "recordSet", "references", "regex", "repeated", "replace", "samplingRate",
    "separator", "source", "subField", "transform",
)  # fmt: skip
_CONTEXT = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "sc": "https://schema.org/",
    "cr": "http://mlcommons.org/croissant/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "dct": "http://purl.org/dc/terms/",
    "conformsTo": "dct:conformsTo",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "description": {"@container": "@language"},
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "name": {"@container": "@language"},
    **{term: f"cr:{term}" for term in _TERMS},
}
"""The complete context of Croissant 1.1. Readers warn of any other context."""
_TYPES = {Kind.INTEGER: "sc:Integer", Kind.DECIMAL: "sc:Float", Kind.DATE: "sc:Date"}


def sdv(schema: Schema) -> dict[str, Any]:
    """Return the kinds of the columns and the order of their values.

    SDV has no fields for ranges or for lists without an order.
    """
    columns = {column.name: _sdv_column(column) for column in schema.published}
    return {
        "METADATA_SPEC_VERSION": "V1",
        "tables": {slug(schema.name): {"columns": columns}},
        "relationships": [],
    }


def _sdv_column(column: Column) -> dict[str, Any]:
    if column.id_format:
        return {"sdtype": "id"}
    if column.holds_bands:
        return {"sdtype": "categorical", "order": list(column.labels)}
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
    """Return the description of the table as a Croissant data set.

    `files` maps each path in the bundle to its bytes, from which the hashes are computed. The paths in the
    description are relative to its folder. A release never changes, so the version is always the first one,
    followed by a plus sign and the release ID, as semantic versioning allows.
    """
    release, imprint = statement["release"], statement["imprint"]
    mark = f"{REHEARSAL}, not a release. " if release["rehearsal"] else ""
    licence, purpose = spdx(imprint["licence"]), imprint["purpose"]
    terms = f"https://spdx.org/licenses/{licence}.html" if licence else imprint["licence"]
    return {
        "@context": _CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": ["http://mlcommons.org/croissant/1.1", "http://mlcommons.org/croissant/RAI/1.0"],
        "name": slug(schema.name),
        "description": flat(
            f"{mark}{release['title']}: synthetic rows with differential privacy. "
            f"{' '.join(statement.get('accuracy', ()))}"
        ),
        "version": f"1.0.0+{release['id']}",
        "datePublished": release["date"],
        "isLiveDataset": False,
        "license": terms or f"None was chosen; see {LICENSE}.",
        "citeAs": citation.sentence(statement),
        "rai:hasSyntheticData": True,
        "rai:dataLimitations": list(statement["known_limits"]),
        **({"rai:dataUseCases": purpose} if purpose else {}),
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
                "field": [_field(number, column) for number, column in enumerate(schema.published)],
            }
        ],
    }


def _file(name: str, path: str, form: str, files: Mapping[str, bytes]) -> dict[str, Any]:
    return {
        "@type": "cr:FileObject",
        "@id": name,
        "name": name,
        "contentUrl": f"../{path}",
        "encodingFormat": form,
        "contentSize": f"{len(files[path])} B",
        "sha256": hashlib.sha256(files[path]).hexdigest(),
    }


def _field(number: int, column: Column) -> dict[str, Any]:
    description = flat(f"{column.title} {column.description}")
    return {
        "@type": "cr:Field",
        "@id": f"rows/{number}",
        "name": column.name,
        **({"description": description} if description else {}),
        "dataType": "sc:Text" if column.holds_bands else _TYPES.get(column.kind, "sc:Text"),
        "source": {"fileObject": {"@id": "table"}, "extract": {"column": guard(column.name)}},
    }

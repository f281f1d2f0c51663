"""What other people's programs check in a published bundle, as far as it is known."""

import json
import re
from html import escape
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from jsonschema import Draft202012Validator

from synth.release import bundle
from synth.release.documents.measurements import MARGINALS
from synth.release.documents.statement import Imprint
from synth.release.layout import Layout
from synth.release.synthesis import Synthesis

L = Layout()
SEMANTIC = re.compile(r"(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(\+[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*)?")
"""The part of semver.org's grammar that has no pre-release."""

RESOURCE: dict[str, Any] = {
    "type": "object",
    "required": ["name", "path"],
    "properties": {
        "name": {"type": "string", "pattern": r"^[-a-z0-9._/]+$"},
        "path": {"type": "string", "pattern": r"^(?!/)(?!.*\.\.)"},
        "bytes": {"type": "integer"},
        "hash": {"type": "string", "pattern": r"^sha256:[0-9a-f]{64}$"},
        "encoding": {"const": "utf-8"},
    },
}
PACKAGE: dict[str, Any] = {
    "type": "object",
    "required": ["resources", "licenses"],
    "properties": {
        "name": {"type": "string", "pattern": r"^[-a-z0-9._/]+$"},
        "created": {"type": "string", "pattern": r"^\d{4}-\d\d-\d\dT00:00:00Z$"},
        "keywords": {"type": "array", "minItems": 1, "items": {"type": "string"}},
        "licenses": {"type": "array", "minItems": 1, "items": {"anyOf": [{"required": ["path"]}]}},
        "resources": {"type": "array", "minItems": 1, "items": RESOURCE},
    },
}
"""What the profiles of Frictionless Data Package 2.0 ask of what we write."""

RECOMMENDED = ("name", "description", "license", "citeAs", "version", "datePublished", "distribution")
"""What mlcroissant misses aloud, but for a web address, which a bundle has not got."""


def test_the_package_has_the_form_of_the_standard(written: Path) -> None:
    package = json.loads((written / "datapackage.json").read_text())
    assert [error.message for error in Draft202012Validator(PACKAGE).iter_errors(package)] == []
    names = [resource["name"] for resource in package["resources"]]
    assert len(set(names)) == len(names)


def test_parquet_files_are_described_column_by_column(written: Path) -> None:
    package = json.loads((written / "datapackage.json").read_text())
    fields = {
        r["path"]: [field["name"] for field in r["schema"]["fields"]]
        for r in package["resources"]
        if r["format"] == "parquet"
    }
    assert fields[L.marginals] == MARGINALS.names
    assert fields[L.parquet] == pq.read_schema(written / L.parquet).names


@pytest.mark.parametrize("licence", ["", "CC BY 4.0", "By agreement only"])
def test_croissant_has_all_that_is_recommended(synthesis: Synthesis, tmp_path: Path, licence: str) -> None:
    folder = bundle.write(synthesis, tmp_path / "bundle", imprint=Imprint(licence=licence))
    stated = json.loads((folder / L.croissant).read_text())
    assert all(stated[name] for name in RECOMMENDED)
    assert all(value != "" for value in stated.values())
    assert SEMANTIC.fullmatch(stated["version"]) and stated["version"].endswith(bundle_id(folder))
    assert bundle_id(folder) in stated["citeAs"]
    assert escape(stated["citeAs"], quote=False) in (folder / "README.md").read_text()
    expected = {
        "": "None was chosen; see LICENSE.txt.",
        "CC BY 4.0": "https://spdx.org/licenses/CC-BY-4.0.html",
    }
    assert stated["license"] == expected.get(licence, licence)
    for file in stated["distribution"]:
        assert (folder / L.croissant).parent.joinpath(file["contentUrl"]).is_file()


def bundle_id(folder: Path) -> str:
    return str(json.loads((folder / L.statement).read_text())["release"]["id"])

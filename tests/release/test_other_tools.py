"""Other people's programs read a published bundle without a word of complaint.

What they check is checked here as well, as far as it is known, so that it holds without them. The programs
themselves bring half a gigabyte, so each is run only on request, in an environment of its own.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
from html import escape
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from jsonschema import Draft202012Validator

from synth.api import open_budget, synthesize
from synth.bench.peers.catalogue import Library
from synth.bench.peers.homes import interpreter
from synth.dictionaries import load_schema
from synth.release import bundle
from synth.release.documents.measurements import MARGINALS
from synth.release.documents.statement import Imprint
from synth.release.layout import Layout
from synth.release.synthesis import Synthesis
from synth.rules import parse_rules

ASSETS = Path(__file__).parents[2] / "assets"
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

FRICTIONLESS = ("frictionless[parquet]==5.21.0", "pandas==3.1.1")
CHECK_PACKAGE = """
import sys
from frictionless import Package
found = Package(sys.argv[1]).validate()
assert len(found.tasks) == 7
print(found.flatten(["name", "type", "note"]))
sys.exit(not found.valid)
"""

MLCROISSANT = ("mlcroissant==1.1.1",)
CHECK_CROISSANT = """
import sys, logging
import mlcroissant
data = mlcroissant.Dataset(sys.argv[1])
found = data.metadata.ctx.issues
print(found.errors, found.warnings)
assert next(iter(data.records("rows")))
sys.exit(bool(found.errors or found.warnings))
"""

SDMETRICS = ("sdmetrics==0.32.0",)
CHECK_SDV = """
import json, sys
import pandas
from sdmetrics.reports.single_table import DiagnosticReport, QualityReport
(told,) = json.load(open(sys.argv[1]))["tables"].values()
ours = pandas.read_csv(sys.argv[2])
truth = pandas.read_csv(sys.argv[3], header=None, names=list(ours), skipinitialspace=True, na_values="?")
for report, least in ((DiagnosticReport(), 0.99), (QualityReport(), 0.95)):
    report.generate(truth, ours, told, verbose=False)
    print(type(report).__name__, report.get_score())
    assert report.get_score() > least
"""


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
    told = json.loads((folder / L.croissant).read_text())
    assert all(told[name] for name in RECOMMENDED)
    assert all(value != "" for value in told.values())
    assert SEMANTIC.fullmatch(told["version"]) and told["version"].endswith(bundle_id(folder))
    assert bundle_id(folder) in told["citeAs"]
    assert escape(told["citeAs"], quote=False) in (folder / "README.md").read_text()
    expected = {
        "": "None was chosen; see LICENSE.txt.",
        "CC BY 4.0": "https://spdx.org/licenses/CC-BY-4.0.html",
    }
    assert told["license"] == expected.get(licence, licence)
    for file in told["distribution"]:
        assert (folder / L.croissant).parent.joinpath(file["contentUrl"]).is_file()


def bundle_id(folder: Path) -> str:
    return str(json.loads((folder / L.statement).read_text())["release"]["id"])


on_request = pytest.mark.skipif(
    "MARGINALIA_PEERS" not in os.environ, reason="installs another program: set MARGINALIA_PEERS=1"
)


def told_by(name: str, installs: tuple[str, ...], program: str, *arguments: Path) -> str:
    """What a program says in its own environment. Raises: `AssertionError` if it ends with a fault."""
    library = Library(name=name, driver=Path(), installs=(installs,), neighbours="", caveats=())
    asked = [str(interpreter(library)), "-W", "ignore", "-c", program, *map(str, arguments)]
    done = subprocess.run(asked, capture_output=True, text=True, check=False, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


@pytest.mark.long
@on_request
def test_frictionless_finds_every_resource_valid(written: Path) -> None:
    told_by("frictionless", FRICTIONLESS, CHECK_PACKAGE, written / "datapackage.json")


@pytest.mark.long
@on_request
def test_mlcroissant_reads_the_rows_and_warns_of_nothing(written: Path) -> None:
    said = told_by("mlcroissant", MLCROISSANT, CHECK_CROISSANT, written / L.croissant)
    assert "WARNING" not in said and "not standard" not in said


@pytest.mark.long
@on_request
def test_sdmetrics_finds_adult_well_kept(tmp_path: Path) -> None:
    table = Path(os.environ["MARGINALIA_DATA"]) / "adult" / "adult.data"
    schema, rules = (ASSETS / f"adult.{part}.json" for part in ("schema", "rules"))
    declared = load_schema(schema)
    line = tmp_path / "ledger.sqlite"
    open_budget(declared, epsilon=2.0, delta=1e-9, reason="test", ledger=line)
    made = synthesize(
        table, declared, epsilon=1.0, delta=1e-9, rules=[*parse_rules(rules, declared).document["rules"]],
        ledger=line,
    )  # fmt: skip
    folder = bundle.write(made, tmp_path / "bundle")
    told_by("sdmetrics", SDMETRICS, CHECK_SDV, folder / L.sdv, folder / L.csv, table)

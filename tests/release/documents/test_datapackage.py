import hashlib
import json
from pathlib import Path

from synth.release.documents.datapackage import slug, table_schema
from synth.release.layout import Layout
from synth.release.synthesis import Synthesis


def test_resources_state_their_size_and_hash(written: Path) -> None:
    package = json.loads((written / "datapackage.json").read_text())
    assert package["$schema"].endswith("/2.0/datapackage.json")
    paths = [resource["path"] for resource in package["resources"]]
    assert paths[0] == Layout().csv and len(set(paths)) == len(paths) == 7
    for resource in package["resources"]:
        content = (written / resource["path"]).read_bytes()
        assert resource.get("bytes", len(content)) == len(content)
        assert resource["hash"] == "sha256:" + hashlib.sha256(content).hexdigest()
        assert resource["name"] == slug(resource["name"])
    assert len({r["name"] for r in package["resources"]}) == 7


def test_the_table_is_described_as_its_cells_are_written(synthesis: Synthesis, written: Path) -> None:
    package = json.loads((written / "datapackage.json").read_text())
    table = package["resources"][0]
    assert table["type"] == "table" and table["dialect"]["lineTerminator"] == "\r\n"
    assert table["schema"] == json.loads(json.dumps(table_schema(synthesis.schema)))
    assert table["schema"]["missingValues"] == [""]
    fields = {field["name"]: field for field in table["schema"]["fields"]}
    header = (written / Layout().csv).read_text().splitlines()[0]
    assert ",".join(fields) == header
    assert fields["age"]["constraints"] == {"minimum": 0, "maximum": 99}
    assert fields["school"]["constraints"] == {"required": True}
    assert fields["age"]["provenance"] == "not stated"


def test_guarded_labels_are_declared_with_what_they_stand_for(synthesis: Synthesis) -> None:
    fields = {field["name"]: field for field in table_schema(synthesis.schema)["fields"]}
    evil = "=1+cmd|' /C calc'!A0"
    assert fields["marital"]["formulaGuard"]
    assert {"value": f"'{evil}", "label": evil} in fields["marital"]["categories"]
    assert all(isinstance(entry, dict) for entry in fields["marital"]["categories"])
    assert fields["'@note"]["title"] == "@note"
    assert fields["ward"]["categories"] == [-1, 0, 1] and fields["ward"]["type"] == "integer"

import csv
import hashlib
import json
from pathlib import Path

from synth.core.schema import Kind
from synth.dictionaries.sdv import draft_sdv
from synth.release.layout import Layout
from synth.release.synthesis import Synthesis

L = Layout()


def test_sdv_metadata_is_read_back_with_the_same_kinds(synthesis: Synthesis, written: Path) -> None:
    metadata = json.loads((written / L.sdv).read_text())
    assert metadata["METADATA_SPEC_VERSION"] == "V1" and list(metadata["tables"]) == ["survey"]
    again = draft_sdv(metadata)[0]["columns"]
    kinds = {column.name: column.kind for column in synthesis.schema.modelled}
    assert {column["name"]: column["kind"] for column in again} == kinds
    school = next(c for c in again if c["kind"] == Kind.ORDERED)
    assert school["values"] == ["<script>x</script>", "low", "high"]


def test_croissant_points_at_the_table_and_its_columns(written: Path) -> None:
    stated = json.loads((written / L.croissant).read_text())
    assert stated["rai:hasSyntheticData"] is True
    for file in stated["distribution"]:
        content = ((written / L.croissant).parent / file["contentUrl"]).read_bytes()
        assert file["sha256"] == hashlib.sha256(content).hexdigest()
        assert file["contentSize"] == f"{len(content)} B"
    with (written / L.csv).open(newline="") as table:
        header = next(csv.reader(table))
    fields = stated["recordSet"][0]["field"]
    assert [field["source"]["extract"]["column"] for field in fields] == header
    assert len({field["@id"] for field in fields}) == len(fields)

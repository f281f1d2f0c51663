"""Columns come from a dictionary or a first line; whom the table is about stays the steward's word."""

import io
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from synth.app.jobs.spec import RunSpec
from synth.app.jobs.store import Job
from synth.app.project.describe import sources
from synth.app.project.store import Origin, Project, fresh_id
from synth.app.ui.text.schema import checks as checks_words
from synth.app.ui.text.schema import ways as ways_words
from synth.core.errors import Mistake
from synth.dictionaries import load_schema

pytestmark = pytest.mark.usefixtures("project_home")

COLUMNS = [{"name": "age", "kind": "integer", "min": 0, "max": 9}]
OWN = {
    "name": "theirs",
    "population": "everyone",
    "unit": {"max_rows": 3, "name": "household"},
    "columns": COLUMNS,
}


def project(**schema: Any) -> Project:
    document = {"name": "mine", "columns": []} | schema
    return Project(id=fresh_id(), name="mine", origin=Origin.PENDING, data="", schema=document)


def load(start: Project, document: Any, name: str = "d.json") -> tuple[Project, tuple[str, ...]]:
    raw = document if isinstance(document, bytes) else json.dumps(document).encode()
    project, loaded = sources.with_dictionary(start, raw, name=name, words=checks_words.WORDS)
    return project, ways_words.loaded(loaded, project.schema["unit"])


def test_a_dictionary_fills_what_is_open_and_overrules_nothing_decided() -> None:
    loaded, notes = load(project(), OWN)
    assert loaded.schema["population"] == "everyone" and loaded.schema["unit"]["max_rows"] == 3
    assert loaded.schema["name"] == "mine"
    assert len(notes) == 1
    decided = project(population="town", unit={"max_rows": 1, "name": "person"}, rows_public=26_000)
    loaded, notes = load(decided, OWN)
    assert loaded.schema["population"] == "town"
    assert loaded.schema["unit"] == {"max_rows": 1, "name": "person"}
    assert loaded.schema["rows_public"] == 26_000
    assert "3 rows" in notes[-1] and "your 1 applies" in notes[-1]
    assert load_schema(loaded.schema).columns[0].max == 9


def test_an_upload_is_deleted_once_another_took_its_place_unless_a_run_needs_it(project_home: Path) -> None:
    def given(before: Project, content: bytes) -> Project:
        box = io.BytesIO(content)
        box.name = "t.csv"  # type: ignore[attr-defined]
        return sources.with_file(before, path="", upload=box)  # type: ignore[arg-type]

    first = given(project(), b"one")
    again = given(first, b"corrected")
    assert Path(first.data).read_bytes() == b"one"
    sources.delete_uploads(again)
    assert not Path(first.data).exists() and Path(again.data).read_bytes() == b"corrected"
    order = {"schema": {}, "population": "p", "epsilon": 1.0, "delta": 1e-9, "seed": 1}
    places = {"out": str(project_home / "out"), "ledger": str(project_home / "ledger")}
    Job.create(RunSpec(run="r", data=again.data, **order, **places))
    after = given(replace(again, runs=("r",)), b"another")
    unused = given(after, b"last")
    order_of_r = Job.find("r").folder / "spec.json"
    whole = order_of_r.read_text()
    order_of_r.write_text("{}")
    sources.delete_uploads(unused)
    assert Path(after.data).exists()
    order_of_r.write_text(whole)
    sources.delete_uploads(unused)
    left = {path.read_bytes() for path in unused.folder.glob("private*")}
    assert left == {b"corrected", b"last"}


def test_a_public_file_gives_its_columns_and_the_id_stays_left_out(project_home: Path) -> None:
    place = project_home / "tables" / "public.csv"
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text("id,ward\n1,a\n2,b\n", encoding="utf-8")
    start = replace(project(unit={"max_rows": 1, "id_column": "id"}), data=str(place))
    with pytest.raises(Mistake, match="private"):
        sources.with_domains(start, public=False)
    found = sources.with_domains(start, public=True)
    assert found.header == ("id", "ward") and found.schema["file_is_public"] is True
    assert found.schema["columns"][0] == {"name": "id", "kind": "drop"}
    assert found.schema["columns"][1]["provenance"] == "read from file"


def test_names_read_again_replace_columns_without_a_domain_and_no_others(project_home: Path) -> None:
    place = project_home / "tables" / "t.csv"
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text("A title,x\nage,ward\n1,a\n", encoding="utf-8")
    above = sources.with_header(replace(project(), data=str(place)))
    assert [c["name"] for c in above.schema["columns"]] == ["A title", "x"]
    below = sources.with_header(replace(above, schema={**above.schema, "file": {"skip_lines": 1}}))
    assert [c["name"] for c in below.schema["columns"]] == ["age", "ward"]
    typed = {"name": "pay", "kind": "integer", "min": 0, "max": 9}
    kept = sources.with_header(replace(below, schema={**below.schema, "columns": [typed]}))
    assert kept.schema["columns"] == [typed] and kept.header == ("age", "ward")


def test_another_file_is_private_until_somebody_says_otherwise(project_home: Path) -> None:
    upload = io.BytesIO(b"a\n1\n")
    upload.name = "t.csv"
    real, rehearsal = project(file_is_public=True), replace(project(file_is_public=True), rehearsal=True)
    assert "file_is_public" not in sources.with_file(real, path="", upload=upload).schema
    assert sources.with_file(rehearsal, path="", upload=upload).schema["file_is_public"]

"""The columns page in the journey: from nothing to a declaration that unlocks what comes next."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from synth.app.project import store as projects
from synth.app.project.store import Origin, Project
from tests.app.opened import opened
from tests.conftest import SCHEMA

DICTIONARY = {**SCHEMA, "population": "theirs", "columns": SCHEMA["columns"][:2]}


@pytest.fixture
def bare(project_home: Path) -> Project:
    """A project for which it is settled who is protected, and nothing else."""
    facts = {"origin": Origin.PENDING, "data": "", "schema": SCHEMA | {"columns": []}, "settled": ("unit",)}
    project = Project(id=projects.fresh_id(), name="mine", **facts)
    projects.save(project)
    return project


def test_a_dictionary_unlocks_the_way_on_and_the_steward_keeps_the_population(bare: Project) -> None:
    test = opened("schema", bare)
    assert test.button(key="next-schema").disabled
    raw = json.dumps(DICTIONARY).encode()
    test.file_uploader(key="dictionary-0-dictionary").upload("d.json", raw, "application/json").run()
    test.button(key="load-dictionary").click().run()
    assert not test.error
    assert projects.load(bare.id).schema["population"] == "town"
    assert any("2 columns" in done.value for done in test.success)
    assert not test.button(key="next-schema").disabled
    test.button(key="next-schema").click().run()
    assert "schema" in projects.load(bare.id).settled


def test_columns_are_read_off_a_file_only_once_it_is_called_public(bare: Project) -> None:
    place = bare.folder / "town.csv"
    place.write_text("age,ward\n3,north\n44,south\n9,east\n", encoding="utf-8")
    projects.save(replace(bare, data=str(place), origin=Origin.UPLOAD))
    test = opened("schema", bare)
    assert test.button(key="read-domains").disabled
    test.checkbox(key="file-is-public").check().run()
    test.button(key="read-domains").click().run()
    columns = projects.load(bare.id).schema["columns"]
    assert [c["kind"] for c in columns] == ["integer", "category"]
    assert {c["provenance"] for c in columns} == {"read from file"}
    assert any("no guarantee" in info.value for info in [*test.info, *test.warning, *test.success])


def test_another_file_is_not_public_because_the_one_before_was_called_so(bare: Project) -> None:
    tables = bare.folder.parents[2] / "tables"
    for name in ("public.csv", "private.csv"):
        (tables / name).write_text("age,ward\n3,north\n", encoding="utf-8")
    projects.save(replace(bare, data=str(tables / "public.csv"), origin=Origin.PATH))
    test = opened("schema", bare)
    test.checkbox(key="file-is-public").check().run()
    test.text_input(key="table-form-0-path").set_value("private.csv")
    test.button(key="use-file").click().run()
    assert projects.load(bare.id).data.endswith("private.csv")
    assert not test.checkbox(key="file-is-public").value and test.button(key="read-domains").disabled

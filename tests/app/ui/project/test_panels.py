"""The Project page: a first visit, a new project, the list, and an open project."""

import pytest

from synth.app.project import opening, portable
from synth.app.project import store as projects
from synth.app.project.store import Project
from tests.app.opened import app

pytestmark = pytest.mark.usefixtures("project_home")


def kept(name: str) -> Project:
    project = opening.begin(name, rehearsal=False)
    projects.save(project)
    return project


def test_a_practice_run_starts_only_with_a_public_file_and_is_marked() -> None:
    test = app().run()
    test.text_input(key="new-name").set_value("Commuters").run()
    test.button(key="start-project").click().run()
    assert "public or invented" in test.error[0].value
    test.checkbox(key="new-public").check().run()
    test.button(key="start-project").click().run()
    assert any("PRACTICE RUN" in w.value for w in test.warning)
    project = projects.load("".join(test.query_params["p"]))
    assert (project.name, project.rehearsal) == ("Commuters", True)


def test_an_open_project_is_changed_and_closed() -> None:
    project = kept("older")
    test = app().run()
    test.button(key=f"open-{project.id}").click().run()
    assert "".join(test.query_params["p"]) == project.id
    said = " ".join(m.value for m in test.markdown)
    assert "older" in said and "not read" in said
    test.text_area(key="now-purpose").set_value("Teaching").run()
    test.number_input(key="now-release").set_value(2.0).run()
    test.segmented_control(key="now-approvers").set_value(2).run()
    test.button(key="save-project").click().run()
    saved = projects.load(project.id)
    assert (saved.purpose, saved.limits.release, saved.limits.approvers) == ("Teaching", 2.0, 2)
    assert any("epsilon 2 for one release" in m.value for m in test.markdown)
    test.button(key="close").click().run()
    assert "p" not in test.query_params
    assert any("older" in m.value for m in test.markdown)


def test_a_project_is_deleted_by_its_name_after_what_stays_was_listed() -> None:
    project = kept("Ferries")
    test = app().run()
    test.button(key=f"open-{project.id}").click().run()
    assert any("Kept:" in m.value and "No ledger entries" in m.value for m in test.markdown)
    test.text_input(key="delete-name").set_value("Ferry").run()
    test.button(key="delete-project").click().run()
    assert "not the project name" in test.error[0].value
    assert projects.find(project.id) is not None
    test.text_input(key="delete-name").set_value("Ferries").run()
    test.button(key="delete-project").click().run()
    assert projects.find(project.id) is None
    assert "p" not in test.query_params
    assert any("is deleted" in w.value for w in test.success)


def test_a_project_file_starts_a_project_of_its_own() -> None:
    project = opening.begin("Ferries", public=True)
    projects.save(project)
    test = app().run()
    test.file_uploader[0].set_value(("p.json", portable.exported(project), "application/json")).run()
    assert any("0 columns, 0 rules" in m.value for m in test.markdown)
    test.button(key="import-project").click().run()
    assert "public or invented" in test.error[0].value
    test.checkbox(key="import-public").check().run()
    test.button(key="import-project").click().run()
    identity = "".join(test.query_params["p"])
    assert identity != project.id and projects.load(identity).name == "Ferries"

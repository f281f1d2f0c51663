"""From a finished run to the review of the next year's release, by the router."""

import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from synth.app.jobs import runner
from synth.app.jobs.store import Job, State
from synth.app.project import declared, runs
from synth.app.project import store as projects
from synth.app.project.store import Budget, Method, Project
from synth.app.ui.text import plain
from synth.core.request import People
from tests.app.opened import opened


@pytest.fixture
def released(project_home: Path) -> Project:
    """The demo with a finished run of a method that takes a second, and the default method for the next."""
    quick = replace(declared.demo(), method=Method(name="independent", rows=200), budget=Budget(lifetime=8.0))
    project = runs.start(quick)
    assert runner.wait(Job.find(project.runs[-1]), seconds=600).state is State.DONE
    projects.save(project)
    return project


def said(test: AppTest) -> str:
    shown = [*test.markdown, *test.caption, *test.info, *test.warning, *test.error]
    return " ".join([*(m.value for m in shown), *(str(t.value.values.tolist()) for t in test.table)])


def test_the_next_year_starts_from_the_last_release(released: Project) -> None:
    test = opened("project", released)
    assert "The last run has no starting table" in said(test)
    assert not any("-start" in box.key for box in test.checkbox), "this method cannot use one"
    next_year = replace(released, drafting=True, method=Method())
    projects.save(next_year)
    test = opened("project", next_year)
    assert "Has a similar table been published?" in said(test)
    assert test.button(key="again-go").disabled, "who is in the table is not declared"
    test.radio(key="again-form-0-people").set_value(People.CHANGING).run()
    test.button(key="again-go").click().run()
    assert not test.error, said(test)
    project = projects.load(released.id)
    assert "'**People**', 'people come and go'" in said(test)
    assert project.data == str(declared.SECOND_YEAR) and project.drafting
    assert project.start.source.startswith("release ")
    source = plain(project.start.source)
    assert f"'**Starting table**', {f'{source} (public)'!r}" in said(test)
    assert "not read until you start" in said(test)
    for page in ("method", "budget"):
        assert f"starts from {plain(project.start.source[:25])}" in said(opened(page, project))
    shown = said(opened("budget", project))
    assert "chart does not use the starting table" in shown
    assert "The first applies if nothing changed since the starting table" not in shown, (
        "its error is not known"
    )
    test = opened("project", project)
    assert "It has 11 of 11 columns, and 200 of its rows are used." in said(test)
    projects.save(replace(project, method=Method(name="aim")))
    assert "cannot use the starting table" in said(opened("method", project))
    test = opened("run", project)
    assert "cannot start from a public table" in said(test) and test.button(key="spend").disabled
    projects.save(project)
    shutil.rmtree(project.start.path)
    test = opened("run", project)
    assert "no readable starting table" in said(test) and test.button(key="spend").disabled
    test = opened("project", project)
    test.button(key="start-remove").click().run()
    assert not projects.load(project.id).start.path
    assert not opened("run", projects.load(project.id)).button(key="spend").disabled


def test_new_people_have_a_population_of_their_own_until_they_have_a_release(released: Project) -> None:
    test = opened("project", released)
    test.radio(key="again-form-0-people").set_value(People.NEW).run()
    test.text_input(key="again-form-0-population").set_value(released.schema["population"]).run()
    test.button(key="again-go").click().run()
    assert "has a release already" in test.error[0].value and not projects.load(released.id).drafting
    test.text_input(key="again-form-0-population").set_value("harbour 2").run()
    test.button(key="again-go").click().run()
    project = projects.load(released.id)
    assert (project.people, project.schema["population"]) == (People.NEW, "harbour 2")
    assert not test.button(key="spend").disabled and "'**People**', 'new people only'" in said(test)
    shown = said(opened("project", project))
    assert f"in a release of {plain(released.schema['population'])}." in shown
    projects.save(replace(project, schema=released.schema))
    for page in ("run", "budget"):
        assert "has a release already" in opened(page, project).error[0].value
    test = opened("project", project)
    test.button(key="people-remove").click().run()
    assert not projects.load(project.id).people


def test_a_public_file_is_chosen_with_its_source(released: Project, project_home: Path) -> None:
    project = replace(released, drafting=True, method=Method())
    projects.save(project)
    (project_home / "tables" / "survey.csv").write_text("age,ward\n30,Fernhill\n200,Elsewhere\n")
    (project_home / "tables" / "copy.csv").write_bytes(Path(project.data).read_bytes())
    test = opened("project", project)
    test.segmented_control(key="start-form-0-place").set_value("In the data folder").run()
    test.text_input(key="start-form-0-path").set_value("copy.csv").run()
    test.text_input(key="start-form-0-source").set_value("the *statistical* office").run()
    test.button(key="use-start").click().run()
    assert "the private table of a release" in test.error[0].value
    test.text_input(key="start-form-0-path").set_value("survey.csv").run()
    test.button(key="use-start").click().run()
    assert not test.error
    assert projects.load(project.id).start.source == "the *statistical* office"
    shown = said(test)
    assert "2 of 11 columns" in shown and "Age (1), Ward (1)" in shown
    assert r"\*statistical\*" in shown

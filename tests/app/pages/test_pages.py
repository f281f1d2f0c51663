"""Every page from the router: empty, with a project, and with a finished release made by the real worker."""

from dataclasses import replace
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from synth.app.jobs import runner
from synth.app.jobs.store import Job, State
from synth.app.project import declared, runs
from synth.app.project import store as projects
from synth.app.project.results import publication
from synth.app.project.store import Budget, Method, Project
from synth.release.formats.forms import FORMS
from synth.release.verify import verify
from tests.app.opened import ROOT, app

PAGES = sorted(f"pages/{p.name}" for p in (ROOT / "pages").glob("*.py"))


def visit(test: AppTest, page: str) -> AppTest:
    test.switch_page(page).run()
    assert not test.error, [e.value for e in test.error]
    assert len(test.title) == 1
    return test


@pytest.fixture
def fresh(home: Path) -> Project:
    project = declared.demo()
    projects.save(project)
    return project


@pytest.fixture(scope="module")
def finished(home: Path) -> Project:
    """The demo, released once by the method that takes a second or two."""
    budget = Budget(epsilon=1.0, delta=1e-7, lifetime=8.0)
    project = replace(declared.demo(), budget=budget, method=Method(name="independent", rows=500))
    project = runs.start(project)
    status = runner.wait(Job.find(project.runs[-1]), seconds=600)
    assert status.state is State.DONE, status
    projects.save(project)
    return project


def test_every_page_opens_with_and_without_a_project(fresh: Project, finished: Project) -> None:
    kinds = ("text_input", "text_area", "number_input", "selectbox", "multiselect", "radio", "button_group")
    projects.save(replace(fresh, settled=(*fresh.settled, "budget")))
    for project in (None, fresh, finished):
        test = app(project).run()
        for page in PAGES:
            visit(test, page)
            assert ("p" in test.query_params) == (project is not None)
            labels = [w.label for kind in kinds for w in getattr(test, kind)]
            read_out = [label for label in labels if any(sign in label for sign in ("**", "\\", ":material"))]
            assert page == "pages/release.py" or not read_out
        shown = [title.value for title in test.title]
        test.run()
        assert [title.value for title in test.title] == shown != []


def test_every_rule_of_the_demo_is_counted_without_its_file(fresh: Project) -> None:
    projects.save(replace(fresh, data="/nowhere/t.csv"))
    test = visit(app(fresh).run(), "pages/rules.py")
    assert sum("Removes **" in c.value for c in test.caption) == len(fresh.rules)
    assert len(test.get("plotly_chart")) == len(fresh.rules)
    assert all(chart.proto.alt.startswith("Grid of") for chart in test.get("plotly_chart"))


def test_a_stale_window_does_not_overwrite_what_another_one_saved(fresh: Project) -> None:
    one = visit(app(fresh).run(), "pages/budget.py")
    two = visit(app(fresh).run(), "pages/budget.py")
    one.number_input(key="epsilon-box").set_value(0.5).run()
    two.text_area(key="means").set_value("income ~ age").run()
    kept = projects.load(fresh.id).budget
    assert (kept.epsilon, kept.means) == (0.5, ("income ~ age",))
    assert "Another window" in two.warning[0].value
    assert not two.number_input, "boxes with older values are not drawn"
    two.button(key="catch-up").click().run()
    assert two.number_input(key="epsilon-box").value == 0.5
    two.text_area(key="means").set_value("income ~ ward").run()
    kept = projects.load(fresh.id).budget
    assert (kept.epsilon, kept.means) == (0.5, ("income ~ ward",))


def test_nothing_is_started_on_a_sheet_that_another_window_has_changed(fresh: Project) -> None:
    fresh = replace(fresh, settled=(*fresh.settled, "budget"))
    projects.save(fresh)
    stale = visit(app(fresh).run(), "pages/run.py")
    for box in stale.checkbox:  # unless another test has opened the line
        if box.key == "open-line":
            box.check().run()
    projects.save(replace(projects.load(fresh.id), budget=Budget(epsilon=2.0)))
    stale.text_input(key="confirm-name").set_value(fresh.name)
    stale.button(key="spend").click().run()
    assert "Nothing was started" in stale.warning[0].value
    assert projects.load(fresh.id).runs == ()
    stale.button(key="catch-up").click().run()
    assert any("epsilon 2" in m.value for m in stale.markdown)


def test_results_show_every_column_the_bounds_the_rules_and_lead_to_the_release(finished: Project) -> None:
    test = visit(app(finished).run(), "pages/results.py")
    charts = [chart.key for chart in test.get("plotly_chart")]
    assert charts == ["accuracy", "marginal", "pairs-matrix", "pair-heat", "ask-answer"]
    assert len(test.selectbox(key="shown-column").options) == 11
    assert all(chart.proto.alt for chart in test.get("plotly_chart"))
    assert not test.get("download_button"), "nothing leaves before the release page"
    values = {metric.label: metric.value for metric in test.metric}
    assert values["Synthetic rows"] == "500"
    assert any("All 500 rows satisfy the 6 rules and 8" in m.value for m in test.markdown)
    test.selectbox(key="shown-column").set_value("visit").run()
    test.button(key="next-results").click().run()
    assert test.title[0].value == "Release"


def test_a_release_is_settled_published_and_followed_by_a_new_draft(finished: Project) -> None:
    project = replace(finished, id=projects.fresh_id())
    projects.save(project)
    test = visit(app(project).run(), "pages/release.py")
    assert test.button(key="publish").disabled
    test.text_area(key="use").set_value("Teaching.").run()
    test.selectbox(key="licence").set_value(test.selectbox(key="licence").options[1]).run()
    test.text_input(key="contact").set_value("data@example.org").run()
    test.text_input(key="approver").set_value("A. Steward").run()
    assert projects.load(project.id).imprint.approvers == ("A. Steward",)
    assert test.button(key="publish").disabled
    test.checkbox(key="agreed").check().run()
    test.button(key="publish").click().run()
    assert not test.error
    runner.wait(publication.task_of(project, project.runs[-1]), seconds=600)
    test.run()
    assert not test.error
    assert len(test.get("download_button")) == 1 + len(FORMS), "the package, and the table in each format"
    visit(test, "pages/project.py")
    assert any("9 of 9 steps" in bar.proto.text for bar in test.get("progress"))
    visit(test, "pages/release.py")
    assert verify(project.folder / "published" / project.runs[-1]).ok
    test.button(key="new-release").click().run()
    assert projects.load(project.id).drafting
    again = visit(app(projects.load(project.id)).run(), "pages/release.py")
    assert len(again.get("download_button")) == 1 + len(FORMS)

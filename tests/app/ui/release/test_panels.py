"""The release page: what is typed is kept, what is open is said, what comes late waits for the next one."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest

from synth.app.jobs.executor import LOCAL
from synth.app.jobs.locks import hold
from synth.app.jobs.store import State, Status, Task, now
from synth.app.project import decisions
from synth.app.project import store as projects
from synth.app.project.results import publication
from synth.app.project.runs import finished
from synth.app.project.store import Limits, Project
from synth.app.ui import login
from synth.app.ui.login import Person, Role
from synth.release.documents.statement import Imprint

Twice = Callable[[], Project]
Draw = Callable[[Callable[[], None], Project], AppTest]
WORDS = Imprint(
    purpose="Teaching.", licence="CC0 1.0 (public domain)", contact="x@y.z", approvers=("A. Steward",)
)


def page() -> None:
    import runpy
    from pathlib import Path

    from synth.app.ui import guards

    with guards.neutral():
        runpy.run_path(str(Path(guards.__file__).parents[3] / "pages" / "release.py"))


def wait_for(project: Project, run: str) -> None:
    deadline = time.monotonic() + 600
    while not (status := publication.under_way(project, run)).state.is_end:
        assert time.monotonic() < deadline, status
        time.sleep(0.05)


def test_what_is_typed_is_on_disk_at_once_and_comes_back(twice: Twice, draw: Draw) -> None:
    project = twice()
    app = draw(page, project)
    app.text_area(key="use").set_value(" Teaching. ").run()
    licence = app.selectbox(key="licence").options[1]
    app.selectbox(key="licence").set_value(licence).run()
    app.text_input(key="approver").set_value("A. Steward").run()
    kept = projects.load(project.id).imprint
    assert (kept.purpose, kept.licence, kept.approvers) == ("Teaching.", licence, ("A. Steward",))
    again = draw(page, projects.load(project.id))
    assert again.selectbox(key="licence").value == licence
    assert again.text_area(key="use").value == "Teaching."


def test_open_points_are_named_and_the_button_stays_grey(twice: Twice, draw: Draw) -> None:
    app = draw(page, twice())
    app.checkbox(key="agreed").check().run()
    assert app.button(key="publish").disabled
    assert "Licence" in app.info[-1].value
    open_fields = [box.label for box in (*app.text_area, *app.selectbox, *app.text_input)]
    assert sum("radio_button_unchecked" in label for label in open_fields) == 4
    assert list(app.table[0].value["Check"]) == [
        f"**{name}**"
        for name in (
            "Real release",
            "Warnings",
            "Rules",
            "Source of the domains",
            "Choices after viewing private data",
        )
    ]


def test_whoever_has_read_one_report_is_asked_again_about_another(twice: Twice, draw: Draw) -> None:
    app = draw(page, replace(twice(), imprint=WORDS))
    app.checkbox(key="agreed").check().run()
    assert not app.button(key="publish").disabled
    other = next(o for o in app.selectbox(key="publish-run").options if o.startswith("Run 1"))
    app.selectbox(key="publish-run").select(other).run()
    assert app.button(key="publish").disabled and not app.checkbox(key="agreed").value


def test_two_approvals_where_the_organisation_asks_for_them(twice: Twice, draw: Draw) -> None:
    two = replace(twice(), imprint=WORDS, limits=Limits(approvers=2))
    app = draw(page, two)
    assert app.text_input(key="approver-two").label.endswith("Second approval")
    app.checkbox(key="agreed").check().run()
    assert app.button(key="publish").disabled
    app.text_input(key="approver-two").set_value("a. steward").run()
    assert "same name" in app.warning[0].value and app.button(key="publish").disabled
    app.text_input(key="approver-two").set_value("B. Officer").run()
    assert not app.button(key="publish").disabled


def test_a_choice_is_added_before_and_after_publishing(twice: Twice, draw: Draw) -> None:
    project = replace(twice(), imprint=WORDS)
    app = draw(page, project)
    app.text_input(key="choice").set_value("Kept the second run.")
    app.button(key="add-choice").click().run()
    assert any("Kept the second run" in m.value for m in app.markdown)
    app.checkbox(key="agreed").check().run()
    app.button(key="publish").click().run()
    wait_for(project, project.runs[-1])
    app.run()
    done = publication.find(project, project.runs[-1])
    assert done is not None and "Kept the second run." in done.imprint.decisions[0]
    app.text_input(key="choice").set_value("Too late for this one.")
    app.button(key="add-choice").click().run()
    assert decisions.log(project)[-1].sentence == "Too late for this one."
    again = publication.find(project, project.runs[-1])
    assert again == done


def test_the_report_is_shown_in_a_frame_that_can_reach_nothing(twice: Twice, draw: Draw) -> None:
    app = draw(page, replace(twice(), imprint=WORDS))
    assert not app.get("iframe")
    app.toggle(key="preview").set_value(True).run()
    (frame,) = app.get("iframe")
    assert frame.proto.src.startswith("data:text/html;charset=utf-8;base64,")
    assert not frame.proto.srcdoc


def test_each_run_is_published_by_itself(twice: Twice, draw: Draw) -> None:
    project = replace(twice(), imprint=WORDS)
    projects.save(project)
    publication.start(project, finished(project)[1], finished=2)
    wait_for(project, project.runs[1])
    app = draw(page, project)
    assert len(app.get("download_button")) == 1
    app.selectbox(key="publish-run").set_value(project.runs[0]).run()
    assert not app.get("download_button")
    assert app.button(key="publish")


def test_a_publication_under_way_is_watched_and_a_failed_one_is_told_and_tried_again(
    twice: Twice, draw: Draw
) -> None:
    project = replace(twice(), imprint=WORDS)
    run = project.runs[-1]
    place = publication.place_of(project, run)
    place.mkdir(parents=True)
    app = draw(page, project)
    app.checkbox(key="agreed").check().run()
    app.button(key="publish").click().run()
    wait_for(project, run)
    app = draw(page, project)
    assert "is taken" in app.error[0].value and not app.get("download_button")
    place.rmdir()
    task = Task(project.folder / "publishing" / run, "publishing")
    deadline = time.monotonic() + 600
    while LOCAL.is_alive(task):  # it has told its end, and is still leaving
        assert time.monotonic() < deadline
        time.sleep(0.05)
    with hold(task.lock, patience=600) as free:
        assert free
        task.write_status(Status(state=State.RUNNING, fact="writing the papers", at=now()))
        app = draw(page, project)
        assert not any(button.key == "publish" for button in app.button)
        assert "writing the papers" in app.get("progress")[0].proto.text
    app = draw(page, project)
    assert "stopped without a report" in app.error[0].value
    app.checkbox(key="agreed").check().run()
    app.button(key="publish").click().run()
    wait_for(project, run)
    assert publication.is_published(project, run)


def test_with_a_login_an_approver_agrees_but_neither_types_nor_publishes(
    twice: Twice, draw: Draw, monkeypatch: pytest.MonkeyPatch
) -> None:
    owned = replace(twice(), imprint=replace(WORDS, approvers=()), owner="steward@example.org")
    officer = Person(name="officer@example.org", roles=frozenset({Role.APPROVER}))
    monkeypatch.setattr(login, "current", lambda: officer)
    app = draw(page, owned)
    keys = {button.key for button in app.button}
    assert "approve" in keys and not {"publish", "add-choice"} & keys
    assert not app.text_area and not app.text_input
    app.button(key="approve").click().run()
    assert "You have approved" in app.success[0].value
    assert publication.approvals(owned, owned.runs[-1]) == ("officer@example.org",)
    steward = Person(name="steward@example.org", roles=frozenset({Role.STEWARD}))
    monkeypatch.setattr(login, "current", lambda: steward)
    app = draw(page, owned)
    assert not any(box.key == "approver" for box in app.text_input)
    app.checkbox(key="agreed").check().run()
    app.button(key="publish").click().run()
    wait_for(owned, owned.runs[-1])
    done = publication.find(owned, owned.runs[-1])
    assert done is not None and done.imprint.approvers == ("officer@example.org",)

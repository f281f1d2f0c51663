"""A run is shown as it is: waiting, going, stopped, lost, finished, and never more than public facts."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from synth.jobs.store import Event, Job, State, Status, now
from synth.ui import declared, desk, panels
from synth.ui import project as projects
from synth.ui.project import Project


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MARGINALIA_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("MARGINALIA_LEDGER", str(tmp_path / "ledger.sqlite"))


def running(status: Status) -> Project:
    """A project whose run has this status; no worker is started."""
    project = declared.demo()
    job = Job.create(desk.spec_of(project))
    job.write_status(status)
    job.add_event(Event(at=now(), stage="ingest", done=0.0, fact="reading the table into codes"))
    job.add_event(Event(at=now(), stage="rounds", done=0.2, fact="measured age x work at sigma 41"))
    job.add_event(Event(at=now(), stage="rounds", done=0.4, fact="measured sex x ward at sigma 41"))
    project = replace(project, runs=(job.run,), drafting=False)
    projects.save(project)
    return project


def watch(project: Project) -> AppTest:
    def page(identity: str) -> None:
        from synth.ui import panels
        from synth.ui import project as projects

        panels.watch(projects.load(identity))

    app = AppTest.from_function(page, args=(project.id,)).run()
    assert not app.exception
    return app


def said(app: AppTest) -> str:
    return " ".join(m.value for m in [*app.markdown, *app.caption, *app.warning, *app.info, *app.success])


def keys(app: AppTest) -> set[str | None]:
    return {button.key for button in app.button}


def test_a_running_job_shows_its_stages_and_can_be_stopped() -> None:
    project = running(Status(state=State.RUNNING, stage="rounds", done=0.4, fact="x", at=now()))
    app = watch(project)
    assert "measured sex x ward at sigma 41" in said(app).replace("\\", "")
    assert "(2 so far)" in said(app)
    assert keys(app) == {"stop"}
    app.button(key="stop").click().run()
    assert Job.find(project.runs[-1]).is_asked_to_stop()
    assert "stays spent" in said(app)


def test_a_queued_job_says_its_place() -> None:
    app = watch(running(Status(state=State.QUEUED, place=2, at=now())))
    assert "2 ahead" in said(app)


@pytest.mark.parametrize("state", [State.CANCELLED, State.FAILED, State.LOST])
def test_an_ended_job_says_what_stays_spent_and_offers_to_resume(state: State) -> None:
    app = watch(running(Status(state=state, stage="rounds", done=0.4, spent=10**9, reserved=3 * 10**9)))
    assert "Spent: rho 0.001" in said(app)
    assert "held" in said(app)
    assert keys(app) == {"resume", "another"}


def test_a_finished_job_leads_to_its_results() -> None:
    app = watch(running(Status(state=State.DONE, done=1.0, stage="done", spent=10**9, reserved=10**9)))
    assert keys(app) == {"see-results", "another"}
    assert "Finished" in said(app)


def test_another_run_can_be_prepared_after_a_stopped_one() -> None:
    project = running(Status(state=State.CANCELLED, spent=0, reserved=0))
    app = watch(project)
    app.button(key="another").click().run()
    assert projects.load(project.id).drafting


def test_a_stage_without_words_of_its_own_still_has_a_line() -> None:
    events = [Event(at=now(), stage="polish", done=0.5, fact="a*b")]
    line = panels._timeline(events, ended=False)
    assert "Polish" in line
    assert "a\\*b" in line


def test_starting_needs_the_name_of_the_table() -> None:
    def page() -> None:
        import streamlit as st

        from synth.ui import declared, desk, panels, state

        project = state.current() or state.accept(declared.demo())
        if st.button("review", key="review"):
            sheet = desk.sheet(project, desk.balance("harbour-2024"))
            panels.confirm(project, declared.read(project), sheet)

    app = AppTest.from_function(page).run()
    app.button(key="review").click().run()
    assert "This cannot be undone" in said(app)
    app.text_input(key="confirm-name").set_value("another-name")
    app.button(key="spend").click().run()
    assert Job.all() == []

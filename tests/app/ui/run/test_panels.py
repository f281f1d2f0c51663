"""A run is shown as it is: not begun, waiting, going, stopped, lost, finished; public facts only."""

from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest

from synth.app.jobs import released_files, runner
from synth.app.jobs.store import Event, Job, State, Status, now
from synth.app.project import decisions, declared, runs
from synth.app.project import store as projects
from synth.app.project.results import publication
from synth.app.project.store import Budget, Method, Origin, Project
from synth.app.ui.text import run as text
from synth.core.schema import ProtectedChange
from synth.core.system import places
from synth.private.ledger import Ledger
from tests.app.ui.conftest import Draw


def running(status: Status) -> Project:
    """A project whose run has this status; no worker is started."""
    project = replace(declared.demo(), method=Method(name="independent", rows=50))
    job = Job.create(runs.spec_of(project))
    job.write_status(status)
    job.add_event(Event(at=now(), stage="ingest", done=0.0, fact="encoding the private table"))
    job.add_event(Event(at=now(), stage="rounds", done=0.2, fact="measured age and work"))
    job.add_event(Event(at=now(), stage="rounds", done=0.4, fact="measured sex and ward"))
    project = replace(project, runs=(job.run,), drafting=False)
    projects.save(project)
    return project


WATCHED = "run.panels.watch run.panels.earlier"


def declared_piece(name: str) -> None:
    from synth.app.project import declared
    from synth.app.ui import state
    from synth.app.ui.run import panels

    project = state.current()
    assert project is not None
    getattr(panels, name)(project, declared.read(project))


def said(app: AppTest) -> str:
    shown = [*app.markdown, *app.caption, *app.warning, *app.info, *app.success, *app.error]
    return " ".join(m.value for m in shown).replace("\\", "")


def keys(app: AppTest) -> set[str | None]:
    return {button.key for button in app.button}


def test_a_running_job_shows_its_stages_its_price_and_can_be_stopped(draw: Draw) -> None:
    project = running(Status(state=State.RUNNING, stage="rounds", done=0.4, fact="x", at=now()))
    job = Job.find(project.runs[-1])
    with_ledger(job, units=10**9, spent=4 * 10**8)
    app = draw(WATCHED, project)
    assert "measured sex and ward" in said(app)
    assert [(s.label.replace("\\", ""), s.icon) for s in app.expander] == [
        ("Reading and encoding the table", text.STEP_DONE),
        ("Measuring, round by round", text.STEP_GOING),
    ]
    assert "Spent so far: **40%**" in said(app)
    assert keys(app) == {"stop"}
    assert "40% of this run's budget stays spent" in app.button(key="stop").proto.help
    app.button(key="stop").click().run()
    assert job.is_asked_to_stop()
    assert "Stopping after the current step" in said(app)
    app = draw(WATCHED, project)
    assert app.button(key="stop").disabled and "Stopping after the current step" in said(app)


def with_ledger(job: Job, *, units: int, spent: int) -> None:
    ledger = Ledger(places.rehearsal_ledger())
    ledger.open_population("harbour-2024", units=10**13, reason="test", protects=ProtectedChange(max_rows=1))
    ledger.open_run("harbour-2024", job.run, units=units, label="t", protects=ProtectedChange(max_rows=1))
    ledger.ask(job.run, part="m", step=0, query={"ask": "measure"}, units=spent, answer=lambda: b"x")
    ledger.close()


@pytest.mark.parametrize("state", [State.CANCELLED, State.PAUSED, State.FAILED, State.LOST])
def test_an_ended_job_says_what_stays_spent_and_offers_to_resume(
    draw: Draw, state: State, monkeypatch: pytest.MonkeyPatch
) -> None:
    population = declared.demo().schema["population"]
    ledger = Ledger(places.rehearsal_ledger())
    ledger.open_population(population, units=10**10, reason="t", protects=ProtectedChange(max_rows=1))
    ledger.close()
    project = running(Status(state=state, stage="rounds", done=0.4, spent=10**9, reserved=3 * 10**9))
    app = draw(WATCHED, project)
    assert "Spent: **10%** of the lifetime budget" in said(app)
    assert "20% of the lifetime budget is reserved. Resuming the run spends it" in said(app)
    assert app.expander[-1].icon == text.STEP_BROKEN
    assert keys(app) == {"resume", "another"}
    resumed: list[str] = []
    monkeypatch.setattr("synth.app.jobs.runner.resume", lambda job: resumed.append(job.run))
    app.button(key="resume").click().run()
    assert resumed == list(project.runs)


def test_the_sheet_tells_the_price_before_and_after_and_opens_nothing(draw: Draw) -> None:
    project = declared.demo()
    app = draw(declared_piece, project, "sheet")
    assert "budget for" in said(app)
    assert app.button(key="spend").label.startswith("Start run (spends ")
    assert "protecting one person with one row, added or removed" in said(app), "what the first run fixes"
    assert "guarantee no longer applies" in said(app)
    rows = dict(zip(app.table[0].value["what"], app.table[0].value["is"], strict=True))
    assert rows["**Guarantee**"] == "**epsilon 1** at delta 1 in a billion"
    assert "not read until you start" in rows["**Table**"]
    assert len(app.get("plotly_chart")) == 1
    assert not places.rehearsal_ledger().exists()


def test_starting_needs_the_name_of_the_project(draw: Draw, monkeypatch: pytest.MonkeyPatch) -> None:
    app = draw(declared_piece, declared.demo(), "sheet")
    app.text_input(key="confirm-name").set_value("another-name")
    app.button(key="spend").click().run()
    assert "not the name" in app.error[0].value
    assert Job.all() == []
    (shown,) = [m.value for m in app.markdown if m.value.startswith("To confirm, type")]
    started: list[str] = []
    monkeypatch.setattr(runs, "start", lambda project: started.append(project.name) or project)
    app.text_input(key="confirm-name").set_value(f" {shown.split('**')[1].upper()} ")
    app.button(key="spend").click().run()
    assert started == [declared.demo().name], "the name on the page, in any case"


def test_the_file_can_be_checked_before_the_first_real_run(draw: Draw) -> None:
    real = replace(declared.demo(), origin=Origin.PATH)
    assert "fit-start" in keys(draw(declared_piece, real, "sheet"))
    assert "fit-start" not in keys(draw(declared_piece, declared.demo(), "sheet"))


def test_a_run_about_another_unit_than_its_line_cannot_be_started(draw: Draw) -> None:
    project = declared.demo()
    with_ledger(Job.create(runs.spec_of(project)), units=100, spent=10)
    for change in ({"unit": {"name": "visit", "max_rows": 1}}, {"rows_public": 2000}):
        app = draw(declared_piece, replace(project, schema=project.schema | change), "sheet")
        assert "No budget was spent" in app.error[0].value
        assert keys(app) == {"to-unit"}


def test_a_run_beyond_the_limit_cannot_be_started(draw: Draw) -> None:
    project = declared.demo()
    with_ledger(Job.create(runs.spec_of(project)), units=10**13 - 10, spent=10)
    app = draw(declared_piece, project, "sheet")
    assert "does not cover" in app.error[0].value
    assert app.button(key="spend").disabled


def test_what_was_changed_after_a_look_is_told_before_it_is_logged(draw: Draw) -> None:
    project = declared.demo()
    projects.save(project)
    decisions.record_look(project, "Opened the private evaluation.")
    app = draw(declared_piece, replace(project, budget=Budget(epsilon=2.0)), "sheet")
    assert "epsilon was changed from 1 to 2" in said(app)
    assert len(decisions.log(project)) == 1
    assert "The report will" not in said(draw(declared_piece, declared.demo(), "sheet"))


def test_the_choices_of_a_run_are_read_only_until_a_copy_is_begun(draw: Draw) -> None:
    project = running(Status(state=State.DONE, done=1.0, spent=1, reserved=1))
    app = draw(declared_piece, project, "frozen")
    assert "are read-only" in said(app)
    assert "unread" not in str(app.table[0].value)
    app.button(key="thaw").click().run()
    assert projects.load(project.id).drafting


@pytest.mark.long
def test_a_file_known_under_another_population_needs_a_word_that_is_printed_nowhere(draw: Draw) -> None:
    code = released_files.CODE
    project = running(Status(state=State.FAILED, code=code, sentence="This very file.", at=now()))
    app = draw(WATCHED, project)
    assert "This very file." in said(app)
    assert "resume" not in keys(app) and "another" in keys(app)
    assert app.button(key="go-on").disabled
    assert decisions.log(project) == ()
    app.checkbox(key="other-people").check().run()
    app.button(key="go-on").click().run()
    job = Job.find(project.runs[-1])
    assert job.has_other_people
    assert (job.folder / "other-people").stat().st_mode & 0o777 == 0o600
    assert runner.wait(job, seconds=600).state is State.DONE
    assert decisions.log(project) == ()
    assert publication.imprint_of(project, job.run, finished=1).decisions == ()

"""A run leaves only when every point is settled, with the words that were typed and the choices on record."""

import io
import json
import stat
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from synth.app.jobs import runner
from synth.app.jobs.store import Job, State
from synth.app.project import decisions, declared, runs
from synth.app.project import store as projects
from synth.app.project.results import publication
from synth.app.project.results.publication import Published, Settled, Topic
from synth.app.project.runs import SyntheticTable, finished
from synth.app.project.store import Limits, Method, Project
from synth.app.ui.text import release as text
from synth.core.errors import Mistake
from synth.release.documents.statement import Imprint
from synth.release.verify import verify

WORDS = Imprint(
    purpose="Teaching.", licence="CC BY 4.0", contact="data@example.org", approvers=("A. Steward",)
)


@pytest.fixture(scope="module")
def done(home: Path) -> Project:
    """The demo, run once by the method that takes a second or two."""
    project = runs.start(replace(declared.demo(), method=Method(name="independent", rows=300)))
    status = runner.wait(Job.find(project.runs[-1]), seconds=600)
    assert status.state is State.DONE, status
    projects.save(project)
    return project


@pytest.fixture
def fresh(done: Project) -> Project:
    """Another project around the same run: nothing published, nothing logged, nothing typed."""
    project = replace(done, id=projects.fresh_id())
    projects.save(project)
    return project


def run_of(project: Project) -> SyntheticTable:
    return finished(project)[-1]


def publish(project: Project, run: SyntheticTable, *, finished: int) -> Published:
    """Publish and wait for the end. Raises: `Mistake` with what the process says."""
    publication.start(project, run, finished=finished)
    status = runner.wait(publication.task_of(project, run.run), seconds=600)
    if status.state is not State.DONE:
        raise Mistake(status.sentence)
    done = publication.find(project, run.run)
    assert done is not None
    return done


def open_points(project: Project) -> set[str]:
    points = publication.checklist(project, run_of(project), finished=1)
    return {point.topic for point in points if point.locks}


def test_two_names_are_two_people(fresh: Project) -> None:
    two = replace(fresh, limits=Limits(approvers=2))
    assert Topic.APPROVAL in open_points(replace(two, imprint=WORDS))
    same = replace(WORDS, approvers=("A. Steward", "a. steward "))
    assert Topic.APPROVAL in open_points(replace(two, imprint=same))
    both = replace(WORDS, approvers=("A. Steward", "B. Officer"))
    assert open_points(replace(two, imprint=both)) == set()


def test_what_leaves_is_whole_and_says_who_answers_for_it(fresh: Project) -> None:
    ready = replace(fresh, imprint=WORDS)
    assert publication.find(ready, ready.runs[-1]) is None
    out = publish(ready, run_of(ready), finished=1)
    assert verify(out.folder).ok
    assert out.imprint == WORDS
    with zipfile.ZipFile(io.BytesIO(out.archive())) as archive:
        (name,) = (n for n in archive.namelist() if n.endswith("statement.json"))
        stated = json.loads(archive.read(name))
    assert stated["imprint"]["purpose"] == "Teaching."
    assert stated["decisions_after_private_views"] == []
    assert publication.find(ready, ready.runs[-1]) == out


def test_looks_and_choices_are_printed_and_the_choice_to_publish_with_them(fresh: Project) -> None:
    ready = replace(fresh, imprint=WORDS)
    decisions.record_look(ready, "Opened the steward's view.")
    decisions.record_choice(ready, "Kept the first run.")
    out = publish(ready, run_of(ready), finished=3)
    looked, chose, published = out.imprint.decisions
    assert "Opened the steward's view." in looked and "Kept the first run." in chose
    assert "one of 3 finished" in published
    assert [e.printed for e in decisions.log(ready)] == list(out.imprint.decisions)


def test_with_a_login_typed_names_count_for_nothing_and_other_words_lapse_an_approval(fresh: Project) -> None:
    owned = replace(fresh, owner="steward@example.org", imprint=WORDS)
    run = owned.runs[-1]
    projects.save(owned)
    assert Topic.APPROVAL in open_points(owned)
    publication.approve(owned, run, name="officer@example.org")
    publication.approve(owned, run, name="officer@example.org")
    assert publication.approvals(owned, run) == ("officer@example.org",)
    assert open_points(owned) == set()
    assert publication.imprint_of(owned, run, finished=1).approvers == ("officer@example.org",)
    reworded = replace(owned, imprint=replace(WORDS, purpose="Selling."))
    assert Topic.APPROVAL in open_points(reworded)
    assert publication.approvals(owned, "another-run") == ()
    assert stat.S_IMODE((owned.folder / publication.APPROVALS).stat().st_mode) == 0o600


def test_a_red_flag_or_a_broken_rule_is_in_the_way(fresh: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    from synth.app.project.results import released

    shown = released.read(run_of(fresh).folder)
    flag = released.RedFlag(sentence="Column 'age' is odd.", blocks=True)
    held = tuple(replace(rule, rows=2 * (place == 0)) for place, rule in enumerate(shown.held))
    broken = replace(shown, flags=(flag,), held=held)
    monkeypatch.setattr(released, "read", lambda folder: broken)
    listed = publication.checklist(replace(fresh, imprint=WORDS), run_of(fresh), finished=1)
    points = {point.topic: point for point in listed}
    assert points[Topic.FLAGS].settled == points[Topic.RULES].settled == Settled.BLOCKED
    assert text.describe(points[Topic.FLAGS]) == "1 warning, see below. 1 blocks the release."
    assert "'age' is odd" in text.flags(points[Topic.FLAGS].facts["flags"]).replace("\\", "")
    assert "2 violations of 6 rules and 8" in text.describe(points[Topic.RULES])


def test_a_rehearsal_is_in_its_own_way(home: Path) -> None:
    demo = declared.demo()
    public = {**demo.schema, "file_is_public": True}
    method = Method(name="independent", rows=100)
    project = runs.start(replace(demo, schema=public, rehearsal=True, method=method, imprint=WORDS))
    assert runner.wait(Job.find(project.runs[-1]), seconds=600).state is State.DONE
    projects.save(project)
    assert open_points(project) == {Topic.REAL}
    with pytest.raises(Mistake):
        publish(project, run_of(project), finished=1)


def test_why_a_run_goes_beyond_the_limit_is_printed_with_its_tables_and_no_others(fresh: Project) -> None:
    run = fresh.runs[-1]
    reasons = {run: "The organisation allows 0.5; <b>asked</b> for more."}
    argued = replace(fresh, imprint=WORDS, reasons=reasons)
    assert publication.words_of(argued, f"{run}-swaps").beyond == argued.reasons[run]
    assert publication.words_of(argued, "20200101-00000000").beyond == ""
    done = publish(argued, run_of(argued), finished=1)
    page = (done.folder / "report/privacy_report.html").read_text()
    assert "The organisation allows 0.5; &lt;b&gt;asked" in page
    stated = json.loads((done.folder / "privacy/statement.json").read_text())
    assert stated["imprint"]["beyond"] == argued.reasons[run]
    assert done.imprint.beyond == argued.reasons[run]

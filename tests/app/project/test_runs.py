"""What the run page says about the ledger is what the ledger will do; every run and table by its name."""

from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from synth.app.jobs import budget as gate
from synth.app.jobs import runner
from synth.app.jobs.store import Job
from synth.app.project import decisions, declared, runs
from synth.app.project import store as projects
from synth.app.project.spend import ledger
from synth.app.project.store import Budget, Method, Origin
from synth.core.schema import ProtectedChange
from synth.core.system import places
from synth.private.ledger import Ledger
from synth.private.ledger.quote import Quote

pytestmark = pytest.mark.usefixtures("project_home")


def asking(epsilon: float, lifetime: float = 4.0) -> Quote:
    project = replace(declared.demo(), budget=Budget(epsilon=epsilon, lifetime=lifetime))
    return runs.quote(project)


def test_the_sheet_agrees_with_the_gate_before_and_after_a_run_is_reserved() -> None:
    project = declared.demo()
    before = asking(1.0)
    spec = runs.spec_of(project)
    quote = gate.quote(spec)
    assert (before.price.units, before.limit) == (quote.price.units, quote.limit)
    book = Ledger(places.rehearsal_ledger())
    gate.open_line(book, spec)
    book.open_run(
        "harbour-2024",
        spec.run,
        units=before.price.units,
        label="t",
        law=before.price.law,
        protects=ProtectedChange(max_rows=1),
    )
    book.close()
    after = asking(1.0)
    assert not after.opens
    assert (after.limit, after.line.reserved) == (before.limit, before.price.units)
    assert after.left == before.left_after


def test_practice_runs_and_the_demo_are_charged_to_the_practice_ledger() -> None:
    demo = declared.demo()
    real, practice = replace(demo, origin=Origin.PATH), replace(demo, origin=Origin.PATH, rehearsal=True)
    assert runs.spec_of(demo).rehearsal is None and runs.spec_of(practice).rehearsal is not None
    assert runs.spec_of(real).ledger == str(places.ledger()) != str(places.rehearsal_ledger())
    assert runs.spec_of(practice).ledger == runs.spec_of(demo).ledger == str(places.rehearsal_ledger())
    with closing(Ledger(ledger.of(demo))) as book:
        book.open_population("harbour-2024", units=10**12, reason="t", protects=ProtectedChange(max_rows=1))
    assert ledger.line_of(practice).limit == 10**12 and ledger.line_of(real).limit is None
    assert not places.ledger().exists()


def test_a_start_after_a_look_is_on_record() -> None:
    project = replace(declared.demo(), method=Method(name="independent", rows=10))
    projects.save(project)
    decisions.record_look(project, "Opened the steward's view.")
    started = runs.start(replace(project, budget=Budget(epsilon=0.7)))
    runner.wait(Job.find(started.runs[-1]), seconds=600)
    said = decisions.log(started)[-1].sentence
    assert started.runs[-1] in said and "epsilon was changed from 1 to 0.7" in said
    spec = Job.find(started.runs[-1]).spec()
    spent, reserved = gate.charged(Path(spec.ledger), spec.run)
    assert 0 < spent <= reserved

"""What the run page says about the ledger is what the ledger will do; every run and table by its name."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from dataclasses import replace

import pytest

from synth.app.jobs import budget as gate
from synth.app.jobs import runner
from synth.app.jobs.store import Job, State
from synth.app.project import decisions, declared, runs
from synth.app.project import store as projects
from synth.app.project.spend import ledger
from synth.app.project.store import Budget, Limits, Method, Origin, Project
from synth.core.schema import ProtectedChange
from synth.core.system import places
from synth.private.ledger import Ledger
from synth.private.ledger.quote import Quote
from synth.release.verify import verify

pytestmark = pytest.mark.usefixtures("project_home")

Twice = Callable[[], Project]


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
    spent, reserved = gate.charged(Job.find(started.runs[-1]).spec())
    assert 0 < spent <= reserved


def test_a_reason_stays_with_its_run() -> None:
    project = declared.demo()
    budget = replace(project.budget, epsilon=2.0, lifetime=8.0, reason="A census year.")
    first = runs.start(
        replace(project, budget=budget, limits=Limits(release=1.0), method=Method(name="independent"))
    )
    assert list(first.reasons) == list(first.runs)
    (said,) = first.reasons.values()
    assert "allows epsilon 1 " in said and "epsilon 2 " in said and said.endswith("A census year.")
    runner.wait(Job.find(first.runs[-1]), seconds=600)


def test_a_further_table_follows_its_run_under_a_name_of_its_own(twice: Twice) -> None:
    project = twice()
    project = runs.start(
        replace(project, method=replace(project.method, name="mst", extras=("independent", "magic")))
    )
    assert runner.wait(Job.find(project.runs[-1]), seconds=600).state is State.DONE
    found = runs.tables(project)
    assert [one.name for one in found] == ["Run 1", "Run 2", "Run 3", "Run 3, again by Independent columns"]
    assert len({one.run for one in found}) == 4 and runs.finished(project) == found[:3]
    assert verify(found[-1].folder).ok and found[-1].folder != found[-2].folder

"""What the run page says about the ledger is what the ledger will do."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from synth import places
from synth.errors import BudgetRefused
from synth.jobs import budget as gate
from synth.jobs import runner
from synth.jobs.store import Job
from synth.measure.ledger import Ledger
from synth.quote import Quote
from synth.schema import ProtectedChange
from synth.ui import decisions, declared, desk
from synth.ui import project as projects
from synth.ui.project import Budget, Limits, Method


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MARGINALIA_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("MARGINALIA_LEDGER", str(tmp_path / "ledger.sqlite"))


def asking(epsilon: float, lifetime: float = 4.0) -> Quote:
    project = replace(declared.demo(), budget=Budget(epsilon=epsilon, delta=1e-7, lifetime=lifetime))
    return desk.quote(project)


def test_looking_at_a_budget_creates_no_ledger() -> None:
    assert asking(1.0).opens
    assert not places.ledger().exists()


def test_the_parts_of_the_bar_add_up_to_the_whole() -> None:
    assert sum(asking(1.0).after().values()) == pytest.approx(1.0)
    assert set(asking(1.0).after()) == {"this run", "left"}


def test_the_sheet_agrees_with_the_gate_before_and_after_a_run_is_reserved() -> None:
    project = declared.demo()
    before = asking(1.0)
    spec = desk.spec_of(project)
    quote = gate.quote(spec)
    assert (before.price.units, before.limit) == (quote.price.units, quote.limit)
    ledger = Ledger(places.ledger())
    gate.open_line(ledger, spec)
    ledger.open_run(
        "harbour-2024",
        spec.run,
        units=before.price.units,
        label="t",
        law=before.price.law,
        protects=ProtectedChange(max_rows=1),
    )
    ledger.close()
    after = asking(1.0)
    assert not after.opens
    assert (after.limit, after.line.reserved) == (before.limit, before.price.units)
    assert after.left == before.left_after


def test_what_does_not_fit_is_said_and_the_largest_epsilon_fits() -> None:
    ledger = Ledger(places.ledger())
    gate.open_line(ledger, desk.spec_of(replace(declared.demo(), budget=Budget(epsilon=1.0, lifetime=1.0))))
    ledger.close()
    too_much = asking(1.2)
    assert not too_much.covers
    largest = too_much.largest_epsilon
    assert 0.8 <= largest <= 0.9, "epsilon 1 at the lifetime's delta"
    assert asking(largest).covers
    with pytest.raises(BudgetRefused):
        gate.quote(desk.spec_of(replace(declared.demo(), budget=Budget(epsilon=largest + 0.02)))).check()


def test_a_new_line_is_opened_with_its_own_limit_whatever_the_run_asks() -> None:
    asked = asking(8.0, lifetime=4.0)
    assert asked.opens and not asked.covers and asked.line.lifetime[0] == 4.0


def test_two_orders_of_the_same_project_are_two_runs() -> None:
    project = declared.demo()
    one, two = desk.spec_of(project), desk.spec_of(project)
    assert one.run != two.run
    assert one.seed != two.seed
    assert one.out != two.out


def test_a_rehearsal_is_charged_to_a_ledger_of_its_own_with_predictable_noise() -> None:
    real = declared.demo()
    rehearsal = replace(real, rehearsal=True)
    assert desk.spec_of(real).rehearsal is None
    assert desk.spec_of(rehearsal).rehearsal is not None
    assert desk.spec_of(rehearsal).ledger != desk.spec_of(real).ledger == str(places.ledger())
    ledger = Ledger(desk.ledger_of(rehearsal))
    ledger.open_population("harbour-2024", units=10**12, reason="t", protects=ProtectedChange(max_rows=1))
    ledger.close()
    assert desk.line_of(rehearsal).limit == 10**12
    assert desk.line_of(real).limit is None


def test_the_bar_before_a_run_is_whole_without_it() -> None:
    before = asking(1.0).before()
    assert before == {"left": 1.0}
    ledger = Ledger(places.ledger())
    spec = desk.spec_of(declared.demo())
    gate.open_line(ledger, spec)
    ledger.open_run("harbour-2024", spec.run, units=10**9, label="t", protects=ProtectedChange(max_rows=1))
    ledger.close()
    again = asking(1.0).before()
    assert set(again) == {"reserved", "left"}
    assert sum(again.values()) == pytest.approx(1.0)


def test_a_start_after_a_look_is_on_record() -> None:
    project = replace(declared.demo(), method=Method(name="independent", rows=10))
    projects.save(project)
    decisions.look(project, "Opened the steward's view.")
    started = desk.start(replace(project, budget=Budget(epsilon=0.7)))
    runner.wait(Job.find(started.runs[-1]), seconds=600)
    said = decisions.log(started)[-1].sentence
    assert started.runs[-1] in said and "epsilon from 1.0 to 0.7" in said
    spent, reserved = desk.charged(started.runs[-1])
    assert 0 < spent <= reserved


def test_a_reason_stays_with_its_run() -> None:
    project = declared.demo()
    budget = replace(project.budget, epsilon=2.0, lifetime=8.0, reason="A census year.")
    first = desk.start(
        replace(project, budget=budget, limits=Limits(release=1.0), method=Method(name="independent"))
    )
    assert list(first.reasons) == list(first.runs)
    (said,) = first.reasons.values()
    assert "allows epsilon 1 " in said and "epsilon 2 " in said and said.endswith("A census year.")
    runner.wait(Job.find(first.runs[-1]), seconds=600)

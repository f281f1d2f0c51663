"""No step opens before what it needs, every locked one says where to go, and confirming leads onward."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from synth.app.project import declared, journey
from synth.app.project.journey import Mark
from synth.app.project.store import Origin, Project
from synth.app.ui.text import frame as text


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MARGINALIA_HOME", str(tmp_path))
    monkeypatch.setenv("MARGINALIA_LEDGER", str(tmp_path / "ledger.sqlite"))


def marks(*met: str) -> dict[str, Mark]:
    return {station.step.name: station.mark for station in journey.stations(frozenset(met))}


def bare() -> Project:
    return Project(id="A" * 16, name="t", origin=Origin.PENDING, data="", schema={"name": "t", "columns": []})


def test_at_first_only_the_start_and_the_asides_are_open() -> None:
    opened = {name for name, mark in marks().items() if mark is not Mark.LOCKED}
    assert opened == {"project"} | {step.name for step in journey.STEPS if step.aside}


def test_every_step_has_a_page_and_every_page_is_a_step() -> None:
    pages = {path.stem for path in (Path(__file__).parents[3] / "pages").glob("*.py")}
    assert pages == set(journey.BY_NAME) and len(journey.STEPS) == len(journey.BY_NAME)


def test_every_locked_step_says_what_is_missing_and_leads_to_an_open_step() -> None:
    names = [step.name for step in journey.STEPS if not step.aside]
    for reached in range(len(names)):
        met = frozenset(names[:reached])
        for station in journey.stations(met):
            assert (station.mark is Mark.LOCKED) == bool(station.missing)
            if station.leads_to is not None:
                assert text.MISSING[station.missing]
                assert marks(*met)[station.leads_to.name] is not Mark.LOCKED


def test_a_unit_counts_only_if_confirmed_and_declared() -> None:
    declared_only = replace(bare(), schema={"name": "t", "population": "p", "unit": {"max_rows": 2}})
    assert "unit" not in journey.facts_of(declared_only)
    assert "unit" not in journey.facts_of(journey.settle(bare(), "unit"))
    assert "unit" in journey.facts_of(journey.settle(declared_only, "unit"))


def test_a_job_that_is_gone_does_not_break_the_journey() -> None:
    met = journey.facts_of(replace(declared.demo(), runs=("20240101-00000000",)))
    assert "run" not in met
    assert "budget" in met


def test_the_way_on_skips_what_is_done_and_never_ends_at_an_aside() -> None:
    everything = frozenset(step.name for step in journey.STEPS) | {"file"}
    assert journey.next_open(everything) is None
    step = journey.next_open(everything - {"results"}, after="project")
    assert step is not None
    assert step.name == "results"
    assert journey.progress(everything)[0] == journey.progress(everything)[1]

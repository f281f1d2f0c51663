"""Whoever has never said otherwise is guided; the choice is kept for each person by itself."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from synth.app.project import declared, journey
from synth.app.project import store as projects
from synth.app.project.store import Project
from synth.app.ui import guide
from synth.app.ui.text import guide as text
from synth.core.accounting import limit_for
from synth.core.system import places
from synth.private.ledger import Ledger

ROOT = Path(__file__).parents[3]


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MARGINALIA_HOME", str(tmp_path))
    monkeypatch.setenv("MARGINALIA_LEDGER", str(tmp_path / "ledger.sqlite"))
    return tmp_path


def test_a_choice_is_kept_for_one_person_and_for_no_other(home: Path) -> None:
    assert guide.is_on("") and guide.is_on("ann@example.org")
    guide.keep("ann@example.org", on=False)
    assert not guide.is_on("ann@example.org")
    assert guide.is_on("") and guide.is_on("bob@example.org")
    guide.keep("ann@example.org", on=True)
    assert guide.is_on("ann@example.org")
    assert not any("ann" in path.name for path in (home / "people").iterdir())


def test_a_damaged_file_only_brings_the_guide_back() -> None:
    guide.keep("", on=False)
    guide.place_of("").write_text("[", encoding="utf-8")
    assert guide.is_on("")


def test_every_step_of_the_journey_has_its_words() -> None:
    assert set(text.STEPS) == {step.name for step in journey.STEPS if not step.aside}


def test_only_who_has_no_project_open_is_told_to_open_the_demo() -> None:
    test = AppTest.from_file(str(ROOT / "app.py"), default_timeout=600).run()
    assert any("New here?" in m.value for m in test.markdown)
    project = declared.demo()
    projects.save(project)
    test.query_params["p"] = project.id
    test.switch_page("pages/project.py").run()
    assert not test.exception and not any("New here?" in m.value for m in test.markdown)
    assert any(text.OPENED[0] in m.value for m in test.markdown)


def test_the_switch_hides_the_notes_on_every_page_and_for_good() -> None:
    project = declared.demo()
    projects.save(project)
    test = AppTest.from_file(str(ROOT / "app.py"), default_timeout=600)
    test.query_params["p"] = project.id
    test.run()
    assert any(text.TITLE in m.value for m in test.markdown)
    test.sidebar.toggle(key=guide.KEY).set_value(False).run()
    assert not test.exception and not any(text.TITLE in m.value for m in test.markdown)
    again = AppTest.from_file(str(ROOT / "app.py"), default_timeout=600)
    again.query_params["p"] = project.id
    again.run().switch_page("pages/rules.py").run()
    assert not any(text.TITLE in m.value for m in again.markdown)
    again.sidebar.toggle(key=guide.KEY).set_value(True).run()
    assert any(text.TITLE in m.value for m in again.markdown)


def test_the_sheet_of_a_second_run_tells_what_is_spent() -> None:
    def notes(project: Project) -> str:
        test = AppTest.from_file(str(ROOT / "app.py"), default_timeout=600)
        test.query_params["p"] = project.id
        test.run().switch_page("pages/run.py").run()
        assert not test.exception
        return next(m.value for m in test.markdown if text.TITLE in m.value)

    project = replace(declared.demo(), settled=("unit", "schema", "rules", "budget", "method"))
    projects.save(project)
    assert text.FIRST_RELEASE in notes(project)
    schema = declared.read(project).schema
    with closing(Ledger(places.rehearsal_ledger())) as ledger:
        limit = limit_for(4.0, 1e-7)
        ledger.open_population(schema.population, units=limit, protects=schema.protects, reason="test")
    told = notes(project)
    assert text.STARTED[0] not in told and "Review the summary" in told
    assert text.FIRST_RELEASE not in told and "So far 0 % of the lifetime budget is spent" in told


def test_once_it_is_started_nobody_is_told_to_start_a_run(mine: Any, draw: Any) -> None:
    def page() -> None:
        from synth.app.ui import guide, state

        guide.show("run", state.current())

    started = draw(page, mine(drafting=False)).markdown[0].value
    assert text.STARTED[0] in started and "type the project's name" not in started

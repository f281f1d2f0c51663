"""The whole journey is in sight on every page, each step with a sign and a word."""

from __future__ import annotations

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from synth.app.project import declared, journey
from synth.app.project import store as projects

ROOT = Path(__file__).parents[3]


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MARGINALIA_HOME", str(tmp_path))
    monkeypatch.setenv("MARGINALIA_LEDGER", str(tmp_path / "ledger.sqlite"))


def links(test: AppTest) -> dict[str, object]:
    return {str(link.proto.page): link.proto for link in test.sidebar.get("page_link")}


def test_without_a_project_every_step_is_listed_and_most_are_locked() -> None:
    found = links(AppTest.from_file(str(ROOT / "app.py")).run())
    assert set(found) == {step.name for step in journey.STEPS if step.name != "project"} | {""}
    assert "locked" in found["results"].label  # type: ignore[attr-defined]
    assert "project open" in found["results"].help  # type: ignore[attr-defined]
    assert "locked" not in found[""].label  # type: ignore[attr-defined]


def test_a_step_that_is_done_wears_the_word_and_the_address_keeps_the_project() -> None:
    project = declared.demo()
    projects.save(project)
    test = AppTest.from_file(str(ROOT / "app.py"))
    test.query_params["p"] = project.id
    found = links(test.run())
    assert "done" in found["schema"].label  # type: ignore[attr-defined]
    assert project.id in found["schema"].query_string  # type: ignore[attr-defined]


def test_opening_the_demo_moves_the_marks_in_the_same_breath() -> None:
    test = AppTest.from_file(str(ROOT / "app.py")).run()
    test.button(key="open-demo").click().run()
    assert "done" in links(test)["schema"].label  # type: ignore[attr-defined]

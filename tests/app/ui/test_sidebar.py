"""The sidebar lists the open steps with their state, and how many are still locked."""

from __future__ import annotations

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

ROOT = Path(__file__).parents[3]


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MARGINALIA_HOME", str(tmp_path))
    monkeypatch.setenv("MARGINALIA_LEDGER", str(tmp_path / "ledger.sqlite"))


def labels(test: AppTest) -> dict[str, str]:
    return {str(link.proto.page): link.proto.label for link in test.sidebar.get("page_link")}


def test_opening_the_demo_opens_steps_and_marks_those_that_are_done() -> None:
    test = AppTest.from_file(str(ROOT / "app.py"), default_timeout=600).run()
    assert labels(test) == {"": "Project", "ledger": "Ledger", "help": "Help"}
    assert "10 more steps" in test.sidebar.caption[-1].value
    test.button(key="open-demo").click().run()
    found = labels(test)
    assert "done" in found["schema"] and found["budget"] == "Budget" and "results" not in found
    (link,) = [one.proto for one in test.sidebar.get("page_link") if one.proto.page == "budget"]
    assert "".join(test.query_params["p"]) in link.query_string

"""The promise in odds, and a budget line that says when it is not enough."""

from __future__ import annotations

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from synth import places
from synth.measure.ledger import Ledger
from synth.schema import ProtectedChange
from synth.ui import declared, desk


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MARGINALIA_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("MARGINALIA_LEDGER", str(tmp_path / "ledger.sqlite"))


def said(app: AppTest) -> str:
    return " ".join(m.value for m in [*app.markdown, *app.caption, *app.error])


def test_the_odds_are_those_of_the_budget() -> None:
    def page(epsilon: float) -> None:
        from synth.ui import panels
        from synth.ui.project import Budget

        panels.odds(Budget(epsilon=epsilon, delta=1e-7))

    for epsilon in (0.5, 3.0):
        app = AppTest.from_function(page, args=(epsilon,)).run()
        assert not app.exception
        times = round(desk.ceiling(epsilon, 1e-7)[0] * 100)
        assert f"**{times} times in 100**" in said(app)


def test_a_line_without_room_says_what_still_fits() -> None:
    def page() -> None:
        from synth.ui import declared, desk, panels

        project = declared.demo()
        panels.ledger(desk.quote(project), key="ledger")

    app = AppTest.from_function(page).run()
    assert "no budget line yet" in said(app)
    assert not app.error
    ledger = Ledger(places.ledger())
    ledger.open_population(
        declared.demo().schema["population"], units=10**9, reason="test", protects=ProtectedChange(max_rows=1)
    )
    ledger.close()
    app = AppTest.from_function(page).run()
    assert "does not cover" in app.error[0].value

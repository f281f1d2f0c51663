"""The page of one release package: questions to it, its accuracy, and nothing of a project or a ledger."""

import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from streamlit.testing.v1 import AppTest

from synth.app.ui import serve
from synth.release.verdict.figures import Figure, Verdict

EARLIER = Path(__file__).parents[3] / "release" / "version_0_2.zip"


def page(package: Path, monkeypatch: pytest.MonkeyPatch) -> AppTest:
    monkeypatch.setattr(sys, "argv", ["serve.py", "", str(package)])
    app = AppTest.from_file(str(serve.script(sys.argv))).run()
    assert not app.error
    return app


def test_an_analyst_asks_without_a_project_and_a_ledger(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    monkeypatch.setenv("MARGINALIA_HOME", str(home))
    app = page(EARLIER, monkeypatch)
    assert "This release has no accuracy check." in app.info[0].value
    app.session_state["open-map"] = app.session_state["open-rows"] = True
    app.selectbox(key="ask-kind").set_value("mean").run()
    app.selectbox(key="ask-by").set_value("smokes").run()
    app.button(key="rows-draw").click().run()
    assert not app.error
    assert any("synthetic rows" in line.value for line in app.markdown)
    assert not app.sidebar.children and not home.exists()


def test_the_accuracy_of_the_rows_is_shown() -> None:
    def draw(bundle):  # type: ignore[no-untyped-def]
        from synth.app.ui.package import panels

        panels.accuracy(bundle)

    verdict = Verdict(tables=(), means={"pairs": Figure(estimate=0.05, sd=0.01)})
    checks = SimpleNamespace(verdict=verdict, confidence=0.95)
    bundle = SimpleNamespace(checks=checks, statement={"accuracy": ["Pairs: 5% <b>."]})
    app = AppTest.from_function(draw, args=(bundle,)).run()
    assert "accuracy" in {chart.key for chart in app.get("plotly_chart")}
    assert "\\<b\\>" in app.markdown[0].value

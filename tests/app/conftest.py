"""What all tests of the app share: a home for one module, and pages that show no exception."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("home")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MARGINALIA_HOME", str(folder / "home"))
        patch.setenv("MARGINALIA_LEDGER", str(folder / "ledger.sqlite"))
        yield folder


@pytest.fixture(autouse=True)
def _no_page_raises(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fail if a page shows an exception after any run of it. Streamlit gives a page three seconds, which one
    does not always have on a busy machine."""
    testing = sys.modules.get("streamlit.testing.v1")
    if testing is None:
        return
    ran = testing.AppTest._run

    def run(app: Any, *args: Any, **more: Any) -> Any:
        ran(app, *args, **more)
        assert not app.exception, [one.value for one in app.exception]
        return app

    monkeypatch.setattr(testing.AppTest, "_run", run)
    for make in (testing.AppTest.from_function, testing.AppTest.from_file):
        monkeypatch.setitem(make.__func__.__kwdefaults__, "default_timeout", 600.0)

"""Pages of the app, opened by the router as a reader opens them."""

from pathlib import Path
from typing import Any

from streamlit.testing.v1 import AppTest

from synth.app.project.store import Project

ROOT = Path(__file__).parents[2]


def app(project: Project | None = None, **state: Any) -> AppTest:
    """The app before its first run, on a saved project and with values of the session."""
    test = AppTest.from_file(str(ROOT / "app.py"))
    if project is not None:
        test.query_params["p"] = project.id
    for key, value in state.items():
        test.session_state[key] = value
    return test


def opened(page: str, project: Project | None = None, **state: Any) -> AppTest:
    """A page of a saved project."""
    return app(project, **state).run().switch_page(f"pages/{page}.py").run()

"""A page of its own for a piece: drawn on a project of this test's home, saved and opened by its address."""

from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from synth.app.project import store as projects
from synth.app.project.store import Project

Draw = Callable[..., AppTest]
Twice = Callable[[], Project]


def pieces(*names: str) -> None:
    """Draw these functions of `synth.app.ui` on the project of the address."""
    from importlib import import_module

    from synth.app.ui import state

    project = state.current()
    assert project is not None
    for name in names:
        module, _, piece = name.rpartition(".")
        getattr(import_module(f"synth.app.ui.{module}"), piece)(project)


@pytest.fixture
def draw(project_home: Path) -> Draw:
    """Run a page function, or pieces of the app by their names, on a project."""

    def opened(page: Callable[..., None] | str, project: Project, *given: object) -> AppTest:
        projects.save(project)
        if isinstance(page, str):
            page, given = pieces, tuple(page.split())
        app = AppTest.from_function(page, args=given)
        app.query_params["p"] = project.id
        app.run()
        return app

    return opened

"""Open the pages of one project over neighbouring files, with the same releases: nothing else may differ.

The private evaluation, which is exact and for the steward only, is opened and not started.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from synth.app.project import store as projects
from synth.app.project.store import Project
from tests.app.opened import ROOT, opened

CANARY = "canary-3d81c0"
LINES = {
    "nobody": b"",
    "blank": b",,\n",
    "outside": f"{10**30},{CANARY},{CANARY}\n".encode(),
    "wrong type": f"{CANARY},1,2\n".encode(),
    "long text": b"3," + CANARY.encode() * 20_000 + b",\n",
    "half a quote": b'3,"a\n',
    "no text": b"3,\xff\0\xfe,x\n",
    "too many cells": b"3,a,x,y,z\n",
    "a crowd": b"9,b,x\n" * 500,
}
PAGES = sorted(path.stem for path in (ROOT / "pages").glob("*.py"))


def shown(test: AppTest) -> Iterator[tuple[str, bytes]]:
    """Every element of a page, with all that is sent to the browser."""
    for element in (*test.sidebar, *test.main, *test.toast):
        proto = element.proto  # a container may have none
        yield element.type, b"" if proto is None else proto.SerializeToString(deterministic=True)


def said_by(page: str, project: Project) -> tuple[list[tuple[str, bytes]], dict[str, str]]:
    test = opened(page, project)
    state: dict[str, Any] = test.session_state._state.filtered_state
    return [*shown(test)], {name: re.sub(r"0x[0-9a-f]+", "", repr(value)) for name, value in state.items()}


def told_by(page: str, project: Project, lines: tuple[str, ...]) -> None:
    """Fail if a page differs when the file of a project has other rows of one person."""
    path = Path(project.data)
    said_by(page, project)  # the first visit stores defaults in the project
    whole, first = path.read_bytes(), said_by(page, project)
    assert len(first[0]) > 3
    for name in lines:
        path.write_bytes(whole + LINES[name])
        assert said_by(page, project) == first, name


@pytest.mark.parametrize(
    ("page", "lines"),
    [("schema", ("outside",)), *(pytest.param(p, tuple(LINES), marks=pytest.mark.long) for p in PAGES)],
)
def test_a_page_shows_the_same_before_a_run(
    page: str, lines: tuple[str, ...], mine: Callable[..., Project], project_home: Path
) -> None:
    path = project_home / "tables" / "town.csv"
    path.write_text("age,ward,note\n" + "3,a,x\n4,b,y\n" * 100)
    steps = ("unit", "schema", "rules", "budget", "method")
    project = mine(data=str(path), drafting=False, settled=steps, header=("age", "ward", "note"))
    projects.save(project)
    told_by(page, project, lines)


@pytest.mark.long
@pytest.mark.parametrize("page", PAGES)
def test_a_page_shows_the_same_after_two_runs(page: str, twice: Callable[[], Project]) -> None:
    told_by(page, twice(), tuple(LINES))

"""Files made to do harm, through the columns page and a run: our own sentence, and the app goes on."""

import io
import random
import re
import zipfile
from pathlib import Path

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from synth.app.jobs import runner
from synth.app.jobs.kinds import fitting
from synth.app.jobs.store import State, Task
from synth.app.project import store as projects
from synth.app.project.store import Budget, Method, Origin, Project
from tests import conftest
from tests.app.opened import opened

pytestmark = pytest.mark.long
CANARY = "canary-9QX4"
AGE, WARD, _ = conftest.SCHEMA["columns"]
SCHEMA = conftest.SCHEMA | {"columns": [AGE, WARD | {"blank": True}]}
ROWS = b"5,a\n6,b\n" * 60
LINE = f"7,{CANARY}\n".encode()


def _zipped() -> bytes:
    """A megabyte of nothing in a kilobyte."""
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as content:
        content.writestr(f"{CANARY}.csv", "0" * 2**20)
    return archive.getvalue()


def _parquet(frame: pd.DataFrame) -> bytes:
    body = io.BytesIO()
    frame.to_parquet(body)
    return body.getvalue()


def _junk() -> bytes:
    return random.Random(4).randbytes(40_000) + CANARY.encode()


NESTED = pd.DataFrame({"age": [[1, 2], [3]], "ward": [{"a": CANARY}, {"a": "b"}]})
TYPED = pd.DataFrame({"age": [CANARY, "x"], "ward": pd.to_datetime(["2020-01-01", "2021-01-01"])})
FILES = {
    "an endless line": ("t.csv", b"age,ward\n5," + b"a" * 8_000_000 + LINE),
    "an archive": ("t.csv", _zipped()),
    "junk": ("t.parquet", b"PAR1" + _junk()),
    "zeros": ("t.csv", b"age,ward\n" + ROWS + b"\0\0,\0\n" + LINE),
    "formulas": ("t.csv", b"age,ward\n" + ROWS + b'=1+1,"=HYPERLINK(""http://x"",""y"")"\n' + LINE),
    "a script for a name": ("t.csv", b"age,ward,<script>alert(1)</script>\n" + ROWS.replace(b"\n", b",1\n")),
    "a way out": ("../../../escape.csv", b"age,ward\n" + ROWS + LINE),
    "another alphabet": ("t.csv", ("age,ward\n5,a\n" + LINE.decode()).encode("utf-16")),
    "another code": ("t.csv", b"age,ward\n5,\xe9\xe8\n" + ROWS + LINE),
    "nothing": ("t.csv", b""),
    "names that stand twice": ("t.csv", b"age,ward,ward\n" + ROWS.replace(b"\n", b",a\n") + LINE),
    "rows of many lengths": ("t.csv", b"age,ward\n5\n5,a,b,c\n" + ROWS + LINE),
    "lists for cells": ("t.parquet", _parquet(NESTED)),
    "other types": ("t.parquet", _parquet(TYPED)),
}


@pytest.fixture
def project(home: Path) -> Project:
    """Declared columns, and no file yet."""
    project = Project(
        id=projects.fresh_id(),
        name="mine",
        origin=Origin.PENDING,
        data="",
        schema=SCHEMA,
        settled=("unit", "schema", "rules", "budget", "method"),
        budget=Budget(epsilon=0.1, lifetime=50.0),
        method=Method(name="independent", rows=50),
    )
    projects.save(project)
    return project


def visit(project: Project, page: str = "schema") -> AppTest:
    return opened(page, project, **{"table-form-0-place": "On this computer"})


def uploaded(project: Project, name: str, body: bytes) -> AppTest:
    test = visit(project)
    test.file_uploader(key="table-form-0-upload").upload(name, body, "text/csv").run()
    test.button(key="use-file").click().run()
    return test


def said(test: AppTest) -> str:
    """Everything on the page that is text."""
    kinds = (test.title, test.header, test.markdown, test.caption, test.info, test.success, test.warning)
    words = [one.value for kind in (*kinds, test.error) for one in kind]
    return "\n".join([*words, *(table.value.to_csv() for table in test.table)])


def is_quiet(project: Project) -> None:
    """No word of the file on the disk, the file itself left out."""
    for path in projects.folder_of(project.id).rglob("*"):
        if path.is_file() and not path.name.startswith("private"):
            assert CANARY.encode() not in path.read_bytes(), path.name


@pytest.mark.parametrize("kind", FILES)
def test_a_hostile_file_gets_a_sentence_and_the_app_goes_on(project: Project, home: Path, kind: str) -> None:
    name, body = FILES[kind]
    test = uploaded(project, name, body)
    kept = Path(projects.load(project.id).data)
    assert kept.parent == project.folder and re.fullmatch(r"private-[0-9a-f]{8}\.(csv|parquet)", kept.name)
    assert kept.read_bytes() == body
    test.button(key="read-names").click().run()
    assert "<script>" not in said(test).replace("\\<script", "")
    task = Task(project.folder / "fit", "fitting")
    runner.begin(task, fitting.order(schema=SCHEMA, data=str(kept)))
    seen = runner.wait(task, seconds=600)
    assert seen.state in (State.DONE, State.FAILED)
    test.checkbox(key="fit-agree").check().run()
    shown = said(test)
    assert CANARY not in shown and CANARY not in seen.sentence
    assert seen.state is State.DONE or seen.sentence in shown.replace("\\", "")
    is_quiet(project)
    assert not list(home.rglob("escape*"))

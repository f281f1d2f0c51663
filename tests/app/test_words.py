"""What no page and no paper says: exponents, names of fields, null, and the plural of one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from synth.jobs import runner
from synth.jobs.store import Job, State
from synth.project import decisions, journey, runs
from synth.project import store as projects
from synth.project.released import read
from synth.project.store import Budget, Method, Origin, Project

ROOT = Path(__file__).parents[2]
SCHEMA: dict[str, Any] = {
    "name": "mine",
    "population": "town",
    "unit": {"max_rows": 1},
    "columns": [
        {"name": "income", "kind": "integer", "min": 0, "max": 99_999, "blank": False, "title": "Income"},
        {"name": "note", "kind": "drop"},
    ],
}
BANNED = {
    "an exponent": r"(?<![\w.])\d+(\.\d+)?e[+-]?\d+(?!\w)",
    "null": r"\bnull\b",
    "None": r"(?<=[a-z:=(,] )None\b",
    "the plural of one": r"(?<![\w.,])1 (columns|rules|pairs|tables|runs|rows|values|bins|people|persons)\b",
    "the name of a field": r"\b(rows_about|rows_at_most|max_rows|id_column|held_back|preprocess_share)\b",
    "steps for bins": r"[Ss]teps of|equal steps|wider steps|[Ss]teps follow",
    "too much": r"nobody can tell|no one can tell|impossible to tell",
}


def faults(text: str) -> dict[str, str]:
    """What of the banned stands in a text, with the words around it."""
    text = re.sub(r"\b\d{8}-[0-9a-f]{8}\b", "", text)  # the id of a run may look like an exponent
    found = {name: re.search(f".{{0,60}}(?:{pattern}).{{0,40}}", text) for name, pattern in BANNED.items()}
    return {name: match[0] for name, match in found.items() if match}


def said(test: AppTest) -> str:
    """Every word of a page: sentences, labels, helps, figures, pictures' words, cells of tables."""
    texts = [
        str(e.value) for e in (*test.title, *test.header, *test.subheader, *test.markdown, *test.caption)
    ]
    texts += [e.value for e in (*test.info, *test.warning, *test.error, *test.success)]
    for kind in ("button", "checkbox", "text_input", "number_input", "selectbox", "toggle", "text_area"):
        texts += [f"{e.label} {getattr(e, 'help', '')}" for e in getattr(test, kind)]
    texts += [f"{e.label} {e.value}" for e in test.metric]
    texts += [chart.proto.alt for chart in test.get("plotly_chart")]
    texts += [" ".join(map(str, [*t.value.columns, *t.value.to_numpy().ravel()])) for t in test.table]
    return "\n".join(texts).replace("\\", "")


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Project]:
    """One column, no rule, one run, a look, and another run in preparation that differs in much."""
    home = tmp_path_factory.mktemp("home")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MARGINALIA_HOME", str(home / "home"))
        patch.setenv("MARGINALIA_LEDGER", str(home / "ledger.sqlite"))
        (home / "t.csv").write_text("income,note\n" + "".join(f"{i * 90},x\n" for i in range(1000)))
        before = Project(
            id=projects.fresh_id(),
            name="mine",
            origin=Origin.PATH,
            data=str(home / "t.csv"),
            schema=SCHEMA,
            budget=Budget(epsilon=0.5, delta=3e-7, lifetime=4.0),
            method=Method(name="independent", rows=300),
            settled=("unit", "schema", "rules"),
        )
        projects.save(before)
        decisions.record_look(before, decisions.steward_look(["Run 1"]))
        budget = replace(before.budget, rows_about=26_000, weights={"later": "low"})
        started = runs.start(replace(before, budget=budget))
        assert runner.wait(Job.find(started.runs[-1]), seconds=600).state is State.DONE
        ready = replace(started, drafting=True, budget=replace(budget, rows_about=None))
        projects.save(ready)
        yield ready


@pytest.mark.parametrize("page", [step.name for step in journey.STEPS])
def test_no_page_says_it(project: Project, page: str) -> None:
    test = AppTest.from_file(str(ROOT / "app.py"), default_timeout=600)
    test.query_params["p"] = project.id
    test.run().switch_page(f"pages/{page}.py").run()
    assert not test.exception and not test.error
    assert faults(said(test)) == {}


def test_the_checks_tell_the_width_of_a_bin(project: Project) -> None:
    test = AppTest.from_file(str(ROOT / "app.py"), default_timeout=600)
    test.query_params["p"] = project.id
    test.run().switch_page("pages/schema.py").run()
    assert "cut into 32 equal bins, about 3,120 each" in said(test)


def test_the_decision_log_is_made_of_sentences(project: Project) -> None:
    lines = [entry.printed for entry in decisions.log(project)]
    assert any("the rough number of rows was set to 26,000" in line for line in lines)
    assert faults("\n".join(lines)) == {}


def test_no_paper_says_it(project: Project) -> None:
    folder = runs.finished(project)[0].folder
    assert read(folder)
    for paper in ("report/privacy_report.md", "README.md"):
        # A promise names its delta exactly, as the statement for machines does.
        told = re.sub(r"delta:? (= )?\S+", "", (folder / paper).read_text())
        assert faults(told) == {}


@pytest.mark.parametrize(
    "text",
    [
        "of about 3.12e+03.",
        "delta 1e-07",
        "from null to",
        "about None rows",
        "1 columns",
        "rows_about",
        "So nobody can tell",
    ],
)
def test_what_is_banned_is_found(text: str) -> None:
    assert faults(text)


@pytest.mark.parametrize(
    "text",
    [
        "11 columns",
        "1 column",
        "J45e1x",
        "0.0000001",
        "2.1 rows",
        "release",
        "1,001 rows",
        "20261122-12e45678",
    ],
)
def test_what_is_not_banned_is_left_alone(text: str) -> None:
    assert not faults(text)

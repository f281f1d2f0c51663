"""What no page, no paper and no run log says: exponents, names of fields, null, the plural of one, and
numbers, shares and pairs in another way than `synth.core.numbers` writes them."""

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from synth.app.jobs import runner
from synth.app.jobs.store import Job, State
from synth.app.project import decisions, journey, runs
from synth.app.project import store as projects
from synth.app.project.results.released import read
from synth.app.project.store import Budget, Method, Origin, Project
from synth.core.numbers import TIMES
from tests.app.opened import opened

SCHEMA: dict[str, Any] = {
    "name": "mine",
    "population": "town",
    "unit": {"max_rows": 1},
    "columns": [
        {"name": "inc", "kind": "integer", "min": 0, "max": 99_999, "blank": False, "title": "Income"},
        {"name": "sx", "kind": "category", "values": ["f", "m"], "title": "Sex", "blank": False},
        {"name": "cost", "kind": "decimal", "min": 0.0, "max": 250_000.0, "decimals": 2, "title": "Cost"},
        {"name": "born", "kind": "integer", "min": 1900, "max": 1999, "bins": 10, "title": "Year of birth"},
        {"name": "note", "kind": "drop"},
    ],
}
BANNED = {
    "an exponent": r"(?<![\w.])\d+(\.\d+)?e[+-]?\d+(?!\w)",
    "null": r"\bnull\b",
    "None": r"(?<=[a-z:=(,] )None\b",
    "the plural of one": r"(?<![\w.,])1 (columns|rules|pairs|tables|runs|rows|values|bins|people|persons)\b",
    "the name of a field": r"\b(rows_about|rows_at_most|max_rows|id_column|held_back|preprocess_share)\b",
    "steps for bins": r"[Ss]teps of(?! \d)|equal steps|wider steps|[Ss]teps follow",
    "too much": r"nobody can tell|no one can tell|impossible to tell",
    "thousands that are not parted": r"(?<![\w.,/#=:-])\d{5,}(?![\w/-]|\.\d|\.\w)",
    "thousands as a letter": r"(?<![\w.,])\d[\d,.]* ?k(?!\w)",
    "per cent with a space": r"\d %",
    "a letter for a times sign": r"(?<=[\w')]) x (?=[\w'(])",
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
    texts += [drawn for chart in test.get("plotly_chart") for drawn in written(json.loads(chart.proto.spec))]
    return "\n".join(texts).replace("\\", "")


def written(spec: Any) -> Iterator[str]:
    """The texts that a chart shows, on its axes, in its legend and where a mark is pointed at. Numbers along
    an axis are written by the browser, which has to be told how."""
    for trace in spec["data"]:
        yield from texts_in([trace.get(part) for part in ("name", "text", "hovertemplate")])
        pointed = trace.get("customdata") or []
        yield from texts_in([data[-1] if isinstance(data, list) else data for data in pointed])
    layout = spec["layout"]
    for name, axis in layout.items():
        if name.startswith(("xaxis", "yaxis")):
            yield from texts_in([axis.get("ticktext"), axis.get("title")])
            is_stated = axis.get("exponentformat") == "none" and axis.get("separatethousands") is True
            yield name if is_stated else f"{name}: 10k"
    yield from texts_in(layout.get("annotations"))


def texts_in(part: Any) -> Iterator[str]:
    if isinstance(part, str):
        yield re.sub(r"%\{[^}]*\}", "", part)
    elif isinstance(part, dict):
        yield from texts_in(part.get("text"))
    elif isinstance(part, list):
        for one in part:
            yield from texts_in(one)


@pytest.fixture(scope="module")
def project(home: Path) -> Project:
    """One column, no rule, one run, a look, and another run in preparation that differs in much."""
    (home / "t.csv").write_text(
        "inc,sx,cost,born,note\n"
        + "".join(f"{i * 90},{'fm'[i % 2]},{i * 200}.50,{1900 + i % 100},x\n" for i in range(1000))
    )
    before = Project(
        id=projects.fresh_id(),
        name="mine",
        origin=Origin.PATH,
        data=str(home / "t.csv"),
        schema=SCHEMA,
        budget=Budget(epsilon=0.5, delta=3e-7, lifetime=4.0),
        method=Method(name="mst", rows=30_000),
        settled=("unit", "schema", "rules"),
    )
    projects.save(before)
    decisions.record_look(before, decisions.steward_look(["Run 1"]))
    budget = replace(before.budget, rows_about=26_000, weights={"later": "low"})
    started = runs.start(replace(before, budget=budget))
    assert runner.wait(Job.find(started.runs[-1]), seconds=600).state is State.DONE
    ready = replace(started, drafting=True, budget=replace(budget, rows_about=None))
    projects.save(ready)
    return ready


@pytest.mark.parametrize("page", [step.name for step in journey.STEPS])
def test_no_page_says_it(project: Project, page: str) -> None:
    test = opened(page, project)
    assert not test.error
    assert faults(said(test)) == {}


def test_no_paper_says_it(project: Project) -> None:
    folder = runs.finished(project)[0].folder
    assert "19,000 to 1999" not in str(read(folder).columns)
    for paper in ("report/privacy_report.md", "README.md"):
        # A promise names its delta exactly, as the statement for machines does.
        stated = re.sub(r"(delta:? (= )?|--rows )\S+", "", (folder / paper).read_text())
        assert faults(stated) == {}
    report = (folder / "report/privacy_report.md").read_text()
    assert "0 to 99,999" in report and "0.00 to 250,000.00" in report and "1900 to 1999" in report


def test_no_run_log_says_it(project: Project) -> None:
    facts = [event.fact for event in Job.find(project.runs[-1]).events()]
    assert faults(re.sub(r"delta \S+", "", "\n".join(facts))) == {}
    assert any(TIMES in fact for fact in facts) and any("30,000 records" in fact for fact in facts)

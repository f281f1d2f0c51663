"""Pages and command line show the same limit, spending, share and claim of a run."""

import re
from dataclasses import replace
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from synth.app.jobs import runner
from synth.app.jobs.store import Job, State
from synth.app.project import declared, runs
from synth.app.project import store as projects
from synth.app.project.runs import tables
from synth.app.project.store import Budget, Method, Origin, Project
from synth.app.ui.text import share
from synth.cli import main
from tests.app.opened import opened

SHARE, CLAIM = r"reserves \*\*(\S+%)\*\*", r"this run counts as epsilon ([\d.]+)\."
AFTER = r"Afterwards (\S+%) remains"
BUDGET = Budget(epsilon=1.0, delta=1e-9, lifetime=4.0)


def released(project: Project) -> Project:
    started = runs.start(project)
    status = runner.wait(Job.find(started.runs[-1]), seconds=600)
    assert status.state is State.DONE, status
    projects.save(replace(started, drafting=True))
    return replace(started, drafting=True)


@pytest.fixture(scope="module")
def project(home: Path) -> Project:
    """The demo after one Gaussian run, with the next one in preparation."""
    demo = replace(declared.demo(), origin=Origin.PATH)  # the demo itself is charged to the practice ledger
    return released(replace(demo, budget=BUDGET, method=Method(name="independent", rows=300)))


def page(project: Project, name: str) -> AppTest:
    projects.save(project)
    return opened(name, project, **{"lines-fold": True})


def words(test: AppTest) -> str:
    """What a page says, as a reader sees it: without the marks that keep Markdown from reading a text."""
    pictures = [chart.proto.alt for chart in test.get("plotly_chart")]
    return " ".join([e.value for e in (*test.markdown, *test.caption)] + pictures).replace("\\", "")


def one(pattern: str, text: str) -> str:
    """The figure a page tells, however often it tells it."""
    found = set(re.findall(pattern, text))
    assert len(found) == 1, (pattern, found, text)
    return found.pop()


def same(share: str, percent: str) -> bool:
    """Whether a share on a page and one of the command line, which gives a digit more, are one number."""
    return round(float(percent)) == round(float(share.removesuffix("%")))


def shown(capsys: pytest.CaptureFixture[str]) -> str:
    capsys.readouterr()
    assert main(["ledger", "show", "harbour-2024"]) == 0
    return capsys.readouterr().out


@pytest.mark.parametrize("method", ["independent", "aim", "ctgan"])
def test_every_page_tells_one_number(
    project: Project, method: str, capsys: pytest.CaptureFixture[str]
) -> None:
    draft = replace(project, method=Method(name=method))
    offer = runs.quote(draft)
    pages = {name: words(page(draft, name)) for name in ("budget", "run", "unit")}
    ledger = page(draft, "ledger").dataframe[0].value.iloc[0]
    line = shown(capsys)
    assert ledger["Lifetime limit"] == "epsilon 4 at delta 1 in a billion"
    assert "limit is epsilon 4 at delta 1 in a billion" in pages["unit"]
    assert "lifetime limit epsilon 4 at delta 1e-9" in line
    spent = one(r"spent (\d[\d.]*%)", pages["budget"])
    assert spent == ledger["Spent"] == one(r"spent (\d[\d.]*%)", pages["run"])
    assert same(spent, one(r"Spent ([\d.]+)%", line))
    left = one(r"before: .*?left (\d[\d.]*%)", pages["run"])
    assert left == ledger["Remaining"] and same(left, one(r"remaining ([\d.]+)%", line))
    for pattern in (SHARE, AFTER):
        assert one(pattern, pages["budget"]) == one(pattern, pages["run"]), pattern
    differs = f"{offer.claim:.4g}" != f"{offer.epsilon:.4g}"  # then a second epsilon is shown
    assert set(re.findall(CLAIM, pages["budget"])) == set(re.findall(CLAIM, pages["run"]))
    assert set(re.findall(CLAIM, pages["run"])) == ({f"{offer.claim:.4g}"} if differs else set())
    assert one(r"up to epsilon ([\d.]+)", pages["unit"]) == ledger["Remaining for one release (epsilon)"]
    assert f"epsilon {ledger['Spent (epsilon)']})" in line
    assert f"epsilon {ledger['Remaining for one release (epsilon)']};" in line
    gives_up = [
        re.findall(r"so (\S+%) of the lifetime budget can no longer", pages[n]) for n in ("run", "budget")
    ]
    assert gives_up[0] == gives_up[1] == ([share(offer.lost)] if method == "ctgan" else [])
    assert bool(offer.lost) == (method == "ctgan"), "only private training needs another accounting rule"


def test_a_run_counts_as_was_said_before_it(project: Project, capsys: pytest.CaptureFixture[str]) -> None:
    draft = replace(project, method=Method(name="independent", rows=300))
    said = words(page(draft, "run"))
    after = released(draft)
    test = page(after, "ledger")
    table = test.dataframe[1].value.set_index("Run")
    row = table.loc[after.runs[-1]]
    spent = runner.status(Job.find(after.runs[-1])).spent or 0
    assert spent == pytest.approx(runs.quote(draft).price.units, rel=1e-4), "it used all that it reserved"
    assert float(row["Epsilon"]) == pytest.approx(runs.quote(draft).claim, rel=1e-3)
    assert row["Of the limit"] == one(SHARE, said)
    left = one(AFTER, said)
    assert test.dataframe[0].value.iloc[0]["Remaining"] == left
    ended = words(page(replace(after, drafting=False), "run"))
    assert one(r"Spent: \*\*(\S+%)\*\*", ended) == row["Of the limit"]
    report = next(tables(after)[-1].folder.rglob("privacy_report.md")).read_text()
    assert same(row["Of the limit"], one(r"this release \*\*(\S+)%\*\*", report))
    assert one(r"- left \*\*(\S+%)\*\*", report) == left
    assert one(r"- epsilon: (\S+)", report) == f"{after.budget.epsilon:g}"

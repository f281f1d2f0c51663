"""Every kind of column by every way of knowing it, from nothing to a published report that is read whole.

One table with a list, a list in order, whole numbers, decimals, dates and free text; its columns are typed,
bought, read from the file, or taken from a dictionary. Each paper of the bundle is cut into sentences, and
each sentence is checked against the run by `release/sentences`.
"""

from __future__ import annotations

import csv
import datetime as dt
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from synth.app.jobs.store import Job
from synth.app.jobs.work import plan_of
from synth.app.project import decisions
from synth.app.project import store as projects
from synth.core.accounting import GAUSSIAN
from synth.core.schema import Kind, Provenance
from synth.private.ledger import Ledger
from synth.release.documents.statement import Imprint
from synth.release.opened import open_bundle
from tests.browser.steward import Steward
from tests.release.conftest import PAPERS
from tests.release.sentences.conftest import Run, released, today
from tests.release.sentences.test_every_sentence import faults

pytestmark = [pytest.mark.browser, pytest.mark.long]

ROWS = 3000
TOWNS, GRADES = ["Ayr", "Bath", "Cork"], ["low", "middle", "high"]
TYPED = """town: Ayr, Bath, Cork
grade: low < middle < high
age: 0 to 99
pay: 0.0 to 100.0
day: 2020-01-01 to 2023-12-31
note: left out
"""
DECLARED = """name,kind,values,min,max,bins,title,known from
town,category,Ayr|Bath|Cork,,,,Town,public document
grade,ordered,low|middle|high,,,,Grade,public document
age,integer,,0,99,10,Age in years,public document
pay,decimal,,0,100,10,Pay,public document
day,date,,2020-01-01,2023-12-31,8,Day of the visit,public document
note,drop,,,,,,
"""
BOUGHT = """name,kind,values,min,max,bins,title,known from
town,category,,,,,Town,bought with budget
grade,ordered,,,,,Grade,bought with budget
age,integer,,,,,Age in years,bought with budget
pay,decimal,,,,,Pay,bought with budget
day,date,,,,,Day of the visit,bought with budget
note,drop,,,,,,
"""
KINDS = {
    "town": Kind.CATEGORY,
    "grade": Kind.ORDERED,
    "age": Kind.INTEGER,
    "pay": Kind.DECIMAL,
    "day": Kind.DATE,
    "note": Kind.DROP,
}
USE = "Planning of visits"


def visits(path: Path, seed: int) -> Path:
    """Invented visits, another file for each seed; nobody below 18 is in the highest grade."""
    rng = np.random.default_rng(seed)
    age = rng.integers(0, 100, ROWS)
    grade = [
        GRADES[min(int(g), 1 + int(a >= 18))] for g, a in zip(rng.integers(0, 3, ROWS), age, strict=True)
    ]
    path.parent.mkdir(exist_ok=True)
    with path.open("w", newline="") as file:
        out = csv.writer(file)
        out.writerow(KINDS)
        for years, level in zip(age, grade, strict=True):
            day = dt.date(2020, 1, 1) + dt.timedelta(days=int(rng.integers(0, 1400)))
            out.writerow([rng.choice(TOWNS), level, years, f"{rng.gamma(4, 9) % 100:.2f}", day, "free text"])
    return path


def typed(steward: Steward) -> None:
    (box,) = steward.all('[class*="st-key-lines-"] textarea')
    box.send_keys(TYPED)
    steward.settle()
    steward.click("take-lines")


def read(steward: Steward) -> None:
    steward.tick("file-is-public")
    steward.click("read-domains")


def by_dictionary(content: str) -> Callable[[Steward], None]:
    def load(steward: Steward) -> None:
        path = steward.server.place / "visits-dictionary.csv"
        path.write_text(content)
        steward.upload("dictionary", path)
        steward.click("load-dictionary")

    return load


WAYS = {
    "typed": (typed, Provenance.STEWARD),
    "bought": (by_dictionary(BOUGHT), Provenance.BOUGHT),
    "read": (read, Provenance.READ_FROM_FILE),
    "dictionary": (by_dictionary(DECLARED), Provenance.PUBLIC_DOCUMENT),
}


@pytest.mark.parametrize("way", WAYS)
def test_every_kind_of_column_reaches_a_report_whose_every_sentence_is_true(
    steward: Steward, way: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    declare, known = WAYS[way]
    days = {today()}
    steward.begin(way, population=f"visitors {way}")
    steward.take_file(visits(tmp_path / "tables" / "visits.csv", seed=list(WAYS).index(way)))
    declare(steward)
    steward.see("The columns can be used")
    steward.next("schema", "rules")
    steward.type("epsilon-box", "2")
    steward.until_saved(lambda project: project["budget"]["epsilon"] == 2.0, what="epsilon")
    steward.next("budget", "method")
    name = steward.start(way)
    steward.finished()
    steward.click("see-results")
    steward.next("results")
    steward.publish(USE)
    archive = steward.download()
    steward.verified(archive, tmp_path / "unzipped")
    monkeypatch.setenv("MARGINALIA_HOME", str(steward.server.home))
    run = published(steward, name, archive, days)
    columns = {column.name: column for column in run.plan.schema.columns}
    for column, kind in KINDS.items():
        stated = kind if way != "read" else READ.get(column, kind)
        assert columns[column].kind is stated, column
        assert columns[column].kind is Kind.DROP or columns[column].provenance is known, column
    assert len(run.table) > ROWS / 2
    untrue = {paper: faults(run, list(cut(run.opened))) for paper, cut in PAPERS.items()}
    assert {paper: sentences for paper, sentences in untrue.items() if sentences} == {}


READ = {"grade": Kind.CATEGORY, "note": Kind.CATEGORY}
"""What a file alone does not tell: that a list is in order, and that a text is to be left out."""


def published(steward: Steward, name: str, archive: Path, days: set[str]) -> Run:
    """The facts of the run from its order, the ledger and the project, never from a paper."""
    plan = plan_of(Job(steward.server.home / "jobs" / name).spec())
    project = projects.load(steward.identity)
    imprint = Imprint(
        licence="CC BY 4.0 (name the source)",
        contact="Office of statistics",
        purpose=USE,
        approvers=("A. Mole",),
        decisions=tuple(entry.printed for entry in decisions.log(project)),
    )
    with closing(Ledger(steward.server.ledger)) as ledger:
        balance, answers = ledger.balance(plan.schema.population), ledger.answers(name)
        receipt = ledger.receipt(name)
    return Run(
        name="browser",
        release=released(archive.name),
        plan=plan,
        opened=open_bundle(archive),
        answers=answers,
        receipt=receipt,
        others=balance.spent - sum(answer.units for answer in answers),
        held=balance.reserved,
        limit=balance.limit or 0,
        only_gaussian=balance.law == GAUSSIAN,
        lifetime=balance.lifetime,
        days=days | {today()},
        imprint=imprint,
        rehearsal=False,
        lapsed=None,
    )

"""From nothing to a published, verified bundle: a table with blanks, a bought list and a rule.

The table has the shape of a well-known one of home-equity loans (13 columns, blanks in nine) and is invented
here. The steward knows every column from its public description but for the jobs, whose list is bought.
"""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest

pytestmark = [pytest.mark.browser, pytest.mark.long]

Steward = Any
"""The `Steward` of `conftest.py`, which pytest hands over as a fixture."""

NAME = "home-equity"
JOBS = ("Mgr", "Office", "Other", "ProfExe", "Sales", "Self")
BLANK = {"MORTDUE": 0.09, "VALUE": 0.02, "REASON": 0.04, "JOB": 0.05, "YOJ": 0.09}
BLANK |= {"DEROG": 0.12, "DELINQ": 0.10, "CLAGE": 0.05, "DEBTINC": 0.21}
DICTIONARY = """name,kind,values,min,max,bins,blank,title,known from
BAD,category,0|1,,,,no,Defaulted,public document
LOAN,integer,,1100,89900,20,no,Amount asked for,public document
MORTDUE,decimal,,0,400000,20,yes,Mortgage due,public document
VALUE,decimal,,0,900000,20,yes,Value of the home,public document
REASON,category,DebtCon|HomeImp,,,,yes,Reason,public document
JOB,category,,,,,yes,Job,bought with budget
YOJ,decimal,,0,41,20,yes,Years at the job,public document
DEROG,integer,,0,10,,yes,Derogatory reports,public document
DELINQ,integer,,0,15,,yes,Delinquent lines,public document
CLAGE,decimal,,0,1168,20,yes,Age of the oldest line in months,public document
NINQ,integer,,0,17,,no,Recent inquiries,public document
CLNO,integer,,0,90,,no,Credit lines,public document
DEBTINC,decimal,,0,203,20,yes,Debt to income,steward knowledge
"""


def loans(rows: int) -> list[dict[str, object]]:
    """Invented loans. Whoever has no credit line had no inquiry: what the rule says."""
    rng = np.random.default_rng(5960)
    wealth, found = rng.normal(size=rows), list[dict[str, object]]()
    for w in wealth:
        value = float(np.exp(11.4 + 0.45 * w + 0.1 * rng.normal()))
        lines = int(rng.negative_binomial(4, 0.16)) if rng.random() > 0.02 else 0
        late = int(rng.poisson(0.4))
        loan: dict[str, object] = {
            "BAD": int(rng.random() < 1 / (1 + np.exp(2.2 + 0.6 * w - late))),
            "LOAN": round(float(np.clip(np.exp(9.7 + 0.5 * rng.normal()), 1100, 89900)), -2),
            "MORTDUE": round(value * float(rng.beta(6, 3)), 2),
            "VALUE": round(value, 2),
            "REASON": "DebtCon" if rng.random() < 0.68 else "HomeImp",
            "JOB": JOBS[rng.choice(6, p=[0.13, 0.16, 0.41, 0.22, 0.03, 0.05])],
            "YOJ": round(min(41.0, float(rng.exponential(9))), 1),
            "DEROG": int(rng.poisson(0.25)),
            "DELINQ": late,
            "CLAGE": round(min(1168.0, float(rng.gamma(5, 36))), 3),
            "NINQ": min(17, int(rng.poisson(1.2))) if lines else 0,
            "CLNO": min(90, lines),
            "DEBTINC": round(float(np.clip(rng.normal(34, 8), 0.5, 203)), 4),
        }
        found.append(loan | {name: "" for name, share in BLANK.items() if rng.random() < share})
    return found


def write(path: Path, rows: list[dict[str, object]]) -> Path:
    path.parent.mkdir(exist_ok=True)
    with path.open("w", newline="") as file:
        out = csv.DictWriter(file, list(rows[0]))
        out.writeheader()
        out.writerows(rows)
    return path


def declare(steward: Steward, folder: Path) -> None:
    """The file and its dictionary, both from this computer; nothing of either is typed again."""
    table = write(folder / "tables" / "loans.csv", loans(5960))
    dictionary = folder / "tables" / "loans-dictionary.csv"
    dictionary.write_text(DICTIONARY)
    steward.see("Source of the columns")
    steward.choose("On this computer")
    steward.upload("upload", table)
    steward.click("use-file")
    steward.see("An uploaded file, loans.csv, kept in this project's own folder")
    steward.upload("dictionary", dictionary)
    steward.click("load-dictionary")
    steward.see("The columns can be used")
    steward.see("13 columns")
    bought = {c["name"] for c in steward.saved()["schema"]["columns"] if c.get("buy")}
    assert bought == {"JOB"}


def rule(steward: Steward) -> None:
    """Whoever has no credit line had no inquiry, by the menus."""
    steward.see("No rules yet")
    steward.pick("build-0-if-0-column", "CLNO")
    steward.type("build-0-if-0-CLNO-between-low", "0")
    steward.type("build-0-if-0-CLNO-between-high", "0")
    steward.pick("build-0-then-0-column", "NINQ")
    steward.type("build-0-then-0-NINQ-between-low", "0")
    steward.type("build-0-then-0-NINQ-between-high", "0")
    steward.click("add-build")
    steward.until_saved(lambda project: len(project["rules"]) == 1, what="the rule")


def test_blanks_a_bought_list_and_a_rule_from_nothing_to_a_published_bundle(
    steward: Steward, tmp_path: Path
) -> None:
    steward.story = "home-equity"
    steward.begin(NAME, harm="money, standing", size="thousands", population="borrowers")
    declare(steward, tmp_path)
    steward.step("columns")
    steward.click("next-schema")
    rule(steward)
    steward.step("rules")
    steward.click("next-rules")
    steward.see("What an attacker could gain")
    steward.step("budget")
    steward.click("next-budget")
    steward.see("Recommended method")
    steward.click("next-method")
    steward.start(NAME)
    steward.finished()
    steward.step("finished")
    steward.click("see-results")
    steward.wait(lambda: steward.all(".st-key-next-results button"), what="the way to the release")
    steward.step("results")
    steward.click("next-results")
    steward.publish("Teaching what leads to a default")
    steward.step("published")
    bundle = steward.verified(steward.download(), tmp_path / "unzipped")
    check_table(bundle)
    check_papers(bundle)


def check_table(bundle: Path) -> None:
    """The bought jobs stand in the table, blanks where some may be and nowhere else, and the rule holds."""
    table = pq.read_table(bundle / "data" / "synthetic.parquet").to_pandas()
    assert len(table) > 5000
    assert set(table["JOB"].dropna()) <= set(JOBS) and {"Other", "ProfExe"} <= set(table["JOB"].dropna())
    for name in table.columns:
        blanks = table[name].isna().mean()
        assert (blanks > 0.3 * BLANK[name]) if name in BLANK else blanks == 0, name
    assert not (table.loc[table["CLNO"] == 0, "NINQ"] > 0).any()


def check_papers(bundle: Path) -> None:
    """One promise that covers the list, and a report that tells what was bought."""
    told = json.loads((bundle / "privacy" / "statement.json").read_text())
    assert told["budget"]["delta_for_bought_lists"] > 0
    report = (bundle / "report" / "privacy_report.html").read_text()
    assert "JOB" in report and "bought" in report and "**" not in report
    assert "Teaching what leads to a default" in report

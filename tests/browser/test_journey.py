"""The journey in a real browser: an empty project, typed columns, a rule, a run, a verified package."""

import csv
import datetime as dt
import html
import json
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from tests.browser.server import ROOT
from tests.browser.steward import Steward

pytestmark = pytest.mark.browser

ROWS, MOST_PRESSES = 6_000, 60
LINES = """call id: left out
day: 2023-01-01 to 2024-12-31
district: bought
age: 0 to 109 cut at 18, 40, 65, 80 as child, young, middle, old, very old in years
sex: 0 = male, 1 = female, 9 = unknown
urgency: 1 = low < 2 = middle < 3 = high
temperature: 34.0 to 42.0, can be blank
pulse: 30 to 219, can be blank
alcohol: 0 = no, 1 = yes, can be blank
insured: public, private, none, can be blank
cost: 0.00 to 250000.00 cut at 20, 50, 100, 200, 500, 1000, 5000, can be blank
"""


def calls(path: Path) -> Path:
    """Invented ambulance calls: IDs, blanks, days first, decimal commas. No child has drunk alcohol."""
    rng = np.random.default_rng(112)
    with path.open("w", newline="") as file:
        out = csv.writer(file, delimiter=";")
        out.writerow(line.partition(":")[0] for line in LINES.splitlines())
        for number in range(ROWS):
            age, ill = int(rng.beta(2, 1.6) * 105), rng.normal()
            cells: list[object] = [
                f"C{number:06d}",
                f"{dt.date(2023, 1, 1) + dt.timedelta(days=int(rng.integers(0, 731))):%d.%m.%Y}",
                rng.choice(["Harbour", "Hill", "Market", "Mill", "Park"]),
                age,
                rng.choice([0, 1, 9], p=[0.48, 0.49, 0.03]),
                int(np.clip(2 + ill, 1, 3)),
                f"{np.clip(36.9 + 0.6 * ill + 0.3 * rng.normal(), 34, 42):.1f}".replace(".", ","),
                int(np.clip(85 + 12 * ill + 8 * rng.normal(), 30, 219)),
                int(age >= 18 and rng.random() < 0.12),
                rng.choice(["public", "private", "none"], p=[0.8, 0.15, 0.05]),
                f"{min(np.exp(rng.normal(4.2, 1.3)), 250_000):.2f}".replace(".", ","),
            ]
            out.writerow(
                "" if place > 5 and rng.random() < 0.03 else cell for place, cell in enumerate(cells)
            )
    return path


def declare(steward: Steward) -> None:
    steward.unfold("How the file is written")
    steward.take("format-1-delimiter", "semicolon")
    steward.take("format-1-decimal", "comma")
    steward.take("format-1-dates", "31.12.2025")
    (box,) = steward.all('[class*="st-key-lines-"] textarea')
    box.send_keys(LINES)
    steward.settle()
    steward.click("take-lines")
    steward.see("The columns can be used")
    steward.unfold("Column details")
    steward.take("panel-column", "age")
    steward.tick(next(name for name in steward.widgets() if name.endswith("-write")))
    steward.until_saved(
        lambda p: any(c.get("write_labels") for c in p["schema"]["columns"]), what="names of bands in the CSV"
    )


def test_from_an_empty_project_to_a_verified_release_package(steward: Steward, tmp_path: Path) -> None:
    steward.begin("calls", population="callers", rows=ROWS)
    steward.take_file(calls(tmp_path / "calls.csv"))
    declare(steward)
    steward.unfold("To check")
    steward.see("the band from 5,000 to 250,000 covers most of the range")
    steward.unfold("As declared")
    steward.see("34.0 to 42.0, 1 decimal")
    steward.see("0 to 109 (child, young, middle, old, very old)")
    steward.next("schema")
    steward.choose("In words")
    steward.type("build-0-words", "if age is below 18 then alcohol is 0")
    steward.see("if age is below 18 then alcohol is only no")
    steward.click("add-build")
    steward.until_saved(lambda project: len(project["rules"]) == 1, what="the rule")
    steward.next("rules")
    steward.see("Noise alone would make these means useless")
    steward.next("budget", "method")
    steward.start("calls")
    steward.finished()
    steward.click("see-results")
    steward.see("Pairs are about as accurate as in a random sample")
    steward.next("results")
    steward.publish("Planning of shifts")
    check(steward.verified(steward.download(), tmp_path / "unzipped"))
    assert steward.effort.presses <= MOST_PRESSES, "the journey takes more clicks than before"


def check(bundle: Path) -> None:
    """Bands are named, decimals are as typed, the rule and blanks are kept, and a warning is stated."""
    with (bundle / "data" / "synthetic.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) > 0.9 * ROWS and "call id" not in rows[0]
    assert {row["age"] for row in rows if row["age"]} == {"child", "young", "middle", "old", "very old"}
    warm = [row["temperature"] for row in rows if row["temperature"]]
    assert 0.9 < len(warm) / len(rows) < 1
    assert all(re.fullmatch(r"\d\d\.\d", cell) for cell in warm)
    assert not any(row["age"] == "child" and row["alcohol"] == "1" for row in rows)
    cost = np.array([float(row["cost"]) for row in rows if row["cost"]])
    assert cost.mean() < 2_000, "equal density in the last bin would give a mean of 86,000"
    report = html.unescape((bundle / "report" / "privacy_report.html").read_text())
    assert "if age is below 18 then alcohol is only no" in report and "34.0 to 42.0, 1 decimal" in report
    checks = json.loads((bundle / "checks" / "checks.json").read_text())
    flagged = [f["code"] for f in checks["flags"] if "cost" in f["columns"]]
    assert flagged in ([], ["wide_mean"])  # noise can hide that few records are in the last bin
    assert ("Do not rely on the mean of column 'cost'" in report) == bool(flagged)


@pytest.mark.long
def test_the_first_address_of_a_fresh_server_may_be_any_page(people: Callable[[str], Steward]) -> None:
    steward = people("first")
    steward.open("/results?p=AAAAAAAAAAAAAAAA")
    steward.see("From a private table to one you can publish")
    steward.see("The project at this address does not exist")
    steward.see("No project is open")
    assert "/results" in steward.driver.current_url
    assert "AAAA" not in steward.driver.current_url
    steward.open("/run?p=../../etc/passwd")
    steward.see("There is no project at this address")


@pytest.mark.long
def test_a_cell_of_the_grid_keeps_every_edit(steward: Steward) -> None:
    """A second edit reverts in a grid that is fed with its own output."""
    steward.begin("edited", population="edited")
    steward.take_dictionary(ROOT / "assets" / "adult.schema.json")
    for last in (90, 95):
        steward.edit(1, 1, f"17 to {last}")
        steward.until_saved(lambda p, last=last: p["schema"]["columns"][0]["max"] == last, what="the new end")

"""A raw table as an office has it, declared by lines that are typed, to a published bundle.

25 columns of invented ambulance calls: ids, blanks, days first, decimal commas, codes with labels, bands by
name, a bought list, and an amount with a long tail in one wide bin.
"""

from __future__ import annotations

import csv
import datetime as dt
import html
import json
import os
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytestmark = pytest.mark.browser

Steward = Any
"""The `Steward` of `conftest.py`, which pytest hands over as a fixture."""

ROWS = 6_000
LINES = """call id: left out
patient name: left out
day: 2023-01-01 to 2024-12-31
hour: 0 to 23
district: bought
age: 0 to 109 cut at 18, 40, 65, 80 as child, young, middle, old, very old in years
sex: 0 = male, 1 = female, 9 = not told
urgency: 1 = low < 2 = middle < 3 = high
reason: A = accident, H = heart, B = breath, O = other
temperature: 34.0 to 42.0
pulse: 30 to 219
pressure: 60 to 239
oxygen: 60 to 100
minutes: 0 to 119
kilometres: 0.0 to 80.0
crew: 2 to 4
doctor: yes, no
alcohol: 0 = no, 1 = yes
fall: 0 = no, 1 = yes
hospital: North, South, Children, none
insured: public, private, none
nights: 0 to 30
cost: 0.00 to 250000.00 cut at 20, 50, 100, 200, 500, 1000, 5000
paid: 0 to 1
score: poor < fair < good
"""


def calls(path: Path) -> Path:
    """Invented calls; whoever is under 18 has drunk nothing, as the rule says."""
    rng = np.random.default_rng(112)
    path.parent.mkdir(exist_ok=True)
    names = [line.partition(":")[0] for line in LINES.splitlines()]
    with path.open("w", newline="") as file:
        out = csv.writer(file, delimiter=";")
        out.writerow(names)
        for number in range(ROWS):
            age, ill = int(rng.beta(2, 1.6) * 105), rng.normal()
            reason = rng.choice(list("AHBO"), p=[0.3, 0.25, 0.15, 0.3])
            cells: list[object] = [
                f"C{number:06d}", f"Person {number}",
                f"{dt.date(2023, 1, 1) + dt.timedelta(days=int(rng.integers(0, 731))):%d.%m.%Y}",
                int(rng.integers(0, 24)), rng.choice(["Harbour", "Hill", "Market", "Mill", "Park"]), age,
                rng.choice([0, 1, 9], p=[0.48, 0.49, 0.03]), int(np.clip(2 + ill, 1, 3)), reason,
                f"{np.clip(36.9 + 0.6 * ill + 0.3 * rng.normal(), 34, 42):.1f}".replace(".", ","),
                int(np.clip(85 + 12 * ill + 8 * rng.normal(), 30, 219)),
                int(np.clip(125 + age / 4 + 15 * rng.normal(), 60, 239)),
                int(np.clip(97 - 2 * abs(ill), 60, 100)), int(np.clip(rng.gamma(4, 8), 0, 119)),
                f"{min(rng.exponential(7), 80):.1f}".replace(".", ","), int(rng.integers(2, 5)),
                "yes" if age < 18 or rng.random() < 0.3 else "no", int(age >= 18 and rng.random() < 0.12),
                int(rng.random() < age / 300), rng.choice(["North", "South", "Children", "none"]),
                rng.choice(["public", "private", "none"], p=[0.8, 0.15, 0.05]),
                int(min(rng.geometric(0.3) - 1, 30)),
                f"{min(np.exp(rng.normal(4.2, 1.3)), 250_000):.2f}".replace(".", ","),
                int(rng.random() < 0.7), rng.choice(["poor", "fair", "good"]),
            ]  # fmt: skip
            cells = ["" if place > 8 and rng.random() < 0.03 else cell for place, cell in enumerate(cells)]
            out.writerow(cells)
    return path


def shoot(steward: Steward, name: str) -> None:
    """A picture of the whole page, where a folder for it is named."""
    if (folder := os.environ.get("MARGINALIA_PICTURES")) is None:
        return
    height = steward.driver.execute_script(
        "return document.querySelector('[data-testid=stMainBlockContainer]').scrollHeight + 16"
    )
    size = {"width": 1280, "height": int(height), "deviceScaleFactor": 1, "mobile": False}
    steward.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    steward.pause(1.5)
    steward.driver.save_screenshot(f"{folder}/{name}.png")
    steward.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def box_of(steward: Steward, end: str) -> str:
    """The key of the box that ends so, whatever generation it is."""
    found = re.search(rf"st-key-([\w-]+-{end})\b", steward.dom())
    assert found, end
    return found[1]


def declare(steward: Steward) -> None:
    steward.unfold("How the file is written")
    steward.take(box_of(steward, "delimiter"), "semicolon")
    steward.take(box_of(steward, "decimal"), "comma")
    steward.take(box_of(steward, "dates"), "31.12.2025")
    (box,) = steward.all('[class*="st-key-lines-"] textarea')
    box.send_keys(LINES)
    steward.settle()
    steward.click("take-lines")
    steward.see("The columns can be used")
    steward.take("panel-column", "age")
    steward.tick(box_of(steward, "write"))
    steward.until_saved(
        lambda p: any(c.get("write_labels") for c in p["schema"]["columns"]), what="names of bands in the CSV"
    )


def test_a_raw_table_from_typed_lines_to_a_published_bundle(steward: Steward, tmp_path: Path) -> None:
    steward.begin("calls", harm="standing", size="thousands", population="callers")
    steward.see("Source of the columns")
    steward.choose("On this computer")
    steward.upload("upload", calls(tmp_path / "tables" / "calls.csv"))
    steward.click("use-file")
    steward.see("An uploaded file")
    declare(steward)
    steward.unfold("To check")
    steward.see("the band from 5,000 to 250,000 is most of the whole range")
    steward.unfold("As declared")
    steward.see("34.0 to 42.0, 1 decimal")
    steward.see("0.00 to 250,000.00, 2 decimals")
    steward.see("0 to 109 (child, young, middle, old, very old)")
    shoot(steward, "columns")
    steward.click("next-schema")
    steward.see("No rules yet")
    steward.choose("In words")
    steward.type("build-0-words", "if age is below 18 then alcohol is 0")
    steward.see("if age is below 18 then alcohol is only no")
    steward.click("add-build")
    steward.until_saved(lambda project: len(project["rules"]) == 1, what="the rule")
    shoot(steward, "rules")
    steward.click("next-rules")
    steward.see("What an attacker could gain")
    steward.type("rows-about", str(ROWS))
    steward.see("Noise alone would make these means useless")
    shoot(steward, "budget")
    steward.click("next-budget")
    steward.see("Recommended method")
    steward.click("next-method")
    steward.start("calls")
    steward.finished()
    steward.click("see-results")
    steward.wait(lambda: steward.all(".st-key-next-results button"), what="the way to the release")
    steward.see("Do not rely on the mean of column 'cost'")
    shoot(steward, "results")
    steward.click("next-results")
    shoot(steward, "release")
    steward.publish("Planning of shifts")
    bundle = steward.verified(steward.download(), tmp_path / "unzipped")
    check(bundle)


def check(bundle: Path) -> None:
    """What was declared is what came: bands by name, decimals as typed, labels in the rule, and a flag."""
    with (bundle / "data" / "synthetic.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) > 0.9 * ROWS and "patient name" not in rows[0] and "call id" not in rows[0]
    assert {row["age"] for row in rows if row["age"]} == {"child", "young", "middle", "old", "very old"}
    warm = [row["temperature"] for row in rows if row["temperature"]]
    assert all(re.fullmatch(r"\d\d\.\d", cell) for cell in warm)
    assert not any(row["age"] == "child" and row["alcohol"] == "1" for row in rows)
    cost = np.array([float(row["cost"]) for row in rows if row["cost"]])
    assert cost.mean() < 2_000, "a line would give the last bin a mean of 86,000"
    report = html.unescape((bundle / "report" / "privacy_report.html").read_text())
    assert "if age is below 18 then alcohol is only no" in report
    assert "34.0 to 42.0, 1 decimal" in report
    assert "very old; in the CSV by these names" in report
    assert "Do not rely on the mean of column 'cost'" in report
    checks = json.loads((bundle / "checks" / "checks.json").read_text())
    assert [f["code"] for f in checks["flags"] if "cost" in f["columns"]] == ["wide_mean"]
    if (folder := os.environ.get("MARGINALIA_PICTURES")) is not None:
        Path(folder, "report.md").write_text((bundle / "report" / "privacy_report.md").read_text())

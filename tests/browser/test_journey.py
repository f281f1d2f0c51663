"""A steward's way through a real browser: from the demo to a verified bundle, and a search for leaks."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
pytestmark = [pytest.mark.browser, pytest.mark.long]

Steward = Any
"""The `Steward` of `conftest.py`, which pytest hands over as a fixture."""


def test_from_the_demo_to_a_verified_bundle(steward: Steward, tmp_path: Path) -> None:
    steward.open()
    steward.see("Try the demo")
    steward.shoot("welcome")
    steward.click("open-demo")
    steward.see("Your choices")
    steward.see("Private data: not read")
    steward.shoot("project")
    steward.click("go-on")
    steward.see("What an attacker could gain")
    for page, picture in (("unit", "unit"), ("schema", "columns"), ("rules", "rules")):
        steward.go(page)
        steward.shoot(picture)
    steward.go("budget")
    steward.see("What an attacker could gain")
    before = steward.text()
    steward.type("epsilon-box", "2")
    steward.wait(lambda: "epsilon 2" in steward.text() and steward.text() != before, what="the odds move")
    steward.shoot("budget")
    steward.click("next-budget")
    steward.wait(lambda: "/method" in steward.driver.current_url, what="the method page")
    steward.settle()
    steward.shoot("method")
    steward.click("next-method")
    steward.see("Start the run")
    steward.shoot("sheet")
    steward.type("confirm-name", "Harbour household survey")
    steward.click("spend")
    steward.wait(lambda: steward.all(".st-key-stop button"), what="a running job")
    address = steward.driver.current_url
    steward.driver.refresh()
    steward.settle()
    assert steward.driver.current_url == address
    steward.see("Progress")
    steward.shoot("progress", themes=("light",))
    steward.finished()
    steward.click("see-results")
    steward.see("Private data: read by a run")
    steward.wait(lambda: len(steward.all(".js-plotly-plot")) >= 3, what="three charts")
    steward.settle()
    steward.shoot("results")
    steward.click("next-results")
    _publish(steward)
    steward.click("download")
    downloads = tmp_path / "downloads"
    steward.wait(lambda: list(downloads.glob("*.zip")), what="a downloaded zip")
    _check_bundle(next(downloads.glob("*.zip")), tmp_path / "unzipped")


def _publish(steward: Steward) -> None:
    steward.type("use", "Teaching how a town is counted")
    steward.take("licence", "CC0")
    steward.type("contact", "Harbour office")
    steward.type("approver", "A. Mole")
    steward.shoot("release")
    steward.tick("agreed")
    steward.click("publish")
    steward.see("It was checked after it was written")


def _check_bundle(archive: Path, folder: Path) -> None:
    with zipfile.ZipFile(archive) as content:
        assert content.testzip() is None
        content.extractall(folder)
    found = list(folder.rglob("CHECKSUMS.sha256"))
    assert len(found) == 1
    root = found[0].parent
    verified = subprocess.run([sys.executable, "-m", "synth", "verify", str(root)], cwd=ROOT, check=False)
    assert verified.returncode == 0
    statement = json.loads((root / "privacy" / "statement.json").read_text())
    assert "2" in json.dumps(statement)
    with (root / "data" / "synthetic.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) > 1_500
    assert not any(int(r["age"]) <= 14 and r["marital"] != "never married" for r in rows)
    assert {r["ward"] for r in rows} <= {
        "Quayside",
        "Old Town",
        "Millfield",
        "Northgate",
        "Fernhill",
        "Saltmarsh",
    }


def test_the_first_address_a_fresh_server_sees_may_be_any_page(steward: Steward) -> None:
    steward.open("/results?p=AAAAAAAAAAAAAAAA")
    steward.see("From a private table to one you can publish")
    steward.see("The project of this address does not exist")
    steward.see("There is no project open yet")
    assert "/results" in steward.driver.current_url
    assert "AAAA" not in steward.driver.current_url
    steward.open("/run?p=../../etc/passwd")
    steward.see("This address is not that of a project")

"""Columns and rules by hand in a real browser: the grid takes keys, the comparison runs, nothing leaks."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from selenium.webdriver.common.keys import Keys

from tests.browser.steward import Steward

pytestmark = [pytest.mark.browser, pytest.mark.long]

CANARY = "canary-ward-M2"
COLUMNS = [
    {"name": "age", "kind": "integer", "min": 0, "max": 9},
    {"name": "ward", "kind": "category", "values": ["a", "b"]},
]


@pytest.fixture
def project(steward: Steward, tmp_path: Path) -> str:
    """A project whose columns are half declared, with a file that does not quite fit them."""
    table = tmp_path / "tables" / "t.csv"
    table.parent.mkdir(exist_ok=True)
    table.write_text("age,ward,note\n" + "5,a,x\n" * 60 + f"5,{CANARY},{CANARY}\n" * 40)
    identity = "B2grid0123456789"
    unit = {"name": "mine", "population": "town", "unit": {"max_rows": 1}, "columns": COLUMNS}
    document = {
        "id": identity,
        "name": "mine",
        "origin": "path",
        "data": str(table),
        "schema": unit,
        "rules": [],
        "budget": {},
        "method": {},
        "runs": [],
        "settled": ["unit"],
    }
    folder = steward.server.home / "projects" / identity
    folder.mkdir(parents=True)
    (folder / "project.json").write_text(json.dumps({"version": 1, "project": document}))
    return identity


def saved(steward: Steward, identity: str) -> dict[str, Any]:
    path = steward.server.home / "projects" / identity / "project.json"
    return dict(json.loads(path.read_text())["project"])


def test_columns_are_edited_by_hand_compared_with_the_file_and_ruled(
    steward: Steward, project: str, tmp_path: Path
) -> None:
    steward.open(f"/schema?p={project}")
    steward.edit(1, 1, "0 to 12")
    steward.wait(lambda: saved(steward, project)["schema"]["columns"][0]["max"] == 12, what="the saved end")
    steward.edit(1, 1, "0 to 15")  # the edit that reverts in a grid fed with its own output
    steward.wait(lambda: saved(steward, project)["schema"]["columns"][0]["max"] == 15, what="the second edit")
    steward.driver.refresh()
    steward.settle()
    steward.see("The columns can be used")
    pages = [steward.dom()]
    _compare(steward)
    steward.see("These columns do not fit: ward")
    pages.append(steward.dom() + steward.driver.current_url)
    log = (steward.server.home / "projects" / project / "decisions.jsonl").read_text()
    assert "compared with the declared columns" in log
    steward.next("schema")
    _rule(steward)
    steward.wait(lambda: saved(steward, project)["rules"], what="the saved rule")
    assert saved(steward, project)["rules"] == ["if age is 0 to 3 then ward is only a"]
    steward.see("compared with the columns")
    pages.append(steward.dom())
    assert not any(CANARY in page for page in pages)
    for path in steward.server.home.rglob("*"):
        assert not path.is_file() or CANARY.encode() not in path.read_bytes(), path.name


def _compare(steward: Steward) -> None:
    summary = '[data-testid="stExpander"]:has(.st-key-fit-agree) summary'
    steward.press(lambda: steward.all(summary), what="the folded comparison")
    steward.tick("fit-agree")
    steward.click("fit-start")


def _rule(steward: Steward) -> None:
    _pick(steward, "build-0-if-0-column", "age")
    steward.type("build-0-if-0-age-between-low", "0")
    steward.type("build-0-if-0-age-between-high", "3")
    _pick(steward, "build-0-then-0-column", "ward")
    _pick(steward, "build-0-then-0-ward-is", "a")
    steward.driver.switch_to.active_element.send_keys(Keys.ESCAPE)
    steward.see("if age is 0 to 3 then ward is only a")
    steward.see("combinations")
    steward.click("add-build")


def _pick(steward: Steward, key: str, words: str) -> None:
    """Take an entry of a list by typing it."""
    steward.press(lambda: steward.all(f".st-key-{key} input"), what=f"the list {key}")
    steward.all(f".st-key-{key} input")[0].send_keys(words)
    steward.pause(0.4)
    steward.all(f".st-key-{key} input")[0].send_keys(Keys.ENTER)
    steward.settle()

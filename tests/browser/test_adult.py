"""Raw Adult in a real browser, with every detour: edits, rules, a stopped and a killed run, two methods."""

from __future__ import annotations

import os
import signal
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from synth.app.jobs.process import Process
from synth.app.jobs.store import Job
from synth.app.ui.text.ledger import WHOLE
from tests.browser.server import RUN_PATIENCE
from tests.browser.steward import Steward

ROOT = Path(__file__).parents[2]
DATA = os.environ.get("MARGINALIA_DATA")
TABLE = Path(DATA or "/") / "adult" / "adult.data"
DICTIONARY, RULES = ROOT / "assets" / "adult.schema.json", ROOT / "assets" / "adult.rules.json"
NAME = "adult"
pytestmark = [
    pytest.mark.browser,
    pytest.mark.long,
    pytest.mark.skipif(not TABLE.is_file(), reason="MARGINALIA_DATA names no folder with adult/adult.data"),
]


def rule(steward: Steward) -> None:
    """The rules of the file of rules."""
    steward.unfold("Import rules")
    steward.upload("rules", RULES)
    steward.see("The file holds 5 rules")
    steward.click("add-import")
    steward.see("Husband then sex is only Male")
    steward.until_saved(lambda project: len(project["rules"]) == 5, what="five rules")


def spent(steward: Steward, run: str) -> int:
    """What the ledger has charged a run, in units."""
    question = "SELECT coalesce(sum(units), 0) FROM entry WHERE kind = 'charge' AND run = ?"
    with closing(sqlite3.connect(steward.server.ledger, timeout=600)) as book:
        return int(book.execute(question, (run,)).fetchone()[0])


def test_raw_adult_with_every_detour(steward: Steward, hold: Callable[..., Process], tmp_path: Path) -> None:
    steward.begin(NAME, population="adult-1994")
    steward.take_file(TABLE)
    steward.take_dictionary(DICTIONARY)
    steward.see("15 columns")
    _edit_the_grid(steward)
    steward.next("schema")
    _make_rules(steward)
    steward.next("rules")
    _share_the_budget(steward)
    steward.next("budget", "method")
    stopped = _stop_a_run(steward, hold)
    finished = _kill_and_resume_a_run(steward, hold)
    assert spent(steward, stopped) and spent(steward, finished)
    steward.click("see-results")
    steward.wait(lambda: len(steward.all(".js-plotly-plot")) >= 3, what="three charts")
    steward.wait(lambda: steward.all(".st-key-next-results button"), what="the way to the release")
    _look_as_steward(steward)
    _run_by_another_method(steward)
    _compare(steward)
    steward.go("release")
    steward.pick("publish-run", "Run 2: Blend")
    steward.publish("Teaching how incomes differ")
    bundle = steward.verified(steward.download(), tmp_path / "unzipped")
    report = (bundle / "report" / "privacy_report.html").read_text()
    assert "steward" in report  # the look is told to everybody
    steward.go("ledger")
    steward.see("adult-1994")
    steward.unfold("Check the ledger")
    steward.click("check-ledger")
    steward.see(WHOLE)


def _edit_the_grid(steward: Steward) -> None:
    for last in (90, 95):  # a second edit reverts in a grid fed with its own output
        steward.edit(1, 1, f"17 to {last}")
        steward.until_saved(lambda p, last=last: p["schema"]["columns"][0]["max"] == last, what="the new end")
    steward.see("The columns can be used")


def _make_rules(steward: Steward) -> None:
    """Five from a file, one refused because it contradicts them, one from the menus."""
    rule(steward)
    _by_menus(steward, "relationship", "Husband", "sex", "Female")
    steward.see("contradict each other")
    steward.see("excluded by")
    assert not steward.all(".st-key-add-build button")[0].is_enabled()
    steward.pick("build-0-then-0-column", "race")
    steward.pick("build-0-if-0-column", "age")
    steward.type("build-0-if-0-age-between-low", "17")
    steward.type("build-0-if-0-age-between-high", "18")
    steward.pick("build-0-then-0-column", "marital-status")
    steward.pick("build-0-then-0-marital-status-is", "Never-married")
    steward.see("if age is 17 to 18 then marital-status is only Never-married")
    steward.click("add-build")
    steward.until_saved(lambda project: len(project["rules"]) == 6, what="six rules")


def _by_menus(steward: Steward, left: str, this: str, right: str, that: str) -> None:
    steward.pick("build-0-if-0-column", left)
    steward.pick(f"build-0-if-0-{left}-is", this)
    steward.pick("build-0-then-0-column", right)
    steward.pick(f"build-0-then-0-{right}-is", that)


def _share_the_budget(steward: Steward) -> None:
    """A weight, a preset, the importance of a column, and the way back from an error to an epsilon."""
    steward.unfold("Advanced: split")
    steward.choose("high", key="part-verdict")
    steward.until_saved(lambda p: p["budget"]["weights"].get("verdict") == "high", what="a weight")
    steward.click("preset-balanced")
    steward.until_saved(lambda p: p["budget"]["weights"].get("verdict") == "normal", what="a preset")
    steward.choose("off", key="column-fnlwgt")
    steward.until_saved(lambda p: p["budget"]["importance"].get("fnlwgt") == "off", what="a column's word")
    steward.type("back-rows", "40")
    steward.click("back-use")
    steward.until_saved(lambda p: p["budget"]["epsilon"] != 1.0, what="the way back")
    steward.type("epsilon-box", "1")
    steward.until_saved(lambda p: p["budget"]["epsilon"] == 1.0, what="epsilon")


def _stop_a_run(steward: Steward, hold: Callable[..., Process]) -> str:
    """Found again after a reload, stopped in its middle, given up."""
    run = steward.start(NAME)
    worker = hold(run)
    steward.driver.refresh()
    steward.settle()
    steward.see("Stop run")
    steward.see("Measuring")
    steward.click("stop")
    job = Job(steward.server.home / "jobs" / run)
    steward.wait(job.is_asked_to_stop, what="the wish to stop")
    worker.signal(signal.SIGCONT)
    steward.see("You stopped this run.", seconds=RUN_PATIENCE)
    charged = spent(steward, run)
    assert charged
    steward.click("another")
    steward.see("Earlier runs")
    assert spent(steward, run) == charged
    return run


def _kill_and_resume_a_run(steward: Steward, hold: Callable[..., Process]) -> str:
    run = steward.start(NAME)
    worker = hold(run)
    before = spent(steward, run)
    worker.signal(signal.SIGKILL)
    steward.see("The worker stopped without a final report", seconds=RUN_PATIENCE)
    steward.click("resume")
    steward.finished()
    assert spent(steward, run) > before
    return run


def _look_as_steward(steward: Steward) -> None:
    steward.go("steward")
    steward.click("open-steward")
    steward.click("start-steward")
    steward.see("equivalent random sample", seconds=RUN_PATIENCE)
    steward.wait(
        lambda: steward.all(".st-key-steward-map .js-plotly-plot"),
        what="the steward's map",
        seconds=RUN_PATIENCE,
    )
    steward.see("private evaluation opened")
    assert not steward.all('[data-testid="stDownloadButton"]')


def _run_by_another_method(steward: Steward) -> None:
    """A tree of pairs, and a further table from the same answers."""
    steward.go("method")
    steward.click("thaw")
    steward.unfold("Other methods")
    steward.pick("other-method", "MST")
    steward.click("choose-mst")
    steward.until_saved(lambda project: project["method"]["name"] == "mst", what="the method")
    steward.pick("extras-mst", "Independent columns")
    steward.until_saved(lambda p: p["method"]["extras"] == ["independent"], what="a further table")
    steward.go("run")
    steward.start(NAME)
    steward.finished()


def _compare(steward: Steward) -> None:
    steward.go("compare")
    steward.see("Run 3, again by")
    steward.wait(lambda: steward.all(".st-key-compare-column-chart .js-plotly-plot"), what="the column")

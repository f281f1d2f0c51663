"""A table of gigabytes is chosen by path, and the app's own process never holds it.

Raw Adult again and again until the file has `MARGINALIA_BIG_MB` megabytes, 256 unless told.
`pytest -m browser tests/browser/test_big_file.py -s` prints the memory of both processes in megabytes.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from selenium.webdriver.common.by import By

from tests.browser.steward import Steward

ROOT = Path(__file__).parents[2]
DATA = os.environ.get("MARGINALIA_DATA")
TABLE = Path(DATA or "/") / "adult" / "adult.data"
MEGABYTES = int(os.environ.get("MARGINALIA_BIG_MB", "256"))
GROWTH = 128
"""Megabytes that drawing pages may take of the app's process while a file of any size is in use."""

pytestmark = [
    pytest.mark.browser,
    pytest.mark.long,
    pytest.mark.skipif(not TABLE.is_file(), reason="MARGINALIA_DATA names no folder with adult/adult.data"),
]


@pytest.fixture
def big(tmp_path: Path) -> Iterator[Path]:
    """A large file in the folder that tables may be named in."""
    path = tmp_path / "tables" / "big.csv"
    path.parent.mkdir()
    rows = b"".join(line + b"\n" for line in TABLE.read_bytes().split(b"\n") if line.strip())
    with path.open("wb") as out:
        for _ in range(-(-MEGABYTES * 10**6 // len(rows))):
            out.write(rows)
    yield path
    path.unlink()


def memory(pid: int, entry: str = "VmRSS") -> int:
    """Megabytes of a process: now, or its peak (`VmHWM`). 0 if it is gone."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) // 1024 for line in lines if line.startswith(entry)), 0)


def describe(steward: Steward, big: Path) -> None:
    """A project on the file, by the shortest way, ready for its run."""
    steward.begin("big", population="adult-many-times")
    steward.wait(lambda: steward.all('[class*="-path"] input'), what="the box for a path")
    box = steward.driver.find_element(By.CSS_SELECTOR, '[class*="-path"] input')
    box.send_keys(big.name + "\t")
    steward.settle()
    steward.click("use-file")
    steward.see("A file in the data folder")
    steward.take_dictionary(ROOT / "assets" / "adult.schema.json")
    steward.next("schema", "rules", "budget")
    steward.type("rows", "10000")  # what is made of it may be small
    steward.next("method")


def release(steward: Steward) -> tuple[int, float]:
    """Run; the worker's peak in megabytes and the seconds until the run was finished."""
    steward.type("confirm-name", "big")
    steward.click("spend")
    began, peak, jobs = time.monotonic(), 0, steward.server.home / "jobs"
    while time.monotonic() - began < 900:
        for place in jobs.glob("*"):
            if (place / "process.json").exists():
                peak = max(peak, memory(json.loads((place / "process.json").read_text())["pid"], "VmHWM"))
            if json.loads((place / "status.json").read_text())["state"] == "done":
                return peak, time.monotonic() - began
        time.sleep(0.1)
    raise AssertionError(f"the run did not end: {steward.text()[-800:]}")


def test_the_app_does_not_grow_with_the_file(people: Callable[[str], Steward], big: Path) -> None:
    steward = people("first")
    size, app = big.stat().st_size / 1e6, steward.server.pid
    steward.open()
    before = memory(app)
    describe(steward, big)
    chosen = memory(app)
    worker, seconds = release(steward)
    steward.finished()
    after, peak = memory(app), memory(app, "VmHWM")
    told = {"file": round(size), "app before": before, "app, file chosen": chosen, "app after": after}
    told |= {"app peak": peak, "worker peak": worker, "seconds of the run": round(seconds)}
    sys.stdout.write(f"\n{json.dumps(told)}\n")
    assert peak - before < GROWTH

"""A table of gigabytes is chosen by path, and the app's own process never holds it.

Raw Adult again and again until the file has `MARGINALIA_BIG_MB` megabytes, 256 unless told.
"""

from __future__ import annotations

import os
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


def memory(pid: int, entry: str) -> int:
    """Megabytes of a process: now (`VmRSS`), or its peak (`VmHWM`)."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) // 1024 for line in lines if line.startswith(entry))


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


def test_the_app_does_not_grow_with_the_file(people: Callable[[str], Steward], big: Path) -> None:
    steward = people("first")
    steward.open()
    before = memory(steward.server.pid, "VmRSS")
    describe(steward, big)
    steward.start("big")
    steward.finished()
    assert memory(steward.server.pid, "VmHWM") - before < GROWTH

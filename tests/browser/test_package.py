"""The page of one release package in a browser, with a home that stays empty."""

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from tests.browser.server import ROOT, Server, chromium, serving
from tests.browser.steward import Steward
from tests.browser.test_every_page import WIDTHS, audited, axe, fits, size, theme

PACKAGE = ROOT / "tests" / "release" / "version_0_2.zip"
pytestmark = [pytest.mark.browser, pytest.mark.long]


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Server]:
    program: Sequence[str] = (sys.executable, "-m", "synth")
    with serving(tmp_path, program, cwd=ROOT, command=("ask", str(PACKAGE))) as server:
        yield server


def test_a_package_is_asked_and_nothing_is_written(served: Server) -> None:
    driver = chromium(served.place)
    try:
        analyst, script = Steward(driver, served), axe()
        analyst.open()
        analyst.see("95% interval")
        analyst.unfold("Map of relations")
        analyst.wait(lambda: analyst.all(".st-key-map .js-plotly-plot"), what="the map")
        for name in ("light", "dark"):
            theme(analyst, name)
            assert audited(analyst, script, page="package", theme=name).grave() == []
        for width in WIDTHS:
            size(analyst, width)
            fits(analyst, f"package, {width} pixels")
    finally:
        driver.quit()
    assert not served.home.exists() and not served.ledger.exists()

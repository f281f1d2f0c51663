"""The app of an installed package, in an environment and a folder that know nothing of a clone."""

import subprocess
import sys
import venv
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.browser.steward import Steward

ROOT = Path(__file__).parents[2]
pytestmark = [pytest.mark.browser, pytest.mark.long]


@pytest.fixture
def program(wheel: Path, tmp_path: Path) -> tuple[Path]:
    """`marginalia` of a fresh environment with the wheel and, besides, the packages that run this test."""
    home = tmp_path / "environment"
    venv.create(home, with_pip=False)
    (packages,) = home.glob("lib/python*/site-packages")
    others = [path for path in sys.path if path.endswith("-packages")]
    (packages / "others.pth").write_text("\n".join(others))
    pip = [sys.executable, "-m", "pip", "--python", str(home / "bin" / "python"), "install", "--quiet"]
    subprocess.run([*pip, "--no-deps", "--no-index", "--ignore-installed", str(wheel)], check=True)
    return (home / "bin" / "marginalia",)


def test_the_demo_opens_and_shows_its_pages(people: Callable[[str], Steward], program: tuple[Path]) -> None:
    steward = people("first")
    steward.open()
    assert steward.all('img[data-testid="stLogo"], [data-testid="stSidebarLogo"]'), "the logo is an asset"
    steward.click("open-demo")
    steward.wait(lambda: "?p=" in steward.driver.current_url, what="the project")
    assert str(program[0].parents[1] / "share" / "marginalia") in steward.saved()["data"]
    for page, words in (("schema", "Columns"), ("rules", "Rules"), ("budget", "epsilon"), ("help", "Help")):
        steward.go(page)
        steward.see(words)
    assert "reference number" not in steward.text()

"""The app of an installed package, in an environment and a folder that know nothing of a clone."""

from __future__ import annotations

import subprocess
import sys
import venv
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
pytestmark = [pytest.mark.browser, pytest.mark.long]

Steward = Any
"""The `Steward` of `conftest.py`, which pytest hands over as a fixture."""


@pytest.fixture
def program(wheel: Path, tmp_path: Path) -> Path:
    """`marginalia` of a fresh environment with the wheel and, besides, the packages that run this test."""
    home = tmp_path / "environment"
    venv.create(home, with_pip=False)
    (packages,) = home.glob("lib/python*/site-packages")
    others = [path for path in sys.path if path.endswith("-packages")]
    (packages / "others.pth").write_text("\n".join(others))
    pip = [sys.executable, "-m", "pip", "--python", str(home / "bin" / "python"), "install", "--quiet"]
    subprocess.run([*pip, "--no-deps", "--no-index", "--ignore-installed", str(wheel)], check=True)
    return home / "bin" / "marginalia"


@pytest.fixture
def server(serve: Callable[..., Any], program: Path, tmp_path: Path) -> Iterator[Any]:
    (tmp_path / "elsewhere").mkdir()
    with serve(tmp_path, [program], cwd=tmp_path / "elsewhere") as server:
        yield server


def test_the_demo_opens_and_leads_to_its_results(steward: Steward, program: Path) -> None:
    steward.open()
    steward.see("Try the demo")
    assert steward.all('img[data-testid="stLogo"], [data-testid="stSidebarLogo"]'), "the logo is an asset"
    steward.click("open-demo")
    steward.see("steps to a release done")
    assert str(program.parents[1] / "share" / "marginalia") in steward.saved()["data"]
    for page, words in (("schema", "Columns"), ("rules", "Rules"), ("budget", "epsilon"), ("help", "Help")):
        steward.go(page)
        steward.see(words)
    assert "reference number" not in steward.text()

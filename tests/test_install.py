"""What an installation brings: torch without CUDA where there is no card, and the app in the wheel."""

import os
import re
import shutil
import subprocess
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PINNED = re.search(r"^torch==(.+)$", (ROOT / "constraints.txt").read_text(), re.MULTILINE)


def would_run(folder: Path, *, system: str, card: bool, given: str = "") -> str:
    """The lines of a dry run on a machine of this system, with or without NVIDIA's tools."""
    programs = {"uname": f"echo {system}", **({"nvidia-smi": "true"} if card else {})}
    for name, line in programs.items():
        (folder / name).write_text(f"#!/bin/sh\n{line}\n")
        (folder / name).chmod(0o755)
    for name in ("sh", "sed"):
        (folder / name).symlink_to(shutil.which(name) or name)
    make = [shutil.which("make") or "make", "--always-make", "--dry-run", "install", *given.split()]
    path = {**os.environ, "PATH": str(folder)}
    return subprocess.run(make, cwd=ROOT, env=path, capture_output=True, text=True, check=True).stdout


@pytest.mark.skipif(shutil.which("make") is None, reason="no make here")
@pytest.mark.parametrize(
    ("system", "card", "small"), [("Linux", False, True), ("Linux", True, False), ("Darwin", False, False)]
)
def test_only_linux_without_a_card_is_small(tmp_path: Path, system: str, card: bool, small: bool) -> None:
    assert PINNED is not None
    lines = would_run(tmp_path, system=system, card=card).splitlines()
    (torch,) = [line for line in lines if "pip install" in line and "torch==" in line]
    assert f"'torch=={PINNED[1]}{'+cpu' if small else ''}'" in torch and "--no-deps" in torch
    assert ("download.pytorch.org/whl/cpu" in torch) == small
    (stated,) = [line for line in lines if line.startswith("echo")]
    assert ("190 MB" in stated) == small and ("gigabytes" in stated) != small


@pytest.mark.skipif(shutil.which("make") is None, reason="no make here")
def test_a_build_that_is_named_is_taken(tmp_path: Path) -> None:
    lines = would_run(tmp_path, system="Linux", card=False, given="TORCH=torch==9.9.9")
    assert "'torch==9.9.9'" in lines and "+cpu" not in lines


def test_what_is_written_about_installing_names_the_version_of_the_constraints() -> None:
    assert PINNED is not None
    for page in ("README.md", "assets/docs/operations.md", "Makefile"):
        named = set(re.findall(r"torch==([0-9.]+[0-9])", (ROOT / page).read_text()))
        assert named <= {PINNED[1]}, page


def test_the_wheel_holds_all_that_the_app_needs_and_nothing_of_the_workshop(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as content:
        held = {Path(name): content.read(name) for name in content.namelist()}
    data = next(name for name in held if name.parts[0].endswith(".data")).parts[0]
    kept = {name.relative_to(data, "data", "share", "marginalia") for name in held if name.parts[0] == data}
    folders = ("pages/*.py", ".streamlit/config.toml", "assets/demo/*", "assets/*.svg", "assets/*.css")
    wanted = [
        ROOT / "app.py",
        *(path for pattern in folders for path in ROOT.glob(pattern) if path.is_file()),
    ]
    assert {path.relative_to(ROOT) for path in wanted} <= kept
    for path in wanted:
        assert held[Path(data, "data", "share", "marginalia") / path.relative_to(ROOT)] == path.read_bytes()
    assert {path.relative_to(ROOT) for path in (ROOT / "synth").rglob("*.py")} <= set(held)
    tops = {name.parts[0] for name in held} - {data}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"synth"}


def test_all_that_pages_read_beside_them_is_in_the_wheel(wheel: Path) -> None:
    """Every file of the folder that a source names, by the words with which it names it."""
    with zipfile.ZipFile(wheel) as content:
        names = {Path(name).name for name in content.namelist()}
    sources = [ROOT / "app.py", *ROOT.glob("pages/*.py"), *(ROOT / "synth").rglob("*.py")]
    text = "\n".join(path.read_text(encoding="utf-8") for path in sources)
    named = set(re.findall(r"(?:ASSETS|DEMO) / \"([^\"]+\.[a-z]+)\"", text))
    assert {"icon.svg", "logo.svg", "style.css", "harbour.csv"} <= named
    assert named <= names

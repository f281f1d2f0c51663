from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from synth.bench.trials.machine import machine, typed


def test_the_machine_is_described_without_its_name_or_paths() -> None:
    found = machine()
    assert {"machine", "cores", "python", "commit", "numpy"} <= set(found)
    assert not any("/" in value for key, value in found.items() if key not in ("machine", "system"))


@pytest.mark.parametrize("said", ["NVIDIA Some Card", ""])
def test_a_graphics_card_is_named_where_there_is_one(
    said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "nvidia-smi"
    program.write_text(f"#!/bin/sh\necho '{said}'\n" if said else "#!/bin/sh\nexit 9\n", encoding="ascii")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    assert machine().get("card", "") == said


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="this system cannot pin processes")
def test_a_process_keeps_to_its_cores_and_so_do_those_it_starts() -> None:
    child = "import os; print(len(os.sched_getaffinity(0)), os.environ['OMP_NUM_THREADS'])"
    facts = (
        "import subprocess, sys\n"
        "from synth.bench.trials.machine import keep_to\n"
        "keep_to(1)\n"
        f"subprocess.run([sys.executable, '-c', {child!r}], check=True)\n"
    )
    done = subprocess.run([sys.executable, "-c", facts], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["1", "1"]


@pytest.mark.parametrize(
    "place", [["--out", "/home/ida/x"], ["--out=/home/ida/x"], ["--executor", "folder:/y"]]
)
def test_a_command_is_told_without_the_places_of_a_machine(place: list[str]) -> None:
    assert typed(["bench", "--sets", "a b", *place, "--limit", "9"]) == "bench --sets 'a b' --limit 9"
    assert typed(["bench", *place]) == "bench"

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from synth.bench.trials import stopwatch


def timed(result: Path, program: str) -> tuple[int, dict[str, float]]:
    asked = [sys.executable, stopwatch.__file__, str(result), sys.executable, "-c", program]
    code = subprocess.run(asked, check=False).returncode
    return code, json.loads(result.read_text())


def test_time_memory_and_code_are_the_command_s_not_its_parent_s(tmp_path: Path) -> None:
    ballast = bytearray(400 << 20)
    ballast[:: 1 << 12] = b"x" * len(ballast[:: 1 << 12])
    code, small = timed(tmp_path / "a", "import time, sys; time.sleep(0.3); sys.exit(3)")
    assert code == 3 and small["seconds"] >= 0.3
    assert small["peak_mb"] < 200.0 < len(ballast) / 2**20


@pytest.mark.parametrize("end", [".wait()", ""])
def test_a_child_of_the_command_is_counted_waited_for_or_not(tmp_path: Path, end: str) -> None:
    inner = "x = b'x' * (150 << 20)"
    start = f"subprocess.Popen([sys.executable, '-c', {inner!r}], start_new_session=True){end}"
    program = f"import os, subprocess, sys; {start}; os._exit(0)"
    code, found = timed(tmp_path / "a", program)
    assert code == 0 and found["peak_mb"] > 150.0

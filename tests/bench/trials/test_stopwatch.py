import json
import subprocess
import sys
from pathlib import Path

from synth.bench.trials import stopwatch


def timed(result: Path, program: str) -> tuple[int, dict[str, float]]:
    requested = [sys.executable, stopwatch.__file__, str(result), sys.executable, "-c", program]
    code = subprocess.run(requested, check=False).returncode
    return code, json.loads(result.read_text())


def test_time_memory_and_code_are_the_command_s_not_its_parent_s(tmp_path: Path) -> None:
    ballast = bytearray(400 << 20)
    ballast[:: 1 << 12] = b"x" * len(ballast[:: 1 << 12])
    code, small = timed(tmp_path / "a", "import time, sys; time.sleep(0.3); sys.exit(3)")
    assert code == 3 and small["seconds"] >= 0.3
    assert small["peak_mb"] < 200.0 < len(ballast) / 2**20

"""Run each trial in a separate process with a time limit, and end its whole process group after this time."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from synth.bench.trials import stopwatch
from synth.core.errors import MarginaliaError


class RunFailed(MarginaliaError):
    """Raised if a run returned no table: it exceeded its time limit, failed, or returned values outside the
    domain.

    The message quotes the last output of the process (the tables are public).
    """


@dataclass(frozen=True, kw_only=True)
class Timed:
    """The output of a command, its elapsed and processor time, and the peak memory of its largest process."""

    output: str
    seconds: float
    cpu_seconds: float
    peak_mb: float


def timed(
    command: Sequence[str],
    *,
    limit: float | None = None,
    variables: Mapping[str, str] | None = None,
    cwd: Path | None = None,
) -> Timed:
    """Run a command in a separate session of the operating system. Raises: `RunFailed`."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        watched = [sys.executable, stopwatch.__file__, str(folder / "time.json"), *command]
        with (folder / "output").open("wb") as output, (folder / "errors").open("wb") as errors:
            process = subprocess.Popen(
                watched,
                env={**os.environ, **(variables or {})},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=errors,
                cwd=cwd,
                start_new_session=True,
            )
            try:
                code = process.wait(timeout=limit)
            except subprocess.TimeoutExpired:
                raise RunFailed(f"stopped after {limit:.0f} seconds") from None
            finally:
                if process.poll() is None:
                    with suppress(ProcessLookupError):
                        os.killpg(process.pid, signal.SIGKILL)
                    process.wait()
        printed, complaint = (
            (folder / name).read_text("utf-8", "replace").strip() for name in ("output", "errors")
        )
        if code != 0:
            last = (complaint or printed or "no word of why").splitlines()[-1]
            raise RunFailed(f"ended with code {code}: {last}")
        return Timed(output=printed, **json.loads((folder / "time.json").read_text(encoding="utf-8")))

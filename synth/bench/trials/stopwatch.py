"""Time a command from a small process: `python stopwatch.py RESULT COMMAND...`.

On Linux, the peak memory of a new process includes the memory of the process that started it, so the memory
of a large benchmark would be attributed to its command. This program is small, so its memory hardly matters.
It also adopts processes that the command leaves behind (for example a worker that was not waited for), whose
memory would otherwise not be counted. This file uses only the standard library, and is run as a script.
"""

from __future__ import annotations

import ctypes
import json
import os
import resource
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

_PR_SET_CHILD_SUBREAPER = 36


def main(arguments: list[str]) -> int:
    """Run the command, write its measurements to RESULT, and return the exit code of the command.

    `seconds` is elapsed time, and `cpu_seconds` the processor time of the command and its descendants.
    `peak_mb` is the peak memory of the largest single process among them.
    """
    result, *requested = arguments
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    start = time.perf_counter()
    code = subprocess.call(requested)
    seconds = time.perf_counter() - start
    with suppress(ChildProcessError):
        while True:
            os.wait()
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    figures = {
        "seconds": seconds,
        "cpu_seconds": used.ru_utime + used.ru_stime,
        "peak_mb": used.ru_maxrss / 1024,
    }
    Path(result).write_text(json.dumps(figures), encoding="utf-8")
    return code


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))

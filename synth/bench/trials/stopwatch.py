"""Time a command from a small process: `python stopwatch.py RESULT COMMAND...`.

Linux counts a program's peak memory from that of the process it was started by, so a large benchmark would be
charged to the command it starts. This one is small. It also adopts processes that the command leaves behind
(a worker that was not waited for), whose memory would otherwise not be counted. Standard library only; it is
run as a file.
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
    """Run the command, write {"seconds", "peak_mb"} to RESULT, return the command's code.

    The peak is that of the largest single process among the command and its descendants.
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
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    Path(result).write_text(json.dumps({"seconds": seconds, "peak_mb": peak}), encoding="utf-8")
    return code


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))

"""Set the environment of runs, so that a resumed run repeats the arithmetic in the same order.

The variables have an effect only if they are set before the process starts.
"""

from __future__ import annotations

import gc
import os
import sys

FIXED = {
    # One thread and one hash seed, so that sums and sets have one order.
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "PYTHONHASHSEED": "0",
    "PYTHONWARNINGS": "ignore",
    # Memory is returned to the system between two blocks of a large file. `import pyarrow` starts no thread.
    "ARROW_DEFAULT_MEMORY_POOL": "system",
    "JE_ARROW_MALLOC_CONF": "background_thread:false",
}


def is_fixed() -> bool:
    """Return True if this process has the environment of runs."""
    return all(os.environ.get(name) == value for name, value in FIXED.items())


def start_fixed() -> None:
    """Restart the program of this process in the environment of runs, unless it already has this
    environment.
    """
    if not is_fixed():
        os.execve(sys.executable, [sys.executable, *sys.orig_argv[1:]], os.environ | FIXED)


def collect_rarely() -> None:
    """Search for unused objects in reference cycles after 100,000 new objects instead of 700.

    The tables and documents of many columns are millions of objects. For 200 columns, the searches take a
    tenth of the processor time of a release.
    """
    gc.set_threshold(100_000, 10, 10)

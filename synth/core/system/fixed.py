"""Set the environment of runs, so that a resumed run repeats the arithmetic in the same order.

These variables have an effect only if they are set before the process starts.
"""

from __future__ import annotations

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

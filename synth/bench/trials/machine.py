"""Describe the machine of a benchmark: processor, cores, graphics card and versions, but never its name or
paths.
"""

from __future__ import annotations

import os
import platform
import shlex
import subprocess
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path

from synth.core.system.device import cores
from synth.core.system.version import __version__

PACKAGES = ("numpy", "scipy", "opendp", "pyarrow", "pandas")
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


def typed(words: Sequence[str]) -> str:
    """Return a command as it was typed, without the output folder, which is not public.

    >>> typed(["python", "-m", "synth", "--out", "/home/x", "--sets", "adult"])
    'python -m synth --sets adult'
    """
    kept = list(words)
    if "--out" in kept:
        place = kept.index("--out")
        del kept[place : place + 2]
    return shlex.join(word for word in kept if not word.startswith("--out="))


def keep_to(cores: int) -> None:
    """Limit this process, and all processes that it starts from now on, to the last `cores` cores and the
    same number of threads.

    On systems that cannot pin processes, only the number of threads is set.
    """
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[-cores:])
    for name in THREADS:
        os.environ[name] = str(cores)


def machine() -> dict[str, str]:
    """Return the processor, the number of cores, the graphics card and the versions of this machine."""
    facts = {
        "machine": f"{platform.machine()} {_processor()}",
        "cores": str(cores()),
        "system": f"{platform.system()} {platform.release()}",
        "python": platform.python_version(),
        "threads": os.environ.get("OMP_NUM_THREADS", "not set"),
        "commit": commit(),
        "marginalia": __version__,
    }
    return facts | _card() | {package: metadata.version(package) for package in PACKAGES}


def _card() -> dict[str, str]:
    """Return the graphics card that NVIDIA's tool lists first, if there is one."""
    command = ["nvidia-smi", "--query-gpu=name", "--format=csv,noheader"]
    try:
        lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    except (OSError, subprocess.CalledProcessError):
        return {}
    return {"card": lines[0].strip()} if lines else {}


def _processor() -> str:
    info = Path("/proc/cpuinfo")
    if info.is_file():
        for line in info.read_text(encoding="utf-8", errors="replace").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or "unknown"


def commit() -> str:
    command = ["git", "-C", str(Path(__file__).parent), "rev-parse", "--short", "HEAD"]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return "not from a repository"

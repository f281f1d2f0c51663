"""Choose the device for particles and networks: the GPU if torch finds one, otherwise the CPU."""

from __future__ import annotations

import os
import platform
import shutil
from importlib.metadata import PackageNotFoundError, version

from synth.core.errors import Mistake
from synth.core.progress import Progress, Reporter

VARIABLE = "MARGINALIA_DEVICE"
AUTO = "auto"
DEVICES = ("cuda", "mps", "cpu")


def cores() -> int:
    """Return the number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def check_name(requested: str, *, called: str = "") -> None:
    """Check the name of a device. Raises: `Mistake` if it is unknown.

    `called` describes the device in the error if the user did not type it directly.
    """
    if requested not in (AUTO, *DEVICES):
        raise Mistake(
            f"Unknown device {called or repr(requested)}. Choose one of: {', '.join((AUTO, *DEVICES))}."
        )


def device_of(requested: str = AUTO) -> str:
    """Return the device for this process: the requested device, or the environment's, or the best one.

    This imports torch, unless the CPU was requested by name. Raises: `Mistake` if the device is unknown or
    this machine does not have it.
    """
    wanted = _wanted(requested)
    if wanted == "cpu":
        return wanted
    import torch

    present = {"cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available(), "cpu": True}
    if wanted == AUTO:
        return next(name for name in DEVICES if present[name])
    if not present[wanted]:
        called = _called(wanted) if requested == AUTO else repr(wanted)
        raise Mistake(f"This machine has no device {called}. Choose cpu, or auto for the best one.")
    return wanted


def check_device(requested: str = AUTO) -> None:
    """Check that this process can use a device, before budget is spent.

    This imports torch only if a GPU is requested by name. Raises: `Mistake` as in `device_of`.
    """
    if _wanted(requested) != AUTO:
        device_of(requested)


def device_in_words(requested: str, report: Reporter) -> str:
    """Return the device of `device_of`, and report it at the start of a fit."""
    device = device_of(requested)
    report(Progress(stage="fit", done=0.0, fact=f"computing on {device}"))
    return device


def likely_device(requested: str = AUTO) -> str:
    """Return the likely result of `device_of` without importing torch, for pages that estimate times."""
    wanted = _wanted(requested)
    if wanted != AUTO:
        return wanted
    if platform.system() == "Darwin":
        return "mps" if platform.machine() == "arm64" else "cpu"
    return "cuda" if shutil.which("nvidia-smi") is not None and not _is_cpu_build() else "cpu"


def _wanted(requested: str) -> str:
    if requested != AUTO:
        check_name(requested)
        return requested
    wanted = os.environ.get(VARIABLE, AUTO)
    check_name(wanted, called=_called(wanted))
    return wanted


def _called(wanted: str) -> str:
    """Return a description of a device that the environment names."""
    return f"{wanted!r}, which {VARIABLE} names"


def _is_cpu_build() -> bool:
    try:
        return version("torch").endswith("+cpu")
    except PackageNotFoundError:
        return True

"""On what particles and networks are computed: a graphics card where torch finds one, else the processor."""

from __future__ import annotations

import os

from synth.errors import Mistake

VARIABLE = "MARGINALIA_DEVICE"
AUTO = "auto"
DEVICES = ("cuda", "mps", "cpu")


def device_of(asked: str = AUTO) -> str:
    """The device for this process: what was asked for, or else what the environment says, or else the best
    there is. Imports torch, unless the processor was asked for by name.

    Raises: `Mistake` for a device that does not exist or that this machine does not have.
    """
    wanted = asked if asked != AUTO else os.environ.get(VARIABLE, AUTO)
    if wanted == "cpu":
        return wanted
    if wanted not in (AUTO, *DEVICES):
        raise Mistake(f"There is no device {wanted!r}. Choose one of: {', '.join((AUTO, *DEVICES))}.")
    import torch

    present = {"cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available(), "cpu": True}
    if wanted == AUTO:
        return next(name for name in DEVICES if present[name])
    if not present[wanted]:
        raise Mistake(f"This machine has no device {wanted!r}. Choose cpu, or auto for the best there is.")
    return wanted

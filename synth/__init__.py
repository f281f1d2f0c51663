"""Create differentially private synthetic tables from private tables.

The public names are imported on first use, so that a command without the engine starts quickly.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from synth.core.system.version import __version__ as __version__

if TYPE_CHECKING:
    from synth.analyst.kit import open_release as open
    from synth.analyst.kit import open_together as together
    from synth.api import (
        epsilon_for_risk,
        export,
        judge,
        load_schema,
        open_budget,
        sketch,
        synthesize,
        write_bundle,
    )

__all__ = [
    "epsilon_for_risk",
    "export",
    "judge",
    "load_schema",
    "open",
    "open_budget",
    "sketch",
    "synthesize",
    "together",
    "write_bundle",
]


def __getattr__(name: str) -> Any:
    if name in ("open", "together"):  # these do not use the private side
        from synth.analyst import kit

        return kit.open_release if name == "open" else kit.open_together
    if name in __all__:
        return getattr(import_module("synth.api"), name)
    raise AttributeError(f"synth has no {name!r}")

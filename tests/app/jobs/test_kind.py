"""What every kind of task has: sentences of its own, and work that is light to import."""

from __future__ import annotations

import subprocess
import sys

from synth.app.jobs.kind import no_charges
from synth.app.jobs.kinds import KINDS

ASKED = ("header", "domains", "trying")
"""Kinds that are asked by pipe: they have no folder, so nobody is told how they ended."""

HEAVY = ("numpy", "pandas", "pyarrow", "opendp", "sklearn", "streamlit")


def test_only_a_release_takes_a_turn_and_is_charged() -> None:
    assert [name for name, kind in KINDS.items() if kind.needs.slot] == ["release"]
    assert [name for name, kind in KINDS.items() if kind.charges is not no_charges] == ["release"]


def test_the_registry_brings_nothing_heavy() -> None:
    code = "import sys, synth.app.jobs.kinds; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert not set(HEAVY) & set(loaded.split())

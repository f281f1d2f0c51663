"""What every kind of task has: sentences of its own, and work that is light to import."""

import subprocess
import sys

HEAVY = ("numpy", "pandas", "pyarrow", "opendp", "sklearn", "streamlit")


def test_the_registry_brings_nothing_heavy() -> None:
    code = "import sys, synth.app.jobs.kinds; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert not set(HEAVY) & set(loaded.split())

import os
import subprocess
import sys

import pytest

from synth.bench.trials.machine import machine


def test_the_machine_is_described_without_its_name_or_paths() -> None:
    found = machine()
    assert {"machine", "cores", "python", "commit", "numpy"} <= set(found)
    assert not any("/" in value for key, value in found.items() if key not in ("machine", "system"))


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="this system cannot pin processes")
def test_a_process_keeps_to_its_cores_and_so_do_those_it_starts() -> None:
    child = "import os; print(len(os.sched_getaffinity(0)), os.environ['OMP_NUM_THREADS'])"
    facts = (
        "import subprocess, sys\n"
        "from synth.bench.trials.machine import keep_to\n"
        "keep_to(1)\n"
        f"subprocess.run([sys.executable, '-c', {child!r}], check=True)\n"
    )
    done = subprocess.run([sys.executable, "-c", facts], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["1", "1"]

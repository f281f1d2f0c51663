import sys

import pytest

from synth.bench.trials.processes import RunFailed, timed


def test_what_a_process_says_and_takes_is_told() -> None:
    done = timed([sys.executable, "-c", "import os; print(os.environ['TOWN'])"], variables={"TOWN": "Delft"})
    assert done.output == "Delft" and done.seconds > 0.0 and done.peak_mb > 1.0


def test_a_process_is_stopped_at_its_limit() -> None:
    with pytest.raises(RunFailed, match="stopped after 0 seconds"):
        timed([sys.executable, "-c", "import time; time.sleep(60)"], limit=0.1)

import os
import signal

import pytest

from synth.app.jobs.heartbeat import heed, tell, terminable
from synth.app.jobs.store import State, Task
from synth.core.errors import Cancelled
from synth.core.progress import Progress

STEP = Progress(stage="round", done=0.123456, fact="age x sex")


@pytest.fixture
def place(tmp_path):
    return Task(tmp_path, "study")


def test_a_fact_is_written_down_before_a_stop_takes_effect(place):
    tell(place, STEP)
    assert place.status().state is State.RUNNING
    place.ask_to_stop()
    with pytest.raises(Cancelled):
        tell(place, Progress(stage="round", done=0.2, fact="two"))
    assert [(e.done, e.fact) for e in place.events()] == [(0.1235, "age x sex"), (0.2, "two")]


def test_who_heeds_the_asking_is_not_cut_short_by_the_signal_that_follows(place):
    tidied = False
    with pytest.raises(Cancelled), terminable(place):
        place.ask_to_stop()
        try:
            heed(place)
        finally:
            os.kill(os.getpid(), signal.SIGTERM)
            tidied = True
    assert tidied

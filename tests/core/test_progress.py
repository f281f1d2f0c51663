import numpy as np
import pytest

from synth.core import progress
from synth.core.progress import UNKEPT, UNSAVED, Arrays, Checkpoint


def test_what_is_not_saved_is_not_there() -> None:
    UNSAVED.save({"point": np.ones(3)})
    UNSAVED.finish({"weights": np.ones(3)})
    assert UNSAVED.load() == UNSAVED.finished() == {}
    assert UNKEPT.checkpoint("a key") is UNSAVED


def test_a_checkpoint_keeps_what_work_ended_with_only_where_it_says_so() -> None:
    class Between(Checkpoint):
        def load(self) -> Arrays:
            return {}

        def save(self, arrays: Arrays) -> None:
            raise AssertionError("these are not steps")

    checkpoint = Between()
    checkpoint.finish({"weights": np.ones(3)})
    assert checkpoint.finished() == {}


def test_a_pace_tells_the_time_that_is_left_once_it_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 100.0
    monkeypatch.setattr(progress.time, "monotonic", lambda: now)
    pace = progress.Pace()
    assert pace.told(0, 4_000, "rows") == "0 of 4,000 rows"
    now = 102.0
    assert pace.told(10, 4_000, "rows") == "10 of 4,000 rows"
    now = 110.0
    assert pace.told(1_000, 4_000, "rows") == "1,000 of 4,000 rows, about 30 s left"
    now = 200.0
    assert pace.told(1_000, 4_000, "rows") == "1,000 of 4,000 rows, about 5 minutes left"
    assert pace.told(4_000, 4_000, "rows") == "4,000 of 4,000 rows"

import numpy as np
import pytest

from synth.core import progress
from synth.core.progress import UNKEPT, UNSAVED


def test_what_is_not_saved_is_not_there() -> None:
    UNSAVED.finish({"weights": np.ones(3)})
    assert UNSAVED.finished() == {} and UNKEPT.checkpoint("a key") is UNSAVED


def test_a_pace_tells_the_time_that_is_left_once_it_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 100.0
    monkeypatch.setattr(progress.time, "monotonic", lambda: now)
    pace = progress.Pace()
    assert pace.as_text(0, 4_000, "rows") == "0 of 4,000 rows"
    now = 102.0
    assert pace.as_text(10, 4_000, "rows") == "10 of 4,000 rows"
    now = 110.0
    assert pace.as_text(1_000, 4_000, "rows") == "1,000 of 4,000 rows, about 30 s left"
    now = 200.0
    assert pace.as_text(1_000, 4_000, "rows") == "1,000 of 4,000 rows, about 5 minutes left"
    assert pace.as_text(4_000, 4_000, "rows") == "4,000 of 4,000 rows"

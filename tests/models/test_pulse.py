from __future__ import annotations

import numpy as np
import pytest

from synth.core.progress import UNSAVED, Progress
from synth.models import pulse
from synth.models.pulse import Pulse
from tests.models.examples import Kept


@pytest.mark.parametrize("seconds, words", [(-1.0, 1), (3600.0, 0)])
def test_the_loss_and_the_state_are_told_when_it_is_time(
    seconds: float, words: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pulse, "PULSE_SECONDS", seconds)
    heard, kept = list[Progress](), Kept()
    Pulse("n", "fitting", 5, heard.append, kept).told(2, 0.25, lambda: np.arange(3.0))
    assert [(p.done, p.steps, p.loss) for p in heard] == [(0.4, 2, 0.25)] * words
    assert len(kept.arrays) == words
    for p in heard:
        assert p.fact == "fitting: loss 0.25 against the noisy answers, step 2"
        np.testing.assert_array_equal(kept.arrays["n"], np.arange(3.0))


def test_a_fact_is_told_at_once() -> None:
    heard: list[Progress] = []
    Pulse("n", "fitting", 5, heard.append, UNSAVED).note("out of memory")
    assert [p.fact for p in heard] == ["out of memory"]

from __future__ import annotations

import pytest

from synth.ui.text import guide


@pytest.mark.parametrize("step", guide.STEPS)
def test_notes_are_short_and_whole_sentences(step: str) -> None:
    told = guide.STEPS[step]
    assert 2 <= len(told.todo) <= 3
    assert all(line.endswith(".") and len(line) < 120 for line in told.todo)
    assert told.why.endswith(".") and len(told.why) < 620

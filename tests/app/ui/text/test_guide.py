from __future__ import annotations

import pytest

from synth.app.ui.text import guide


@pytest.mark.parametrize("step", guide.STEPS)
def test_notes_are_short_and_whole_sentences(step: str) -> None:
    told = guide.STEPS[step]
    assert 2 <= len(told.todo) <= 3
    assert all(line.endswith(".") and len(line) < 120 for line in told.todo)
    assert told.why.endswith(".") and len(told.why) < 620


def test_only_before_the_first_line_is_opened_it_is_said_to_be_opened() -> None:
    assert "creates the lifetime budget" in guide.before_run(None)
    assert guide.before_run(0.25).startswith("So far 25 % of the lifetime budget is spent")
    assert "open" not in guide.before_run(0.25)

"""The log's own sentences read well at their ends."""

from __future__ import annotations

from synth.ui.text import decisions


def test_a_change_says_where_it_came_from() -> None:
    assert decisions.change("method rows", None, "500") == "method rows set to 500"
    assert decisions.change("rule 'x'", None, decisions.STATED) == "rule 'x' added"
    assert decisions.change("schema title", "", "Town") == "schema title from nothing to Town"


def test_choosing_among_runs_is_told_from_having_one() -> None:
    assert "the only one finished" in decisions.published("r", 1)
    assert "one of 3 finished" in decisions.published("r", 3)

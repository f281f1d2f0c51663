from __future__ import annotations

from synth.app.ui.text import studies


def test_waiting_costs_nothing_and_says_so() -> None:
    assert "nothing of the budget" in studies.STAY
    assert studies.REFERENCE.format(reference="0a1b").endswith("0a1b.")

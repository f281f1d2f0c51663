"""Every state that the list can be filtered by has its word."""

from __future__ import annotations

from synth.app.ui.text import ledger as text


def test_every_filter_has_a_word() -> None:
    assert set(text.STATES) == {"all", "open", "closed"}

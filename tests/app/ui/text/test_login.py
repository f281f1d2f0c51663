"""Who is logged in cannot format the page."""

from __future__ import annotations

from synth.app.ui.text import frame as text


def test_a_name_is_shown_as_it_is() -> None:
    assert text.here("a*b", ["steward", "viewer"]) == "a\\*b · steward, viewer"

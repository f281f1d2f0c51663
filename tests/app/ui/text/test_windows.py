"""A clash names the field and both of its values."""

from __future__ import annotations

from synth.app.project.merging import Clash
from synth.app.ui.text import frame as windows


def test_a_clash_quotes_what_is_saved_and_what_was_given() -> None:
    said = windows.clash(Clash(field="imprint contact", saved="nothing", here="office@example.org"))
    assert "imprint contact: nothing is saved, office@example.org was given here" in said

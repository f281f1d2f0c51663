"""The words say what may not be done with the numbers, and how many rows a release is worth."""

from __future__ import annotations

from synth.app.ui.text import steward as text
from synth.core.schema import Unit


def test_nobody_can_take_the_mark_for_a_permission() -> None:
    assert "Do not publish" in text.MARK
    assert "Not private" not in text.MARK  # reads as "anybody may see this"


def test_the_headline_names_every_size_that_was_asked() -> None:
    assert text.worth("Run 1", {1: 0.5, 2: 0.04}) == (
        "Run 1 is about as good for single columns as a random **50 % of the rows**, for pairs of columns "
        "as a random **4.0 % of the rows** of the real table."
    )


def test_a_cap_is_told_with_the_rows_that_it_keeps() -> None:
    said = text.capped(Unit(name="patient", max_rows=3, id_column="patient_id"))
    assert "each patient keeps at most 3 rows" in said and "patient\\_id is blank" in said

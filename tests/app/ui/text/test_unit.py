"""Every choice of the unit page has words, and the stopping ones are among the choices."""

from __future__ import annotations

from dataclasses import replace

from synth.app.project.describe import suitability
from synth.app.ui.text import unit as text
from synth.core.accounting import limit_for
from synth.core.schema import ProtectedChange
from synth.private.ledger import Balance


def test_the_answers_that_count_can_be_given() -> None:
    assert suitability.STOPPING_HARM in text.HARMS
    assert {suitability.TINY, suitability.SMALL} <= set(text.SIZES)
    assert "none" in text.HARMS


def test_the_promise_names_the_unit_and_the_cap() -> None:
    for sentence in text.NEIGHBOURS.values():
        filled = sentence.format(unit="pupil", rows="3 rows")
        assert "pupil" in filled
        assert "3 rows" in filled


def test_a_line_tells_limit_and_rest() -> None:
    line = Balance.opened("Town", limit_for(4.0, 1e-9), ProtectedChange(max_rows=3, unit="pupil"))
    said = text.line(replace(line, spent=line.limit or 0))
    assert "epsilon 4 at delta 1 in a billion" in said and "epsilon 0 at that delta" in said
    assert "Town" in said and "protects one pupil with at most 3 rows" in said

"""The words under the bars name who is shortest of budget."""

from __future__ import annotations

from dataclasses import replace

from synth.laws import Limit
from synth.measure.ledger import Balance
from synth.ui.books import Line
from synth.ui.text import ledger as text


def test_the_scarcest_line_is_named() -> None:
    found = [
        Line(balance=replace(Balance.opened(name, Limit.plain(100)), spent=spent), reasons=())
        for name, spent in (("town", 90), ("clinic", 40))
    ]
    assert "town: 10 per cent" in text.lines_alt(found)
    assert "1 of 3" in text.runs_alt(1, 3)

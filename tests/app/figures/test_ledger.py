"""The bars say what the books say, and no two parts look alike."""

from __future__ import annotations

from synth.app.figures import ledger
from synth.app.project.spend.ledger import BookedRun


def test_the_list_says_how_many_of_all_it_shows() -> None:
    entry = BookedRun(
        opened="2026-11-22 07:00",
        population="town",
        table="t",
        run="r",
        state="open",
        epsilon=1.23456,
        rho_spent=0.1,
        rho_reserved=0.2,
        share=0.05,
    )
    figure = ledger.entries([entry], of=3)
    assert "1 of 3" in figure.words
    assert figure.table[["Epsilon", "Of the limit"]].values.tolist() == [["1.235", "5.0%"]]

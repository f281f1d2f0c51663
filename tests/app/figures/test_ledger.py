"""The bars say what the books say, and no two parts look alike."""

from __future__ import annotations

from dataclasses import replace

from synth.app.figures import ledger
from synth.app.project.spend.ledger import BookedRun, BudgetLine
from synth.core.accounting import Limit
from synth.private.ledger import Balance


def line(name: str, spent: int, reserved: int) -> BudgetLine:
    balance = Balance.opened(name, Limit.plain(100))
    return BudgetLine(balance=replace(balance, spent=spent, reserved=reserved), reasons=("r",))


def test_every_bar_is_a_hundred_per_cent_of_its_own_limit() -> None:
    figure = ledger.lines([line("town", 20, 30), line("clinic", 0, 0)]).marks
    values = {trace.name: list(trace.x) for trace in figure.data}
    assert values == {"spent": [20, 0], "reserved": [30, 0], "left": [50, 100]}
    assert list(figure.data[0].y) == ["town", "clinic"]


def test_what_is_left_is_written_beside_the_name() -> None:
    figure = ledger.lines([line("town", 2, 30)]).marks
    assert list(figure.layout.yaxis.ticktext) == ["town <br>68 % remaining"]


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
    assert figure.table[["Epsilon", "Of the limit"]].values.tolist() == [["1.235", "5.0 %"]]

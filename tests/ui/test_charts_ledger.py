"""The bars say what the books say, and no two parts look alike."""

from __future__ import annotations

from dataclasses import replace

from synth.laws import Limit
from synth.measure.ledger import Balance
from synth.ui import charts_ledger
from synth.ui.books import Line


def line(name: str, spent: int, reserved: int) -> Line:
    balance = Balance.opened(name, Limit.plain(100))
    return Line(balance=replace(balance, spent=spent, reserved=reserved), reasons=("r",))


def test_every_bar_is_a_hundred_per_cent_of_its_own_limit() -> None:
    figure = charts_ledger.lines([line("town", 20, 30), line("clinic", 0, 0)])
    values = {trace.name: list(trace.x) for trace in figure.data}
    assert values == {"spent": [20, 0], "reserved": [30, 0], "left": [50, 100]}
    assert list(figure.data[0].y) == ["town", "clinic"]


def test_what_is_left_is_written_beside_the_name() -> None:
    figure = charts_ledger.lines([line("town", 2, 30)])
    assert list(figure.layout.yaxis.ticktext) == ["town<br>68 % left"]


def test_numbers_as_names_stay_names() -> None:
    assert charts_ledger.lines([line("2024", 1, 1)]).layout.yaxis.type == "category"

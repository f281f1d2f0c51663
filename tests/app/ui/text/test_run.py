"""What the run page says about money and about ends has to be right."""

from dataclasses import replace

import pytest

from synth.app.jobs.store import State, Status
from synth.app.ui.text import run as text
from synth.core.accounting import ZCDP, Limit, Price
from synth.private.ledger import Balance
from synth.private.ledger.quote import Quote


def quote(*, cost: int, spent: int = 0, reserved: int = 0, opens: bool = False) -> Quote:
    line = replace(Balance.opened("p", Limit.plain(1000)), spent=spent, reserved=reserved)
    price = Price(units=cost, delta_units=0, law=ZCDP)
    return Quote(epsilon=1.0, delta=1e-9, price=price, line=line, opens=opens)


@pytest.mark.parametrize(
    ("cost", "room"),
    [(600, "no budget for another"), (500, "budget for one more"), (300, "for 2 more"), (100, "for 9 more")],
)
def test_the_room_that_is_left_is_counted_in_runs_like_this_one(cost: int, room: str) -> None:
    said = text.after(quote(cost=cost))
    assert room in said
    assert f"{cost / 10:.0f}%" in said and f"{(1000 - cost) / 10:.0f}%" in said


def test_what_others_spent_and_hold_is_not_left() -> None:
    said = text.after(quote(cost=200, spent=300, reserved=300))
    assert "20% remains: budget for one more" in said
    too_much = text.after(quote(cost=500, spent=300, reserved=300))
    assert "Only 40% remains." in too_much and "budget for" not in too_much


def test_what_is_left_never_reads_as_enough_for_a_run_that_does_not_fit() -> None:
    for cost, left, stated in ((614, 606, "60.6%"), (900, 400, "40%"), (1000, 999, "99.9%")):
        assert f"Only {stated} remains." in text.after(quote(cost=cost, spent=1000 - left))


def test_bought_lists_are_told_as_a_part_of_what_is_left_for_lists() -> None:
    requested = quote(cost=100)
    left = requested.line.delta_left
    buys = replace(requested, price=replace(requested.price, delta_units=left // 4))
    assert "value lists of this run use 25% of the delta that remains for lists" in text.after(buys)
    used_up = replace(buys, line=replace(buys.line, delta_spent=left))
    assert "for lists" not in text.after(used_up)


LIFETIME = 10**10


def test_resuming_is_never_called_free_where_it_spends_what_a_stop_would_give_back() -> None:
    stopped = Status(state=State.CANCELLED, spent=10**9, reserved=4 * 10**9)
    said = text.resume_help(stopped, LIFETIME)
    assert "30% of the lifetime budget is spent" in said and "measurements are reused" in said
    not_requested = Status(state=State.LOST, spent=0, reserved=4 * 10**9)
    assert "40% of the lifetime budget is spent" in text.resume_help(not_requested, LIFETIME)
    assert "40% of the lifetime budget is reserved" in text.cost(not_requested, LIFETIME)
    everything = " ".join([text.RESUME_BUTTON, said, text.UNDONE, text.cancel_help(1, 4)])
    assert "free" not in everything
    assert "resume" in text.UNDONE and "releases it" in text.UNDONE

"""What the run page says about money and about ends has to be right."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from synth.app.jobs.store import State, Status
from synth.app.project.declared import demo
from synth.app.project.store import Origin
from synth.app.ui.text import run as text
from synth.core.accounting import ZCDP, Limit, Price
from synth.core.errors import NothingFound
from synth.dictionaries import load_schema
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
    assert f"{cost / 10:.0f} %" in said and f"{(1000 - cost) / 10:.0f} %" in said


@pytest.mark.parametrize(
    ("compared", "started", "told"),
    [
        (False, (), "not read until you start"),
        (True, (), "read before for the check"),
        (False, ("r",), "read before by an earlier run"),
        (True, ("r",), "columns and by an earlier run"),
    ],
)
def test_a_file_is_called_unread_only_where_nothing_has_read_it(
    compared: bool, started: tuple[str, ...], told: str
) -> None:
    project = replace(demo(), runs=started)
    schema = load_schema(project.schema)
    rows = text.sheet_rows(project, schema, epsilon=1.0, rules=0, method="Grove", compared=compared)
    assert told in rows["Table"] and ("not read" in rows["Table"]) is not (compared or bool(started))


def test_a_table_is_named_to_whoever_may_know_its_name() -> None:
    project = replace(demo(), origin=Origin.UPLOAD, data="/x/ward.csv", called="ward.csv")
    asked = {"epsilon": 1.0, "rules": 0, "method": "Grove"}
    for named in (True, False):
        said = text.sheet_rows(project, load_schema(project.schema), named=named, **asked)["Table"]
        assert said.startswith("uploaded file") and ("ward" in said) is named


@pytest.mark.parametrize(
    ("unit", "told"),
    [
        ({"max_rows": 1}, "about as many as the table (noisy estimate)"),
        ({"name": "patient", "max_rows": 3}, "about as many as the table (noisy estimate)"),
        (
            {"name": "patient", "max_rows": 3, "id_column": "ward"},
            "about as many as the table after each patient keeps at most 3 rows (noisy estimate)",
        ),
    ],
)
def test_rows_to_make_are_those_that_a_cap_leaves(unit: dict[str, Any], told: str) -> None:
    project = demo()
    schema = load_schema({**project.schema, "unit": unit})
    rows = text.sheet_rows(project, schema, epsilon=1.0, rules=0, method="Grove")
    assert rows["Rows to generate"] == told
    typed = replace(project, method=replace(project.method, rows=1200))
    assert text.sheet_rows(typed, schema, epsilon=1.0, rules=0, method="Grove")["Rows to generate"] == "1,200"


def test_what_others_spent_and_hold_is_not_left() -> None:
    said = text.after(quote(cost=200, spent=300, reserved=300))
    assert "20 % remains: budget for one more" in said
    too_much = text.after(quote(cost=500, spent=300, reserved=300))
    assert "Only 40 % remains." in too_much and "budget for" not in too_much


def test_what_is_left_never_reads_as_enough_for_a_run_that_does_not_fit() -> None:
    for cost, left, told in ((614, 606, "60.6 %"), (900, 400, "40 %"), (1000, 999, "99.9 %")):
        assert f"Only {told} remains." in text.after(quote(cost=cost, spent=1000 - left))


def test_bought_lists_are_told_as_a_part_of_what_is_left_for_lists() -> None:
    asked = quote(cost=100)
    left = asked.line.delta_left
    buys = replace(asked, price=replace(asked.price, delta_units=left // 4))
    assert "value lists use 25 % of the delta that remains for lists" in text.after(buys)
    used_up = replace(buys, line=replace(buys.line, delta_spent=left))
    assert "for lists" not in text.after(used_up)


@pytest.mark.parametrize("state", [state for state in State if state.is_end and state is not State.DONE])
def test_every_end_has_words_and_a_way_on(state: State) -> None:
    said = text.ended(Status(state=state, reference="0a1b2c3d"))
    assert "0a1b2c3d" in said and len(said) > 30
    assert text.NEXT_AFTER[state] == text.next_after(Status(state=state), given_back=False)


def test_what_would_end_as_before_is_not_to_be_resumed() -> None:
    empty = Status(state=State.FAILED, code=NothingFound.code, sentence="No value was frequent enough.")
    said = text.next_after(empty, given_back=False)
    assert "cannot be resumed" in said and "prepare another run" in said
    held = replace(empty, spent=10, reserved=100)
    assert "a resume" not in text.cost(held, 1000) and "another run releases it" in text.cost(held, 1000)
    assert text.next_after(empty, given_back=True) == text.NEXT_AFTER_DISCARD


def test_only_a_failure_speaks_in_its_own_words_and_they_are_escaped() -> None:
    assert "It \\*broke\\*" in text.ended(Status(state=State.FAILED, sentence="It *broke*."))
    assert "broke" not in text.ended(Status(state=State.LOST, sentence="It broke."))


LIFETIME = 10**10


def test_what_is_held_for_a_resume_is_said() -> None:
    held = text.cost(Status(state=State.LOST, spent=10**9, reserved=4 * 10**9), LIFETIME)
    assert "10 %** of the lifetime" in held and "30 % of the lifetime budget is reserved" in held
    assert "reserved" not in text.cost(Status(state=State.DONE, spent=10**9, reserved=10**9), LIFETIME)
    assert "No budget was spent" in text.cost(Status(state=State.FAILED, spent=0, reserved=0), LIFETIME)


def test_resuming_is_never_called_free_where_it_spends_what_a_stop_would_give_back() -> None:
    stopped = Status(state=State.CANCELLED, spent=10**9, reserved=4 * 10**9)
    said = text.resume_help(stopped, LIFETIME)
    assert "30 % of the lifetime budget is spent" in said and "measurements are reused" in said
    unasked = Status(state=State.LOST, spent=0, reserved=4 * 10**9)
    assert "40 % of the lifetime budget is spent" in text.resume_help(unasked, LIFETIME)
    assert "40 % of the lifetime budget is reserved" in text.cost(unasked, LIFETIME)
    everything = " ".join([text.RESUME_BUTTON, said, text.UNDONE, text.cancel_help(1, 4)])
    assert "free" not in everything
    assert "resume" in text.UNDONE and "releases it" in text.UNDONE


def test_shares_are_no_rules_and_further_tables_are_named() -> None:
    project = demo()
    asked = {"epsilon": 1.0, "method": "Grove"}
    schema = load_schema(project.schema)
    for rules, shares, told in (
        (0, 0, "none"),
        (4, 0, "4 constraints"),
        (4, 1, "4 constraints, 1 target proportion"),
        (0, 2, "2 target proportions"),
    ):
        assert text.sheet_rows(project, schema, rules=rules, shares=shares, **asked)["Rules"] == told
    plain = replace(project, method=replace(project.method, extras=()))
    assert "Further tables" not in text.sheet_rows(plain, schema, rules=0, **asked)
    more = replace(project, method=replace(project.method, extras=("copula", "independent")))
    told = text.sheet_rows(more, schema, rules=0, **asked)["Further tables"]
    assert told.startswith("Copula") and "independent" in told.lower() and told.endswith("(free)")


def test_a_second_epsilon_is_shown_only_where_it_differs() -> None:
    alike = quote(cost=100)
    same = replace(alike, epsilon=alike.claim)
    assert "counts as epsilon" not in text.after(same) and "counts as epsilon" in text.after(alike)

"""Odds and bars of a budget say what they show, and no two parts look alike."""

from __future__ import annotations

import pytest

from synth.app.figures import budget
from synth.app.figures.budget import LINE_LOOKS, PART_LOOKS, before_after, shares
from synth.app.project.spend.allocation import PARTS
from synth.app.ui.text.budget import PART_NAME


def test_every_part_is_told_apart_by_more_than_colour() -> None:
    assert set(PART_LOOKS) == set(PARTS) == set(PART_NAME)
    together = [part for part in PARTS if part != "method"]  # the method as a whole stands for its parts
    assert len({PART_LOOKS[part] for part in together}) == len(together)
    assert len({PART_LOOKS[part][0] for part in together}) == len(together)


def test_the_bar_shows_the_shares_in_words_and_width() -> None:
    figure = shares({"columns": 0.05, "relations": 0.7, "later": 0.25}, PART_NAME).marks
    assert [bar.x[0] for bar in figure.data] == pytest.approx([5, 70, 25])
    assert [bar.name for bar in figure.data] == [
        "Single columns 5.0 %",
        "Relations between columns 70 %",
        "Kept for later 25 %",
    ]
    assert figure.data[0].text[0] == "" and "70 %" in figure.data[1].text[0]
    assert tuple(figure.layout.xaxis.range) == (0, 100)


@pytest.mark.parametrize(("posterior", "right"), [(0.5, 50), (0.731, 74), (1.0, 100)])
def test_odds_are_one_hundred_icons_each(posterior: float, right: int) -> None:
    figure = budget.odds(posterior).marks
    assert [len(t.x) for t in figure.data] == [50, 50, right, 100 - right]
    assert {t.marker.symbol for t in figure.data} == {"square", "square-open"}


def test_the_ledger_bar_names_its_parts_and_adds_up() -> None:
    parts = {"spent": 0.25, "reserved": 0.05, "this run": 0.3, "left": 0.4}
    figure = budget.ledger(parts).marks
    assert sum(t.x[0] for t in figure.data) == pytest.approx(100)
    looks = {(t.marker.color, t.marker.pattern.shape) for t in figure.data}
    assert len(looks) == 4


def test_both_bars_have_their_parts_in_one_order_and_one_look() -> None:
    lines = {"before": {"spent": 0.25, "left": 0.75}, "after": {"spent": 0.25, "this run": 0.5, "left": 0.25}}
    figure = before_after(lines).marks
    shown = {bar.name: list(bar.x) for bar in figure.data}
    assert shown == {"spent": [25, 25], "this run": [0, 50], "left": [75, 25]}
    assert [list(bar.y) for bar in figure.data] == [["before", "after"]] * 3
    assert len({(bar.marker.color, bar.marker.pattern.shape) for bar in figure.data}) == 3


def test_a_run_that_does_not_fit_stands_out_beyond_the_mark() -> None:
    figure = before_after({"before": {"left": 1.0}, "after": {"this run": 1.6, "left": 0.0}}).marks
    assert figure.layout.xaxis.range[1] > 160
    assert figure.layout.shapes[0].x0 == 100


def test_no_two_parts_look_alike() -> None:
    assert len(set(LINE_LOOKS.values())) == len(LINE_LOOKS)


def test_the_ledger_lists_every_part() -> None:
    assert budget.ledger({"this run": 0.25, "left": 0.75}).words == (
        "A bar of the lifetime budget: this run 25 %, left 75 %."
    )


def test_the_table_of_the_two_bars_has_a_column_for_each() -> None:
    lines = {"before": {"spent": 0.25, "left": 0.75}, "after": {"spent": 0.25, "this run": 0.5, "left": 0.25}}
    figure = before_after(lines)
    assert figure.table.to_dict("list") == {
        "Part": ["spent", "this run", "left"],
        "before": ["25 %", "0 %", "75 %"],
        "after": ["25 %", "50 %", "25 %"],
    }
    assert figure.words == (
        "The lifetime budget in two bars. before: spent 25 %, left 75 %; after: spent 25 %, this run 50 %, "
        "left 25 %."
    )

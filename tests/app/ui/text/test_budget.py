"""The sentences of the budget page say what the numbers say."""

from __future__ import annotations

import pytest

from synth.app.project import declared
from synth.app.project.spend.allocation import LATER, PARTS, SHARES, allocate
from synth.app.project.spend.forecast import Forecast, Needed
from synth.app.project.store import Budget, Method
from synth.app.ui.text import budget as text

SCHEMA = declared.read(declared.demo()).schema


@pytest.mark.parametrize("method", ["aim", "independent"])
@pytest.mark.parametrize("weights", [{}, {"comparison": "off", LATER: "max"}])
def test_every_part_has_a_name_a_meaning_and_words_for_what_it_buys(
    method: str, weights: dict[str, str]
) -> None:
    budget = Budget(weights=weights)
    found = allocate(SCHEMA, budget, Method(name=method), bought=2)
    for part in found.movable:
        said = text.part_error(part, found, Forecast(SCHEMA, budget, found), rho=0.01, rows=3000, bought=2)
        assert part != SHARES or said.startswith("2 counts, each ±")
        assert text.PART_NAME[part] and text.PART_WHAT[part] and "None" not in said
    assert set(text.PART_NAME) == set(text.PART_WHAT) == set(PARTS)


def test_what_is_kept_for_later_names_the_epsilon_of_this_run() -> None:
    budget = Budget(weights={LATER: "high"})
    found = allocate(SCHEMA, budget, Method())
    said = text.part_error(LATER, found, Forecast(SCHEMA, budget, found), rho=0.01, rows=None)
    assert f"epsilon {found.epsilon:g}" in said and found.epsilon < 0.75


def test_errors_are_in_people_and_in_per_cent_of_a_typed_number() -> None:
    assert text.off_by(60.0, SCHEMA, rows=3000) == "± 60 people (2.0 %)"
    assert text.off_by(60.0, SCHEMA, rows=None) == "± 60 people"
    assert text.cell_error(None, rows_about=3000) == "not asked for"


def test_the_way_back_names_both_prices_or_says_that_there_is_none() -> None:
    said = text.needed(Needed(divided=0.803, alone=0.2), ["age", "w*"], 50.0, SCHEMA)
    assert "**epsilon 0.80**" in said and "epsilon 0.20" in said and "w\\*" in said and "± 50 people" in said
    assert "in a cell of" in said and "95 times in 100" in said
    never = text.needed(Needed(divided=None, alone=0.012), ["age"], 50.0, SCHEMA)
    assert never.startswith("With these priorities, this table gets no budget") and "0.012" in never


def test_the_forecast_says_by_how_many_pairs_it_divides() -> None:
    said = {
        method: text.forecast_note(Forecast.of(SCHEMA, Budget(), Method(name=method)))
        for method in ("blend", "mst")
    }
    columns = len(SCHEMA.modelled)
    assert "shared by all pairs." in said["blend"]
    assert f"shared by about {columns} of {columns * (columns - 1) // 2} pairs" in said["mst"]
    for method in ("independent", "merf", "tabddpm", "ballot"):
        found = Forecast.of(SCHEMA, Budget(), Method(name=method))
        assert text.forecast_note(found) == text.FORECAST_OF_COLUMNS
        assert {column.paired for column in found.columns()} == {None}


def test_what_a_bought_list_will_hold_is_told_in_people_and_per_cent() -> None:
    assert "about **181 people (3.0 %)** or more" in text.lists_hold(181, SCHEMA, rows=6000)
    assert "about **1,810 people** or more" in text.lists_hold(1810, SCHEMA, rows=None)


def test_no_bound_is_promised_for_every_pair() -> None:
    """Independent columns measure no pair, and a pair that is neither measured nor scored has no bound."""
    for said in (text.FORECAST_OF_TABLES, text.FORECAST_OF_INTERACTIONS):
        assert "a bound for each" not in said
        assert "no forecast" in said

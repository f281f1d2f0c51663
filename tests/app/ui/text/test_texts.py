"""Texts of the first half of the app: menus have words for every choice, and sentences state the numbers."""

from __future__ import annotations

from dataclasses import replace

import pytest

from synth.app.project import declared, journey
from synth.app.project.describe import suitability
from synth.app.project.describe.sentences import How, Shape
from synth.app.project.removal import Remains
from synth.app.project.spend.allocation import LATER, PARTS, SHARES, allocate
from synth.app.project.spend.forecast import Forecast, Needed
from synth.app.project.store import Budget, Limits, Method
from synth.app.ui import text
from synth.app.ui.text import budget, frame, guide, project, rules, unit
from synth.core.accounting import limit_for
from synth.core.schema import ProtectedChange, Schema, Unit
from synth.private.ledger import Balance
from synth.rules.terms import OPERATORS

SCHEMA = declared.read(declared.demo()).schema


@pytest.mark.parametrize(
    "words", ["**bold**", "[a](http://x)", ":red-badge[x]", "$x^2$", "<b>", "`c`", "# h"]
)
def test_no_text_from_outside_can_format_the_page(words: str) -> None:
    escaped = text.plain(words)
    assert all(escaped[i - 1] == "\\" for i, sign in enumerate(escaped) if sign in "*[]()`<>$:#_")
    assert escaped.replace("\\", "") == words
    assert frame.here(words, ["steward"]).startswith(escaped)


def test_every_choice_has_its_words() -> None:
    needs = {need for step in journey.STEPS for need in step.needs}
    assert needs <= set(frame.MISSING)
    assert set(guide.STEPS) == {s.name for s in journey.STEPS if not s.aside} - {"project"}
    assert set(rules.HOWS) == set(How) and len(set(rules.HOWS.values())) == len(How)
    assert set(rules.SHAPES) == set(Shape) and set(rules.COMPARISONS) == set(OPERATORS)
    assert {suitability.STOPPING_HARM, "none"} <= set(unit.HARMS)
    assert {suitability.TINY, suitability.SMALL} <= set(unit.SIZES)
    assert set(budget.PART_NAME) == set(budget.PART_WHAT) == set(PARTS)


def test_only_a_person_with_one_row_is_counted_as_a_person() -> None:
    def schema(name: str, most: int) -> Schema:
        return Schema(name="s", population="p", unit=Unit(max_rows=most, name=name), columns=())

    counted = [text.counted(schema(*unit)) for unit in (("person", 1), ("household", 1), ("person", 4))]
    assert counted == ["people", "households", "rows"]
    assert text.some([str(i) for i in range(20)], most=3) == "0, 1, 2 and 17 more"


def test_the_guarantee_names_the_unit_and_its_rows() -> None:
    for sentence in unit.NEIGHBOURS.values():
        filled = sentence.format(unit="pupil", rows="3 rows")
        assert "pupil" in filled and "3 rows" in filled
    line = Balance.opened("Town", limit_for(4.0, 1e-9), ProtectedChange(max_rows=3, unit="pupil"))
    said = unit.line(replace(line, spent=line.limit or 0))
    assert "epsilon 4 at delta 1 in a billion" in said and "epsilon 0 at that delta" in said
    assert "Town" in said and "protects one pupil with at most 3 rows" in said


def test_limits_and_what_a_deletion_keeps_are_listed() -> None:
    assert project.limits(Limits()) == ""
    both = project.limits(Limits(release=1.5, lifetime=4.0, approvers=2))
    assert "epsilon 1.5 for one release and epsilon 4 over a lifetime" in both and "Two people" in both
    some = Remains(booked=2, share=0.25, unfinished=1, published=1, has_log=True, lifetime=4.0)
    ledger, ended, log, left, limit = project.stays(some)
    assert "2 of its runs stay" in ledger and "25 % of the lifetime limit" in ledger
    assert "not refunded" in ledger and "no longer be resumed" in ended and "decision log stays" in log
    assert left.startswith("A release was published") and "epsilon 4" in limit


@pytest.mark.parametrize("method", ["aim", "independent"])
@pytest.mark.parametrize("weights", [{}, {"comparison": "off", LATER: "max"}])
def test_every_part_of_a_budget_states_its_effect(method: str, weights: dict[str, str]) -> None:
    given = Budget(weights=weights)
    found = allocate(SCHEMA, given, Method(name=method), bought=2)
    for part in found.movable:
        said = budget.part_error(part, found, Forecast(SCHEMA, given, found), rho=0.01, rows=3000, bought=2)
        assert part != SHARES or said.startswith("2 counts, each ±")
        assert part != LATER or not weights or f"epsilon {found.epsilon:g}" in said
        assert "None" not in said


def test_errors_and_the_epsilon_that_reaches_them_are_stated() -> None:
    assert budget.off_by(60.0, SCHEMA, rows=3000) == "± 60 people (2.0 %)"
    assert budget.cell_error(None, rows_about=3000) == "not measured"
    assert "about **181 people (3.0 %)** or more" in budget.lists_hold(181, SCHEMA, rows=6000)
    said = budget.needed(Needed(divided=0.803, alone=0.2), ["age", "w*"], 50.0, SCHEMA)
    assert "**epsilon 0.80**" in said and "epsilon 0.20" in said and "w\\*" in said and "± 50 people" in said
    never = budget.needed(Needed(divided=None, alone=0.012), ["age"], 50.0, SCHEMA)
    assert never.startswith("With these priorities, this table gets no budget") and "0.012" in never


def test_a_forecast_states_how_many_pairs_share_the_budget() -> None:
    def note(method: str) -> str:
        return budget.forecast_note(Forecast.of(SCHEMA, Budget(), Method(name=method)))

    columns = len(SCHEMA.modelled)
    assert "shared by all pairs." in note("blend")
    assert f"shared by about {columns} of {columns * (columns - 1) // 2} pairs" in note("mst")
    for method in ("independent", "merf", "tabddpm", "ballot"):
        assert note(method) == budget.FORECAST_OF_COLUMNS

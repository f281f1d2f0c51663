"""Texts of the first half of the app: menus have words for every choice, and sentences state the numbers."""

from __future__ import annotations

import pytest

from synth.app.project import declared, journey
from synth.app.project.describe import suitability
from synth.app.project.describe.sentences import How, Shape
from synth.app.project.spend.allocation import LATER, PARTS, SHARES, allocate
from synth.app.project.spend.forecast import Forecast
from synth.app.project.store import Budget, Method
from synth.app.ui import text
from synth.app.ui.text import budget, frame, guide, rules, unit
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


def test_a_forecast_states_how_many_pairs_share_the_budget() -> None:
    def note(method: str) -> str:
        return budget.forecast_note(Forecast.of(SCHEMA, Budget(), Method(name=method)))

    columns = len(SCHEMA.modelled)
    assert "shared by all pairs." in note("blend")
    assert f"shared by about {columns} of {columns * (columns - 1) // 2} pairs" in note("mst")
    for method in ("independent", "merf", "tabddpm", "ballot"):
        assert note(method) == budget.FORECAST_OF_COLUMNS

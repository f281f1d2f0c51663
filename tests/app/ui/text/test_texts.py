"""Texts of the first half of the app: menus have words for every choice, and sentences state the numbers."""

import pytest

from synth.app.project import journey
from synth.app.project.describe import suitability
from synth.app.project.describe.sentences import How, Shape
from synth.app.project.spend.allocation import PARTS
from synth.app.ui import text
from synth.app.ui.text import budget, frame, guide, rules, unit
from synth.rules.terms import OPERATORS


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
    assert set(budget.PART_NAME) == set(budget.PART_WHAT) == set(PARTS)

"""Every choice of the rule menus has its word."""

from __future__ import annotations

from synth.app.project.describe.sentences import How, Shape
from synth.app.ui.text import rules as text
from synth.rules.terms import OPERATORS


def test_every_menu_has_words_for_all_it_offers() -> None:
    assert set(text.HOWS) == set(How)
    assert set(text.SHAPES) == set(Shape)
    assert set(text.COMPARISONS) == set(OPERATORS)
    assert len(set(text.HOWS.values())) == len(How)


def test_the_room_rules_need_is_told_as_a_share() -> None:
    assert "less than 1 %" in text.width(5, 10**6)
    assert "50 %" in text.width(500, 1000)
    assert "join no columns" in text.width(0, 1000)

"""Every mark has a sign, and the list counts people, rows and lines rightly."""

from __future__ import annotations

from synth.app.project.results.publication import ChecklistPoint, Settled, Topic
from synth.app.project.results.released import RedFlag
from synth.app.ui.text import release as text


def test_every_mark_has_a_sign_with_its_word() -> None:
    for mark in Settled:
        assert mark in text.SIGNS[mark].replace("\xa0", " ")
    assert len(set(text.SIGNS.values())) == 4


def test_one_is_not_many() -> None:
    assert text.choices(1).startswith("1 line will")
    assert text.choices(4).startswith("4 lines will")
    assert text.rules_hold(1, "2 rules").startswith("1 synthetic row breaks")


def test_what_is_open_cannot_format_the_page() -> None:
    assert "\\*a\\*" in text.locked(("*a*", "b"))


def test_twelve_flags_are_twelve_lines_with_the_blocking_ones_told_apart() -> None:
    found = [RedFlag(sentence=f"Column 'Pay {i}' is odd. Look.", blocks=i == 0) for i in range(12)]
    point = ChecklistPoint(topic=Topic.FLAGS, settled=Settled.BLOCKED, facts={"flags": found})
    assert text.describe(point) == "12 red flags, listed below. 1 of them forbids a release."
    lines = text.flags(found).split("\n")
    assert len(lines) == 12
    assert all(line.startswith("- :") and f"'Pay {i}'" in line for i, line in enumerate(lines))
    assert [":red[" in line for line in lines] == [True] + [False] * 11

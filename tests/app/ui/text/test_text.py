"""Prose that has to be right: escaping, odds, counts."""

from __future__ import annotations

import pytest

from synth.app.ui import text
from synth.core.schema import Schema, Unit


@pytest.mark.parametrize(
    "words", ["**bold**", "[a](http://x)", ":red-badge[x]", "$x^2$", "<b>", "`c`", "# h"]
)
def test_no_word_from_outside_can_format_the_page(words: str) -> None:
    escaped = text.plain(words)
    for i, character in enumerate(escaped):
        if character in "*[]()`<>$:#_":
            assert escaped[i - 1] == "\\"
    assert escaped.replace("\\", "") == words


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (1e-6, "1 in a million"),
        (1e-7, "1 in 10 million"),
        (1e-11, "1 in 100 billion"),
        (3e-7, "3 in 10 million"),
    ],
)
def test_delta_reads_as_odds(value: float, words: str) -> None:
    assert text.delta(value) == words


def test_people_are_people_only_where_one_fills_one_row() -> None:
    def schema(name: str, most: int) -> Schema:
        return Schema(name="s", population="p", unit=Unit(max_rows=most, name=name), columns=())

    assert text.counted(schema("person", 1)) == "people"
    assert text.counted(schema("household", 1)) == "households"
    assert text.counted(schema("person", 4)) == "rows"


def test_long_lists_of_names_stay_short() -> None:
    assert text.some(["a", "b"]) == "a, b"
    assert text.some([str(i) for i in range(20)], most=3) == "0, 1, 2 and 17 more"

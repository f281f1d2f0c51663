"""Test strings that people consider equal, and words for yes and no."""

from itertools import chain
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from synth.core.cells.words import YES_NO, capitals_of, lowered, plain, spellings_of

LETTERS = "aA\u00e9\u00c9\u00df\u1e9e\u0131\u0130iI\u017fsS\u03c3\u03c2\u03a3\u01c5\u2126"
"""Letters with a capital, with a capital of two letters, or with the capital of another letter."""


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        ("Jose\u0301", "Jos\u00e9"),
        ("a\u00a0\u2009b", "a b"),
        (" a\t\n b ", "a b"),
        ("O\u2019Neil", "O'Neil"),
        ("20\u201329", "20-29"),
        ("co\u00adop\u200b", "coop"),
        ("\u017b\u00f3\u0142w", "\u017b\u00f3\u0142w"),
    ],
)
def test_what_looks_the_same_is_the_same(cell: str, expected: str) -> None:
    assert plain(cell) == expected


@given(st.text())
def test_a_plain_text_stays_as_it_is(text: str) -> None:
    assert plain(plain(text)) == plain(text)


def test_every_word_is_on_the_page_about_cells() -> None:
    page = (Path(__file__).parents[3] / "assets" / "docs" / "cells.md").read_text(encoding="utf-8")
    for language, words in YES_NO.items():
        assert f"| {' | '.join([language, *(', '.join(some.split()) for some in words)])} |" in page


def test_yes_and_no_are_never_the_same_word() -> None:
    words = spellings_of([False, True])
    for place in (0, 1):
        said = chain.from_iterable(both[1 - place].split() for both in YES_NO.values())
        assert all(words[form] == place for word in said for form in (word, plain(word)))


@given(st.text(), st.text(LETTERS))
def test_capitals_of_a_text_are_those_that_can_equal_it(value: str, text: str) -> None:
    """A database lowers only the capitals in declared texts. This must not change the result for any other
    text.
    """
    for spelled in (lowered(text), lowered(value)):
        capitals = {chr(n): chr(n + 32) for n in range(ord("A"), ord("Z") + 1)} | capitals_of([spelled])
        for cell in (text, text.upper(), value, value.upper(), text.title()):
            assert (cell.translate(str.maketrans(capitals)) == spelled) is (lowered(cell) == spelled)

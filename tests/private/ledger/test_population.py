# ruff: noqa: RUF001 (letters that look alike are what this file is about)

import pytest

from synth.core.errors import Mistake
from synth.private.ledger.population import check_name, fold, looks_like


@pytest.mark.parametrize(
    "other",
    [
        "town residents 2024",
        "TOWN RESIDENTS 2024",
        " Town\u2003Residents\n2024 ",
        "ｔｏｗｎ residents ２０２４",
        "town reſidents 2024",
    ],
)
def test_one_name_in_many_ways_of_writing(other: str) -> None:
    assert fold(other) == fold("Town Residents 2024")


@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("paris", "раris"),  # Cyrillic er and a
        ("oslo", "οslο"),  # Greek omicron
        ("ward l", "ward 1"),
        ("ward I", "ward 1"),
        ("zone O", "zone 0"),
        ("town-2024", "town_2024"),
        ("o'hara", "o’hara"),
        ("café", "cafe"),
        ("town–2024", "town 2024"),
        ("cornell", "comell"),
        ("ward 1-2", "ward 1 - 2"),
    ],
)
def test_names_the_eye_confuses(name: str, other: str) -> None:
    assert fold(name) != fold(other)
    assert looks_like(name, other) and looks_like(other, name)


@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("town-2024", "town-2025"),
        ("mail", "mall"),
        ("ward 1-2", "ward 12"),
        ("school east", "school west"),
        ("Москва", "Минск"),
        ("東京", "京都"),
        ("ガス", "カス"),
        ("हिन्दी", "हन्द"),
    ],
)
def test_names_that_differ(name: str, other: str) -> None:
    assert not looks_like(name, other)


@pytest.mark.parametrize(
    "letter", ["\u200b", "\u202e", "\x00", "\n", "\u2028", "\ufe0f", "\u3164", "\U000e0041"]
)
def test_what_nobody_sees_is_in_no_name(letter: str) -> None:
    with pytest.raises(Mistake, match=r"invisible character \(U\+"):
        check_name(f"town{letter}2024")

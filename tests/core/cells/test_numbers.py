"""Test numbers as people write them, with the value of each under each declaration."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from synth.core.cells.numbers import number_of
from synth.core.cells.words import plain
from synth.core.schema import Column, FileFormat, Kind, Provenance

NO = math.nan
PLAIN, ENGLISH = FileFormat(), FileFormat(thousands=",")
GERMAN = FileFormat(decimal_sign=",", thousands=".")
AGE = Column(name="age", kind=Kind.INTEGER, min=0, max=99, measured_in="years")


@pytest.mark.parametrize(
    ("cell", "by_plain", "by_english", "by_german"),
    [
        ("1,200", NO, 1200, 1.2),
        ("1.200,5", NO, NO, 1200.5),
        ("1,200.5", NO, 1200.5, NO),
        ("1.200", 1.2, 1.2, 1200),
        ("1,20,300", NO, 120_300, NO),
        ("12,34", NO, NO, 12.34),
        ("1 200", *[1200] * 3),
        ("1\u202f200\u00a0300", *[1_200_300] * 3),
        ("1'200", *[1200] * 3),
        ("1\u2019200", *[1200] * 3),
        ("1_200", *[1200] * 3),
        ("12 34", *[NO] * 3),
        ("1 200'300", *[NO] * 3),
        ("12%", *[12] * 3),
        ("%12", *[12] * 3),
        ("$12", *[12] * 3),
        ("US$ 12", *[12] * 3),
        ("12 EUR", *[12] * 3),
        ("12 kr.", *[12] * 3),
        ("12 z\u0142", *[12] * 3),
        ("12 euros", *[12] * 3),
        ("\uff11\uff12\u5186", *[12] * 3),
        ("\u0661\u0662", *[12] * 3),
        ("12\u00b2", *[NO] * 3),
        ("EUR12", *[12] * 3),
        ("12 MIO", *[NO] * 3),
        ("12\u00a2", *[NO] * 3),
        ("12 years", *[12] * 3),
        ("1 Year", *[1] * 3),
        ("12 months", *[NO] * 3),
        ("(12)", *[-12] * 3),
        ("($12)", *[-12] * 3),
        ("$(1 200)", *[-1200] * 3),
        ("-(12)", *[NO] * 3),
        ("\u221212", *[-12] * 3),
        ("-\u20ac12", *[-12] * 3),
        ("\u20ac-12", *[-12] * 3),
        ("--12", *[NO] * 3),
        ("12e2 EUR", *[1200] * 3),
        ("()", *[NO] * 3),
        ("", *[NO] * 3),
    ],
)
def test_numbers_are_read_as_declared(
    cell: str, by_plain: float, by_english: float, by_german: float
) -> None:
    found = [number_of(plain(cell), form, AGE) for form in (PLAIN, ENGLISH, GERMAN)]
    assert found == pytest.approx([by_plain, by_english, by_german], nan_ok=True, rel=0, abs=0)


@pytest.mark.parametrize(
    ("facts", "expected"),
    [
        ({"min": 0, "max": 1}, 0.333),
        ({"min": 0, "max": 1, "measured_in": "per cent"}, 33.3),
        ({"min": 0, "max": 100}, 33.3),
        ({"min": 0, "max": 1, "provenance": Provenance.ESTIMATED}, 33.3),
        ({"buy": True}, 33.3),
    ],
)
def test_a_per_cent_is_a_hundredth_only_where_the_declared_range_is_one_of_shares(
    facts: dict, expected: float
) -> None:
    assert number_of("33.3%", PLAIN, Column(name="share", kind=Kind.DECIMAL, **facts)) == expected


@given(st.text(alphabet="0123456789.,'_ ()+-%$\u20ac\u00a0eEUR", max_size=30) | st.text())
def test_every_text_is_a_number_or_none(cell: str) -> None:
    for form in (PLAIN, ENGLISH, GERMAN):
        assert isinstance(number_of(plain(cell), form, AGE), float)

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
AMOUNT = Column(name="amount", kind=Kind.INTEGER, min=0, max=99)


@pytest.mark.parametrize(
    ("cell", "by_plain", "by_english", "by_german"),
    [
        ("1,200", NO, 1200, 1.2),
        ("1.200,5", NO, NO, 1200.5),
        ("1,200.5", NO, 1200.5, NO),
        ("1.200", NO, 1.2, 1200),
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
    found = [number_of(plain(cell), form, AMOUNT) for form in (PLAIN, ENGLISH, GERMAN)]
    assert found == pytest.approx([by_plain, by_english, by_german], nan_ok=True, rel=0, abs=0)


@pytest.mark.parametrize(
    ("unit", "fitting", "others"),
    [
        ("EUR", "\u20ac12|12 EUR|12 euros|12 Euro|(12 \u20ac)|12", "$12|12 kr|12 GBP|\u20b912|12%|12 kg"),
        ("\u20ac per month", "\u20ac12|12 EUR", "$12|12 years"),
        ("thousand EUR", "12|12 thousand EUR", "12 EUR|\u20ac12"),
        ("US dollars", "$12|US$ 12|12 USD|12 dollars", "A$12|CAD 12|\u20ac12"),
        ("$", "$12|USD 12", "AUD 12|NZ$12|12 EUR"),
        ("AUD", "$12|A$12|12 AUD", "US$12|12 NZD"),
        ("SEK", "12 kr|12 SEK|kr. 12", "12 NOK|12 EUR"),
        ("kr", "12 kr", "12 NOK|12 EUR"),
        ("kg", "12 kg|12 KG", "12 EUR|$12|12%|12 g"),
        ("years", "12 years|1 Year", "12 kr|12%|12 months"),
        ("ft", "12 ft", "12 EUR"),
        ("%", "12%|12 percent", "12 EUR|12 kg"),
        ("hours", "26:30|0:45:30|12 hours", "12 EUR|1:75"),
        ("", "$12|12 EUR|12%", "12 kg|26:30"),
    ],
)
def test_a_unit_must_be_the_unit_of_the_column(unit: str, fitting: str, others: str) -> None:
    column = Column(name="n", kind=Kind.DECIMAL, min=0, max=99, measured_in=unit)
    assert [cell for cell in fitting.split("|") if math.isnan(number_of(plain(cell), PLAIN, column))] == []
    assert [cell for cell in others.split("|") if not math.isnan(number_of(plain(cell), PLAIN, column))] == []


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
        assert isinstance(number_of(plain(cell), form, AMOUNT), float)

"""Test that the text of a cell describes a domain, and that the written text is read as the same domain."""

from __future__ import annotations

from typing import Any

import pytest

from synth.core.schema import Kind
from synth.dictionaries.domain_text import read, written

HALVES = {"min": "2020-01-01", "max": "2020-12-31", "cuts": ["2020-07-01"]}
BANDS = {"min": 0, "max": 120, "cuts": [18, 65], "measured_in": "years"}
BANDS |= {"labels": ["child", "adult, or so", "old"]}
CELLS: dict[str, tuple[Kind, dict[str, Any]]] = {
    "0 to 99": (Kind.INTEGER, {"min": 0, "max": 99}),
    "01067 to 90402": (Kind.INTEGER, {"min": "01067", "max": 90402}),
    "0-99": (Kind.INTEGER, {"min": 0, "max": 99}),
    "-5..5 by 5": (Kind.INTEGER, {"min": -5, "max": 5, "step": 5}),
    "0.0 to 1.5": (Kind.DECIMAL, {"min": 0.0, "max": 1.5, "decimals": 1}),
    "34.00 to 42.00": (Kind.DECIMAL, {"min": 34.0, "max": 42.0, "decimals": 2}),
    "0 to 1 by 0.125": (Kind.DECIMAL, {"min": 0, "max": 1, "step": 0.125, "decimals": 3}),
    "1.0 to 9e3": (Kind.DECIMAL, {"min": 1.0, "max": 9000.0, "decimals": 1}),
    "2020-01-01 to 2020-12-31 cut at 2020-07-01": (Kind.DATE, HALVES),
    '0 to 120 cut at 18, 65 as child, "adult, or so", old in years': (Kind.INTEGER, BANDS),
    "yes, no": (Kind.CATEGORY, {"values": ["yes", "no"]}),
    "<=50K, >50K": (Kind.CATEGORY, {"values": ["<=50K", ">50K"]}),
    "1 = male, 2 = female": (Kind.CATEGORY, {"values": ["1", "2"], "labels": ["male", "female"]}),
    "1=male|2=female": (Kind.CATEGORY, {"values": ["1", "2"], "labels": ["male", "female"]}),
    "1 to 3, 9 = refused": (Kind.CATEGORY, {"values": [*"1239"], "labels": ["", "", "", "refused"]}),
    '"Smith, A", B': (Kind.CATEGORY, {"values": ["Smith, A", "B"]}),
    "poor < fair < good": (Kind.ORDERED, {"values": ["poor", "fair", "good"]}),
    "1 = none < 2 = all": (Kind.ORDERED, {"values": ["1", "2"], "labels": ["none", "all"]}),
    "0 to 60,000.00": (Kind.DECIMAL, {"min": 0, "max": "60,000.00", "decimals": 2}),
    "0 to 60 000": (Kind.INTEGER, {"min": 0, "max": "60 000"}),
    "0 to 60'000 by 500": (Kind.INTEGER, {"min": 0, "max": "60'000", "step": 500}),
    "0 to 1.500,50": (Kind.DECIMAL, {"min": 0, "max": "1.500,50", "decimals": 3}),
    "1924 - 2o23": (Kind.INTEGER, {"min": 1924, "max": "2o23"}),
    "01.02.2020 to 31.12.2023": (Kind.DATE, {"min": "2020-02-01", "max": "2023-12-31"}),
    "1 Jan 2020 to 31 Dec 2020": (Kind.DATE, {"min": "2020-01-01", "max": "2020-12-31"}),
    "01/02/2020 to 03/04/2020": (Kind.DATE, {"min": "01/02/2020", "max": "03/04/2020"}),
    "from 0 up to 120": (Kind.INTEGER, {"min": 0, "max": 120}),
    "between 0.5 and 1.5": (Kind.DECIMAL, {"min": 0.5, "max": 1.5, "decimals": 1}),
    "0..99": (Kind.INTEGER, {"min": 0, "max": 99}),
    "0 <= x <= 120": (Kind.INTEGER, {"min": 0, "max": 120}),
    "min 0, max 120": (Kind.INTEGER, {"min": 0, "max": 120}),
    "0-120 years": (Kind.INTEGER, {"min": 0, "max": 120, "measured_in": "years"}),
    "0 to 100%": (Kind.INTEGER, {"min": 0, "max": 100, "measured_in": "%"}),
    ">= 0": (Kind.INTEGER, {"min": ">= 0"}),
    "18 or more": (Kind.INTEGER, {"min": "18 or more"}),
    "0.5 to 1,5": (Kind.DECIMAL, {"min": "0.5 to 1,5"}),
    "yes/no": (Kind.CATEGORY, {"values": ["yes", "no"]}),
    "yes, no or unknown": (Kind.CATEGORY, {"values": ["yes", "no", "unknown"]}),
    "Smith, A; Jones, B": (Kind.CATEGORY, {"values": ["Smith, A", "Jones, B"]}),
    "'a', \u201cb\u201d": (Kind.CATEGORY, {"values": ["a", "b"]}),
    "1: male, 2: female": (Kind.CATEGORY, {"values": ["1", "2"], "labels": ["male", "female"]}),
    "A=Yes, B=No": (Kind.CATEGORY, {"values": ["A", "B"], "labels": ["Yes", "No"]}),
    "1 - male, 2 - female": (Kind.CATEGORY, {"values": ["1", "2"], "labels": ["male", "female"]}),
    "M (male), F (female)": (Kind.CATEGORY, {"values": ["M", "F"], "labels": ["male", "female"]}),
    "08:00, 12:30": (Kind.CATEGORY, {"values": ["08:00", "12:30"]}),
    "18-25, 26-35": (Kind.CATEGORY, {"values": ["18-25", "26-35"]}),
    "20 to 250 step 0.1": (Kind.DECIMAL, {"min": 20, "max": 250, "step": 0.1, "decimals": 1}),
    "0 to 100 steps of 10 in mg missing 999, -9": (
        Kind.INTEGER,
        {"min": 0, "max": 100, "multiple": 10, "measured_in": "mg", "missing": ["999", "-9"]},
    ),
    "0 to 5000 heaps of 500 in EUR": (
        Kind.INTEGER,
        {"min": 0, "max": 5000, "heaps": 500, "measured_in": "EUR"},
    ),
    "0 to 1 steps of 0.25": (Kind.DECIMAL, {"min": 0, "max": 1, "multiple": 0.25, "decimals": 2}),
    "20 to 250 steps 0.1": (Kind.DECIMAL, {"min": 20, "max": "250 steps 0.1"}),
    "1 to 9, 999": (Kind.CATEGORY, {"values": [*"123456789", "999"]}),
    "0,00 to 8000,00": (Kind.DECIMAL, {"min": "0,00", "max": "8000,00"}),
    "0,5 \u2013 9,5 in mg": (Kind.DECIMAL, {"min": "0,5", "max": "9,5", "measured_in": "mg"}),
    "1 to 3,5": (Kind.DECIMAL, {"min": "1 to 3,5"}),
    "1 to 3, 5": (Kind.CATEGORY, {"values": [*"1235"]}),
    "18 - 25, 26 - 35": (Kind.CATEGORY, {"values": ["18 - 25", "26 - 35"]}),
    "a1 to b2 | c": (Kind.CATEGORY, {"values": ["a1 to b2", "c"]}),
    "0 to": (Kind.INTEGER, {"min": "0 to"}),
    "..99": (Kind.INTEGER, {"min": "..99"}),
    "old to young": (Kind.CATEGORY, {"values": ["old to young"]}),
    "any of red, green": (Kind.CATEGORY, {"values": ["red", "green"], "separator": ";"}),
    "several of red, green": (Kind.CATEGORY, {"values": ["red", "green"], "separator": ";"}),
    "several of red, green, or only none": (
        Kind.CATEGORY,
        {"values": ["red", "green", "none"], "separator": ";", "exclusive": "none"},
    ),
    "several by / of a, b, combinations a, a/b, none of these": (
        Kind.CATEGORY,
        {"values": ["a", "b"], "separator": "/", "combinations": [["a"], ["a", "b"], []]},
    ),
    "several by | of 1 = a, 2 = b": (
        Kind.CATEGORY,
        {"values": ["1", "2"], "labels": ["a", "b"], "separator": "|"},
    ),
    "left out": (Kind.DROP, {}),
    "ids P-{:06d}": (Kind.DROP, {"id_format": "P-{:06d}"}),
    "= a + 'b c'": (Kind.INTEGER, {"formula": "a + 'b c'"}),
    "= max(a, 1), 2 decimals": (Kind.DECIMAL, {"formula": "max(a, 1)", "decimals": 2}),
    "bought": (Kind.CATEGORY, {"buy": True}),
    "?": (Kind.CATEGORY, {"buy": True}),
    "list bought": (Kind.CATEGORY, {"buy": True}),
    "range bought": (Kind.DECIMAL, {"buy": True}),
    "bought range": (Kind.DECIMAL, {"buy": True}),
    "Numbers bought": (Kind.DECIMAL, {"buy": True}),
    "estimated list": (Kind.CATEGORY, {"buy": True}),
    "decimal numbers bought": (Kind.DECIMAL, {"buy": True}),
    "whole numbers estimated": (Kind.INTEGER, {"buy": True}),
    "bought  whole numbers": (Kind.INTEGER, {"buy": True}),
    "dates estimated": (Kind.DATE, {"buy": True}),
    "bought goods": (Kind.CATEGORY, {"values": ["bought goods"]}),
}


@pytest.mark.parametrize("cell", CELLS)
def test_a_cell_says_kind_and_domain_and_is_shown_so_that_it_says_them_again(cell: str) -> None:
    kind, facts = read(cell)
    assert (kind, facts) == CELLS[cell]
    shown = written({"name": "x", "kind": kind, **facts})
    assert read(shown) == (kind, facts), shown


@pytest.mark.parametrize(
    ("typed", "bare", "said"),
    [
        ("M, F missing 9", "M, F", {"missing": ["9"]}),
        ("1 = yes, 2 = no, 9 = missing", "1 = yes, 2 = no", {"missing": ["9"]}),
        ("0 to 60 in 14 bins", "0 to 60", {"bins": 14}),
        ("0 to 60, 999 = missing, 10 equal bins", "0 to 60", {"bins": 10, "missing": ["999"]}),
        ("yes, no, can be blank", "yes, no", {"blank": True}),
        ("yes, no (blank allowed)", "yes, no", {"blank": True}),
        ("0 to 9, never blank", "0 to 9", {"blank": False}),
        ("0 to 9 no blanks", "0 to 9", {"blank": False}),
    ],
)
def test_clauses_are_no_part_of_a_value(typed: str, bare: str, said: dict[str, Any]) -> None:
    kind, facts = read(bare)
    assert read(typed) == (kind, {**facts, **said})


def test_a_kind_that_is_chosen_says_how_a_cell_is_meant() -> None:
    assert read("1 to 3", Kind.CATEGORY) == (Kind.CATEGORY, {"values": ["1", "2", "3"]})
    assert read("0 to 9", Kind.DECIMAL) == (Kind.DECIMAL, {"min": 0, "max": 9})
    assert read("a, b", Kind.ORDERED) == (Kind.ORDERED, {"values": ["a", "b"]})
    assert read("young", Kind.INTEGER) == (Kind.INTEGER, {"min": "young"})
    assert read("") == (None, {}) and read(" ", Kind.DATE) == (Kind.DATE, {})


def test_a_list_that_everybody_knows_is_said_by_its_name() -> None:
    kind, facts = read("ICD-10 chapters")
    assert kind is Kind.CATEGORY and len(facts["values"]) == len(facts["labels"]) == len(facts["reads"]) == 22
    assert read("months")[0] is Kind.ORDERED

"""Test that a cell of a workbook is written as its CSV file would show it, with all decimal places."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest

from synth.core.cells.sheets import Declared, shown
from synth.core.schema import Kind

NUMBER, LIST, DATE = Declared(Kind.DECIMAL), Declared(Kind.CATEGORY), Declared(Kind.DATE)
ACCOUNT = '_($* #,##0.00_);_($* \\(#,##0.00\\);_($* "-"??_);_(@_)'
MARCH = dt.datetime(2021, 3, 1)


@pytest.mark.parametrize(
    ("cell", "form", "column", "text"),
    [
        (0.07, "0%", NUMBER, "7%"),
        (0.125, "0.00%;[Red]-0.00%", NUMBER, "12.5%"),
        (-0.05, "0%", NUMBER, "-5%"),
        (12, "0000", LIST, "0012"),
        (12345, "0000", LIST, "12345"),
        (123456789, "000-00-0000", LIST, "123-45-6789"),
        (12.5, "0.00", NUMBER, "12.5"),
        (0.5, "# ?/?", NUMBER, "0.5"),
        (12, ACCOUNT, NUMBER, "$12"),
        (-12.5, '#,##0.00\\ "\u20ac"', NUMBER, "\u20ac-12.5"),
        (12, "[$EUR] #,##0", NUMBER, "EUR 12"),
        (12, "[$-409]0.0", NUMBER, "12"),
        (12.5, '0.0" kg"', NUMBER, "12.5"),
        (3, '"Q"0', Declared(Kind.CATEGORY, ["Q3"]), "Q3"),
        (3, '"Q"0', Declared(Kind.CATEGORY, ["3"]), "3"),
        (MARCH, "yyyy", NUMBER, "2021"),
        (MARCH, "yyyy", DATE, "2021-03-01"),
        (MARCH, "mmmm", LIST, "March"),
        (MARCH, "mmm\\ yyyy", Declared(Kind.CATEGORY, ["Mar 2021"]), "Mar 2021"),
        (MARCH, "mmm-yy", LIST, "2021-03-01"),
        (dt.time(9, 5), "h:mm", Declared(Kind.CATEGORY, ["9:05"]), "9:05"),
        (dt.time(9, 5), "h:mm", LIST, "09:05:00"),
        (dt.timedelta(hours=26, minutes=3), "[h]:mm", NUMBER, "26:03:00"),
        (45371, "General", DATE, "2024-03-20"),
        (45371, "General", NUMBER, "45371"),
        (2021, "General", DATE, "2021"),
        (20240131, "0", DATE, "20240131"),
        (True, "General", LIST, "true"),
    ],
)
def test_a_cell_is_written_as_its_format_shows_it(cell: Any, form: str, column: Declared, text: str) -> None:
    assert shown(cell, form, column) == text

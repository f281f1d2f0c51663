"""Test the display formats of Stata, SPSS and SAS, for a list, a column of dates and one of whole numbers."""

from __future__ import annotations

import datetime as dt

import pytest

from synth.core.cells.displays import SAS, SPSS, STATA, writer
from synth.core.cells.sheets import Declared
from synth.core.schema import Kind

MOMENT = (dt.datetime(2024, 2, 29, 13, 5, 9) - dt.datetime(1960, 1, 1)).total_seconds()
DAYS = Declared(Kind.ORDERED, ("Sunday", "Monday"))


@pytest.mark.parametrize(
    ("form", "source", "number", "texts"),
    [
        ("%tm", STATA, 735, ["2021m4", "2021-04-01", "2021m4"]),
        ("%tw", STATA, 3000, ["2017w37", "2017-09-10", "2017w37"]),
        ("%tq", STATA, -1, ["1959q4", "1959-10-01", "1959q4"]),
        ("%th", STATA, 122, ["2021h1", "2021-01-01", "2021h1"]),
        ("%ty", STATA, 2021, ["2021", "2021-01-01", "2021"]),
        ("%tc", STATA, 1000 * MOMENT, ["2024-02-29 13:05:09"] * 3),
        ("%tC", STATA, 1000 * (MOMENT + 27), ["2024-02-29 13:05:09"] * 3),
        ("%-tdD_m_Y", STATA, 23000, ["2022-12-21"] * 3),
        ("%ty", STATA, 30000, ["30000", "", "30000"]),
        ("WKDAY9", SPSS, 2, ["2", "2", "2"]),
        ("TIME8", SPSS, 93789, ["26:03:09"] * 3),
        ("DATE11", SPSS, 13833500000, ["2021-02-23"] * 3),
        ("YEAR4.", SAS, 22000, ["2020", "2020-03-26", "2020"]),
        ("DDMMYYP10.", SAS, 22000, ["2020-03-26"] * 3),
        ("DATETIME20.", SAS, MOMENT, ["2024-02-29 13:05:09"] * 3),
    ],
)
def test_a_number_is_written_as_its_format_shows_it(
    form: str, source: str, number: float, texts: list[str]
) -> None:
    write = writer(form, source)
    assert write is not None
    assert [write(number, Declared(kind)) for kind in (Kind.CATEGORY, Kind.DATE, Kind.INTEGER)] == texts


def test_a_name_is_written_if_it_is_declared() -> None:
    write = writer("WKDAY9", SPSS)
    assert write is not None and [write(n, DAYS) for n in (1, 2, 3)] == ["Sunday", "Monday", "3"]
    assert writer("%9.0g", STATA) is writer("F8.2", SPSS) is writer("BEST12.", SAS) is None

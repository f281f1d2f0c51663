"""Test dates as people write them, with the meaning of each in each order."""

import datetime as dt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from synth.core.cells.days import MONTH, day_of
from synth.core.cells.words import plain
from synth.core.schema import DateOrder, FileFormat, iso_day

ORDERS = (DateOrder.YEAR_FIRST, DateOrder.DAY_FIRST, DateOrder.MONTH_FIRST)
THIRD, SWAPPED = "1997-04-03", "1997-03-04"


@pytest.mark.parametrize(
    ("cell", "in_each_order"),
    [
        ("03/04/97", (None, THIRD, SWAPPED)),
        ("3.4.1997", (None, THIRD, SWAPPED)),
        ("3. 4. 1997", (None, THIRD, SWAPPED)),
        ("03-04-1997 10:30", (None, THIRD, SWAPPED)),
        ("3/4/1997, 10:30:00 PM", (None, THIRD, SWAPPED)),
        ("31.12.1997", (None, "1997-12-31", None)),
        ("3.4/1997", (None, None, None)),
        *(
            (cell, (THIRD,) * 3)
            for cell in (
                "1997-04-03", "1997/4/3", "19970403", "3 Apr 1997", "3-Apr-97", "03APR1997", "Apr 3, 1997",
                "April 3rd, 1997 10:30", "1997-Apr-03", "3. April 1997", "3 avril 1997", "3 de abril de 1997",
                "3 aprile 1997", "3 Apr '97", "Thu, 3 Apr 1997 10:30:00 +0200", "3 april 1997",
                "1997-04-03T23:30:00+02:00", "1997-04-03Z", "1997-04-03+02:00", "1997\u201104\u201103",
            )
        ),
        ("1\u00aa mar\u00e7o 2020", ("2020-03-01",) * 3),
        ("1. M\u00c4RZ 2020", ("2020-03-01",) * 3),
        *(
            (cell, ("2020-05-03",) * 3)
            for cell in (
                "3 maja 2020 r.", "3. kv\u011btna 2020", "2020. m\u00e1jus 3.", "2020. 5. 3.",
                "3 May\u0131s 2020", "3 \u043c\u0430\u044f 2020 \u0433.", "dimanche 3 mai 2020",
                "Sunday 3 May 2020", "2020\u5e745\u67083\u65e5",
                "\uff12\uff10\uff12\uff10\u5e74\uff15\u6708\uff13\u65e5", "2020\ub144 5\uc6d4 3\uc77c",
                "3 \u039c\u03b1\u0390\u03bf\u03c5 2020",
            )
        ),
        ("avant 3 mai 2020", (None,) * 3),
        ("1 ao\u00fbt 2020", ("2020-08-01",) * 3),
        *((cell, (None,) * 3) for cell in ("2020-02-30", "3 jui 2020", "3 Foo 2020", "April 2020", "")),
    ],
)  # fmt: skip
def test_a_date_is_read_in_the_declared_order(cell: str, in_each_order: tuple[str | None, ...]) -> None:
    found = [day_of(plain(cell), FileFormat(date_order=order)) for order in ORDERS]
    assert tuple(None if day is None else iso_day(day) for day in found) == in_each_order


@pytest.mark.parametrize(
    ("first", "year", "expected"),
    [(1930, "30", 1930), (1930, "29", 2029), (1970, "69", 2069), (1901, "00", 2000), (1901, "01", 1901)],
)
def test_years_of_two_digits_are_in_the_declared_hundred_years(first: int, year: str, expected: int) -> None:
    day = day_of(f"3 Apr {year}", FileFormat(two_digit_years=first))
    assert day is not None and iso_day(day) == f"{expected}-04-03"


def test_an_abbreviation_has_one_month() -> None:
    assert "jui" not in MONTH and MONTH["juil"] == MONTH["giu"] + 1 == 7
    assert all(MONTH[dt.date(2000, month, 1).strftime("%b").lower()] == month for month in range(1, 13))


@given(
    st.text(alphabet="0123456789/.-, aprilPRt", max_size=20) | st.text(max_size=80), st.sampled_from(ORDERS)
)
def test_every_text_is_a_date_or_none(cell: str, order: DateOrder) -> None:
    day = day_of(plain(cell), FileFormat(date_order=order))
    assert day is None or dt.date.min <= dt.date(1970, 1, 1) + dt.timedelta(day)


def test_day_numbers_of_excel_are_read_if_declared() -> None:
    form = FileFormat(date_order=DateOrder.SERIAL)
    found = [day_of(text, form) for text in ("25569", "45371", "2021", "1234567", "2024-03-20")]
    assert found == [0, 19802, None, None, 19802] and day_of("45371", FileFormat()) is None

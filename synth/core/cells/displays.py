"""Read the display formats of Stata, SPSS and SAS, which state whether a number is a day, a time or a month.

Stata counts days, weeks, months, quarters and half-years from 1960, SAS counts days and seconds from 1960,
and SPSS counts seconds from 1582. A format follows from the header of a file. A number is written as text
from its format and the declared column alone.
"""

from __future__ import annotations

import datetime as dt
import math
import re
from collections.abc import Callable, Sequence
from enum import StrEnum

from synth.core.cells.days import MONTHS, WEEKDAYS
from synth.core.cells.sheets import Declared
from synth.core.cells.words import plain
from synth.core.schema import Kind

SPSS, STATA, SAS = ".sav", ".dta", ".sas7bdat"


class Shows(StrEnum):
    """What a format shows."""

    NUMBER = "number"
    DAY = "day"
    MOMENT = "day and time"
    TIME = "time of day or duration"
    WEEK = "week"
    MONTH = "month"
    QUARTER = "quarter"
    HALF = "half-year"
    YEAR = "year"
    YEAR_OF_DAY = "year of a day"
    MONTH_OF_DAY = "month of a day"
    QUARTER_OF_DAY = "quarter of a day"
    WEEKDAY_OF_DAY = "day of the week"
    DAY_OF_DAY = "day of the month"
    WEEKDAY_NUMBER = "day of the week as a number"
    MONTH_NUMBER = "month as a number"


IS_DATE = frozenset({Shows.DAY, Shows.MOMENT, Shows.WEEK, Shows.MONTH, Shows.QUARTER, Shows.HALF})
"""The forms for which a column of dates is proposed."""
_STATA = {"d": Shows.DAY, "c": Shows.MOMENT, "C": Shows.MOMENT, "w": Shows.WEEK, "m": Shows.MONTH}
_STATA |= {"q": Shows.QUARTER, "h": Shows.HALF, "y": Shows.YEAR}


def _forms(names: dict[Shows, str]) -> dict[str, Shows]:
    return {name: shows for shows, some in names.items() for name in some.split()}


_OF_SPSS = _forms(
    {
        Shows.DAY: "DATE ADATE EDATE SDATE JDATE MOYR QYR WKYR",
        Shows.MOMENT: "DATETIME YMDHMS",
        Shows.TIME: "TIME DTIME MTIME",
        Shows.WEEKDAY_NUMBER: "WKDAY",
        Shows.MONTH_NUMBER: "MONTH",
    }
)
_OF_SAS = _forms(
    {
        Shows.DAY: "DATE DDMMYY MMDDYY YYMMDD YYMM MMYY MONYY YYMON YYQ YYQR WEEKDATE WEEKDATX WEEKU WEEKV "
        "WEEKW WORDDATE WORDDATX JULIAN E8601DA IS8601DA B8601DA ND8601DA NLDATE EURDFDD EURDFDE",
        Shows.MOMENT: "DATETIME DATEAMPM MDYAMPM DTDATE DTMONYY DTYEAR DTYYQC DTWKDATX E8601DT IS8601DT "
        "B8601DT E8601DN IS8601DN B8601DN E8601DZ B8601DZ NLDATM YMDDTTM",
        Shows.TIME: "TIME TIMEAMPM HHMM HOUR MMSS TOD E8601TM IS8601TM B8601TM NLTIME",
        Shows.YEAR_OF_DAY: "YEAR",
        Shows.MONTH_OF_DAY: "MONTH MONNAME",
        Shows.QUARTER_OF_DAY: "QTR",
        Shows.WEEKDAY_OF_DAY: "WEEKDAY DOWNAME",
        Shows.DAY_OF_DAY: "DAY",
    }
)
_SEPARATED = re.compile(r"^(DDMMYY|MMDDYY|YYMMDD|YYMM|MMYY|YYQR|YYQ)[BCDNPS]$")
"""SAS's date formats with a letter for the separator, such as DDMMYYP."""
_1582, _1960 = dt.datetime(1582, 10, 14), dt.datetime(1960, 1, 1)
"""Day 0 of SPSS, and of SAS and Stata."""
LEAP_SECONDS = (
    "1972-06-30 1972-12-31 1973-12-31 1974-12-31 1975-12-31 1976-12-31 1977-12-31 1978-12-31 1979-12-31 "
    "1981-06-30 1982-06-30 1983-06-30 1985-06-30 1987-12-31 1989-12-31 1990-12-31 1992-06-30 1993-06-30 "
    "1994-06-30 1995-12-31 1997-06-30 1998-12-31 2005-12-31 2008-12-31 2012-06-30 2015-06-30 2016-12-31"
)
"""The days that ended with a leap second (IERS Bulletin C), which Stata's %tC counts."""
_ENDS = [dt.datetime.fromisoformat(day) + dt.timedelta(days=1) for day in LEAP_SECONDS.split()]
_LEAPS = [(end - _1960).total_seconds() for end in _ENDS]
_DAYS = (WEEKDAYS[-1], *WEEKDAYS[:-1])
"""The names of weekdays, from Sunday."""


def shows(form: str, kind_of_file: str) -> Shows:
    """Return what a format shows. `kind_of_file` is one of `SPSS`, `STATA` and `SAS`.

    >>> shows("%tm", STATA), shows("DATETIME20", SPSS), shows("DDMMYYP10.", SAS), shows("%9.0g", STATA)
    (<Shows.MONTH: 'month'>, <Shows.MOMENT: 'day and time'>, <Shows.DAY: 'day'>, <Shows.NUMBER: 'number'>)
    """
    if kind_of_file == STATA:
        found = re.match(r"%-?(?:t(?P<unit>[dcCwmqhy])|(?P<old>d))", form)
        return Shows.NUMBER if found is None else _STATA[found["unit"] or "d"]
    name = re.sub(r"\d*(?:\.\d*)?$", "", form.upper())
    if kind_of_file == SPSS:
        return _OF_SPSS.get(name, Shows.NUMBER)
    separated = _SEPARATED.match(name)
    return _OF_SAS.get(separated[1] if separated else name, Shows.NUMBER)


def writer(form: str, kind_of_file: str) -> Callable[[float, Declared], str] | None:
    """Return the function that writes a number with this format as text, or None for plain numbers.

    A number that no date has, such as the year 30000, is written as "".

    >>> months, day = writer("%tm", STATA), Declared(Kind.DATE)
    >>> months(735, day), months(735, Declared(Kind.CATEGORY, ("2021m4",)))
    ('2021-04-01', '2021m4')
    """
    what = shows(form, kind_of_file)
    if what is Shows.NUMBER:
        return None
    counts_leaps = form.replace("-", "").startswith("%tC")

    def write(number: float, column: Declared) -> str:
        try:
            return _written(number, what, kind_of_file, column, counts_leaps=counts_leaps)
        except (OverflowError, ValueError):
            return ""

    return write


def _written(number: float, what: Shows, source: str, column: Declared, *, counts_leaps: bool) -> str:
    if not math.isfinite(number):
        return ""
    whole = math.floor(number)
    match what:
        case Shows.TIME:
            seconds = abs(whole)
            return f"{'-' * (whole < 0)}{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"
        case Shows.WEEKDAY_NUMBER | Shows.MONTH_NUMBER:
            names = _DAYS if what is Shows.WEEKDAY_NUMBER else MONTHS
            return _name(whole, names, column) if 1 <= whole <= len(names) else str(whole)
        case Shows.MOMENT | Shows.DAY:
            moment = _moment(number, what, source, counts_leaps=counts_leaps)
            return moment.date().isoformat() if what is Shows.DAY else moment.isoformat(" ", "seconds")
        case Shows.YEAR:
            return f"{dt.date(whole, 1, 1)}" if column.kind is Kind.DATE else str(whole)
        case Shows.WEEK | Shows.MONTH | Shows.QUARTER | Shows.HALF:
            return _period(whole, what, column)
    return _part(_moment(number, Shows.DAY, source, counts_leaps=False).date(), what, column)


def _moment(number: float, what: Shows, source: str, *, counts_leaps: bool) -> dt.datetime:
    if source == SPSS:
        return _1582 + dt.timedelta(seconds=math.floor(number))
    if what is Shows.DAY:
        return _1960 + dt.timedelta(days=math.floor(number))
    seconds = number / 1000 if source == STATA else number
    if counts_leaps:
        seconds -= sum(1 for place, end in enumerate(_LEAPS) if seconds >= end + place + 1)
    return _1960 + dt.timedelta(seconds=math.floor(seconds))


_PERIODS = {Shows.WEEK: (52, "w"), Shows.MONTH: (12, "m"), Shows.QUARTER: (4, "q"), Shows.HALF: (2, "h")}
"""The number of periods in a year, and the letter with which Stata writes them."""


def _period(number: int, what: Shows, column: Declared) -> str:
    """Return the first day of a period for a column of dates, and otherwise Stata's text, such as 2021m4.

    Stata's week 1 begins on 1 January, and week 52 has eight or nine days.
    """
    count, letter = _PERIODS[what]
    year, place = 1960 + number // count, number % count
    first = dt.date(year, 1, 1) + dt.timedelta(days=7 * place)
    if what is not Shows.WEEK:
        first = dt.date(year, 1 + place * 12 // count, 1)
    return first.isoformat() if column.kind is Kind.DATE else f"{year}{letter}{place + 1}"


def _part(day: dt.date, what: Shows, column: Declared) -> str:
    """Return a part of a day, or the whole day for a column of dates."""
    if column.kind is Kind.DATE:
        return day.isoformat()
    match what:
        case Shows.MONTH_OF_DAY:
            return _name(day.month, MONTHS, column)
        case Shows.WEEKDAY_OF_DAY:
            return _name(day.isoweekday() % 7 + 1, _DAYS, column)
        case Shows.QUARTER_OF_DAY:
            return str((day.month + 2) // 3)
        case Shows.DAY_OF_DAY:
            return str(day.day)
    return str(day.year)


def _name(number: int, names: Sequence[str], column: Declared) -> str:
    """Return a number, or its name, in full or in three letters, if the column declares it as a value."""
    declared = {plain(value).lower() for value in column.values}
    name = names[number - 1]
    return next((form for form in (name, name[:3]) if form.lower() in declared), str(number))

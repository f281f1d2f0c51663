"""Read dates as people write them: with numbers in the declared order, or with the month's name."""

from __future__ import annotations

import datetime as dt
import re
import unicodedata
from collections.abc import Iterator
from contextlib import suppress

from synth.core.schema import EPOCH, DateOrder, FileFormat

_MONTHS = (
    "january januar janvier enero gennaio janeiro januari j\u00e4nner",
    "february februar f\u00e9vrier febrero febbraio fevereiro februari feber",
    "march m\u00e4rz mars marzo mar\u00e7o maart marts maerz mrz mrt",
    "april avril abril aprile",
    "may mai mayo maggio maio mei maj",
    "june juni juin junio giugno junho",
    "july juli juillet julio luglio julho",
    "august ao\u00fbt agosto augustus augusti",
    "september septembre septiembre setiembre settembre setembro",
    "october oktober octobre octubre ottobre outubro",
    "november novembre noviembre novembro",
    "december dezember d\u00e9cembre diciembre dicembre dezembro desember",
)
"""Names of the months in English, German, French, Spanish, Italian, Portuguese, Dutch, Danish, Norwegian and
Swedish."""
SHORTEST = 3
"""Letters of the shortest abbreviation of a month."""
LONGEST = 60
"""Longer texts are not dates."""


def _names() -> Iterator[tuple[str, int]]:
    for month, names in enumerate(_MONTHS, start=1):
        for name in names.split():
            letters = unicodedata.normalize("NFD", name)
            bare = "".join(letter for letter in letters if not unicodedata.combining(letter))
            for whole in {name, bare}:
                yield from ((whole[:end], month) for end in range(SHORTEST, len(whole) + 1))


_MONTHS_OF: dict[str, set[int]] = {}
for _name, _month in _names():
    _MONTHS_OF.setdefault(_name, set()).add(_month)
MONTH = {name: months.pop() for name, months in _MONTHS_OF.items() if len(months) == 1}
"""The month of each name, and of each abbreviation that only one month has."""

_REST = r"(?:[ T,].*|Z|[+-][0-9]{2}:?[0-9]{2})?"
"""A time of day, or a time zone. The day is the one that is written."""
_YEAR = r"(?P<year>[0-9]{4}|'?[0-9]{2})(?![0-9])"
_NUMBER = r"(?P<day>[0-9]{1,2})(?:st|nd|rd|th|er|[.\u00ba\u00aa])?"
_NAME, _OF = r"(?P<name>[^\W\d_]{3,12})\.?", r"(?:de |del |di )?"
_YEAR_FIRST = (
    rf"(?P<year>[0-9]{{4}})(?P<mark>[-/.])(?P<month>[0-9]{{1,2}})(?P=mark)(?P<day>[0-9]{{1,2}}){_REST}",
    rf"(?P<year>[0-9]{{4}})(?P<month>[0-9]{{2}})(?P<day>[0-9]{{2}}){_REST}",
)
_NAMED = (
    rf"{_NUMBER}[ ./-]?{_OF}{_NAME}[ ,./-]*{_OF}{_YEAR}{_REST}",
    rf"{_NAME}[ ./-]?{_NUMBER},?[ ./-]{_YEAR}{_REST}",
    rf"(?P<year>[0-9]{{4}})[ ./-]?{_NAME}[ ./-]?{_NUMBER}{_REST}",
)
_NUMBERS = r"(?P<{}>[0-9]{{1,2}})(?P<mark>\. ?|[/-])(?P<{}>[0-9]{{1,2}})(?P=mark)"
_YEAR_LAST = {
    DateOrder.YEAR_FIRST: (),
    DateOrder.DAY_FIRST: (_NUMBERS.format("day", "month") + _YEAR + _REST,),
    DateOrder.MONTH_FIRST: (_NUMBERS.format("month", "day") + _YEAR + _REST,),
}
_WEEKDAY = r"(?:[^\W\d_]+, )?"
_FORMS = {
    order: tuple(map(re.compile, (*_YEAR_FIRST, *(_WEEKDAY + form for form in _NAMED), *forms)))
    for order, forms in _YEAR_LAST.items()
}


def day_of(text: str, form: FileFormat) -> int | None:
    """Return the date of a text in the form of `plain` in days since 1970-01-01; None if it is not one.

    In this order: the year first (1999-04-03, 1999/4/3, 19990403); with the month's name (3 Apr 1999); all in
    numbers with the year last, only if `date_order` states the order. Years of two digits are in the hundred
    years from `two_digit_years` on. A time of day may follow, and a time zone changes nothing.

    >>> [day_of(t, FileFormat()) for t in ("1970-01-02", "2. Jan. 1970 10:00", "Jan 2, 70", "2/1/1970")]
    [1, 1, 1, None]
    """
    if len(text) == len("1999-04-03") and text[4] == text[7] == "-":
        with suppress(ValueError):
            return (dt.date.fromisoformat(text) - EPOCH).days
    forms = _FORMS[form.date_order] if len(text) <= LONGEST else ()
    found = next(filter(None, (pattern.fullmatch(text) for pattern in forms)), None)
    if found is None:
        return None
    parts = found.groupdict()
    month = parts.get("month") or MONTH.get(parts.get("name", "").lower(), 0)
    year = int(parts["year"].removeprefix("'"))
    if len(parts["year"]) != len("1999"):
        year = form.two_digit_years + (year - form.two_digit_years) % 100
    try:
        return (dt.date(year, int(month), int(parts["day"])) - EPOCH).days
    except ValueError:
        return None

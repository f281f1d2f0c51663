"""Read dates as people write them: as numbers in the declared order, or with the name of the month."""

from __future__ import annotations

import datetime as dt
import re
import unicodedata
from collections.abc import Iterator
from contextlib import suppress

from synth.core.cells.words import narrow
from synth.core.schema import EPOCH, DateOrder, FileFormat

_MONTHS = (
    (
        "january januar janvier enero gennaio janeiro januari j\u00e4nner stycze\u0144 stycznia "
        "leden ledna janu\u00e1r janu\u00e1ra ianuarie ocak \u044f\u043d\u0432\u0430\u0440\u044c "
        "\u044f\u043d\u0432\u0430\u0440\u044f "
        "\u03b9\u03b1\u03bd\u03bf\u03c5\u03ac\u03c1\u03b9\u03bf\u03c2 "
        "\u03b9\u03b1\u03bd\u03bf\u03c5\u03b1\u03c1\u03af\u03bf\u03c5"
    ),
    (
        "february februar f\u00e9vrier febrero febbraio fevereiro februari feber luty lutego "
        "\u00fanor \u00fanora febru\u00e1r febru\u00e1ra februarie \u015fubat "
        "\u0444\u0435\u0432\u0440\u0430\u043b\u044c \u0444\u0435\u0432\u0440\u0430\u043b\u044f "
        "\u03c6\u03b5\u03b2\u03c1\u03bf\u03c5\u03ac\u03c1\u03b9\u03bf\u03c2 "
        "\u03c6\u03b5\u03b2\u03c1\u03bf\u03c5\u03b1\u03c1\u03af\u03bf\u03c5"
    ),
    (
        "march m\u00e4rz mars marzo mar\u00e7o maart marts maerz mrz mrt marzec marca b\u0159ezen "
        "b\u0159ezna marec m\u00e1rcius martie mart \u043c\u0430\u0440\u0442 "
        "\u043c\u0430\u0440\u0442\u0430 \u03bc\u03ac\u03c1\u03c4\u03b9\u03bf\u03c2 "
        "\u03bc\u03b1\u03c1\u03c4\u03af\u03bf\u03c5"
    ),
    (
        "april avril abril aprile kwiecie\u0144 kwietnia duben dubna apr\u00edl apr\u00edla "
        "\u00e1prilis aprilie nisan \u0430\u043f\u0440\u0435\u043b\u044c "
        "\u0430\u043f\u0440\u0435\u043b\u044f \u03b1\u03c0\u03c1\u03af\u03bb\u03b9\u03bf\u03c2 "
        "\u03b1\u03c0\u03c1\u03b9\u03bb\u03af\u03bf\u03c5"
    ),
    (
        "may mai mayo maggio maio mei maj maja kv\u011bten kv\u011btna m\u00e1j m\u00e1ja "
        "m\u00e1jus may\u0131s \u043c\u0430\u0439 \u043c\u0430\u044f \u03bc\u03ac\u03b9\u03bf\u03c2 "
        "\u03bc\u03b1\u0390\u03bf\u03c5"
    ),
    (
        "june juni juin junio giugno junho czerwiec czerwca \u010derven \u010dervna j\u00fan "
        "j\u00fana j\u00fanius iunie haziran \u0438\u044e\u043d\u044c \u0438\u044e\u043d\u044f "
        "\u03b9\u03bf\u03cd\u03bd\u03b9\u03bf\u03c2 \u03b9\u03bf\u03c5\u03bd\u03af\u03bf\u03c5"
    ),
    (
        "july juli juillet julio luglio julho lipiec lipca \u010dervenec \u010dervence j\u00fal "
        "j\u00fala j\u00falius iulie temmuz \u0438\u044e\u043b\u044c \u0438\u044e\u043b\u044f "
        "\u03b9\u03bf\u03cd\u03bb\u03b9\u03bf\u03c2 \u03b9\u03bf\u03c5\u03bb\u03af\u03bf\u03c5"
    ),
    (
        "august ao\u00fbt agosto augustus augusti sierpie\u0144 sierpnia srpen srpna augusta "
        "augusztus a\u011fustos \u0430\u0432\u0433\u0443\u0441\u0442 "
        "\u0430\u0432\u0433\u0443\u0441\u0442\u0430 "
        "\u03b1\u03cd\u03b3\u03bf\u03c5\u03c3\u03c4\u03bf\u03c2 "
        "\u03b1\u03c5\u03b3\u03bf\u03cd\u03c3\u03c4\u03bf\u03c5"
    ),
    (
        "september septembre septiembre setiembre settembre setembro wrzesie\u0144 wrze\u015bnia "
        "z\u00e1\u0159\u00ed septembra szeptember septembrie eyl\u00fcl "
        "\u0441\u0435\u043d\u0442\u044f\u0431\u0440\u044c "
        "\u0441\u0435\u043d\u0442\u044f\u0431\u0440\u044f "
        "\u03c3\u03b5\u03c0\u03c4\u03ad\u03bc\u03b2\u03c1\u03b9\u03bf\u03c2 "
        "\u03c3\u03b5\u03c0\u03c4\u03b5\u03bc\u03b2\u03c1\u03af\u03bf\u03c5"
    ),
    (
        "october oktober octobre octubre ottobre outubro pa\u017adziernik pa\u017adziernika "
        "\u0159\u00edjen \u0159\u00edjna okt\u00f3ber okt\u00f3bra octombrie ekim "
        "\u043e\u043a\u0442\u044f\u0431\u0440\u044c \u043e\u043a\u0442\u044f\u0431\u0440\u044f "
        "\u03bf\u03ba\u03c4\u03ce\u03b2\u03c1\u03b9\u03bf\u03c2 "
        "\u03bf\u03ba\u03c4\u03c9\u03b2\u03c1\u03af\u03bf\u03c5"
    ),
    (
        "november novembre noviembre novembro listopad listopada listopadu novembra noiembrie "
        "kas\u0131m \u043d\u043e\u044f\u0431\u0440\u044c \u043d\u043e\u044f\u0431\u0440\u044f "
        "\u03bd\u03bf\u03ad\u03bc\u03b2\u03c1\u03b9\u03bf\u03c2 "
        "\u03bd\u03bf\u03b5\u03bc\u03b2\u03c1\u03af\u03bf\u03c5"
    ),
    (
        "december dezember d\u00e9cembre diciembre dicembre dezembro desember grudzie\u0144 grudnia "
        "prosinec prosince decembra decembrie aral\u0131k "
        "\u0434\u0435\u043a\u0430\u0431\u0440\u044c \u0434\u0435\u043a\u0430\u0431\u0440\u044f "
        "\u03b4\u03b5\u03ba\u03ad\u03bc\u03b2\u03c1\u03b9\u03bf\u03c2 "
        "\u03b4\u03b5\u03ba\u03b5\u03bc\u03b2\u03c1\u03af\u03bf\u03c5"
    ),
)
"""Names of the months in English, German, French, Spanish, Italian, Portuguese, Dutch, Danish, Norwegian,
Swedish, Polish, Czech, Slovak, Hungarian, Romanian, Turkish, Russian and Greek."""
_WEEKDAYS = (
    "monday tuesday wednesday thursday friday saturday sunday montag dienstag mittwoch donnerstag freitag "
    "samstag sonnabend sonntag lundi mardi mercredi jeudi vendredi samedi dimanche lunes martes jueves "
    "viernes mi\u00e9rcoles s\u00e1bado domingo maandag dinsdag woensdag donderdag vrijdag zaterdag zondag"
)
"""Names of weekdays that may precede a date without a comma."""
SHORTEST = 3
"""Minimum number of letters in an abbreviation of a month."""
LONGEST = 60
"""Maximum number of characters in a date."""


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
"""The month for each name of a month, and for each abbreviation that is unique to one month."""

MONTHS = tuple(names.split()[0].capitalize() for names in _MONTHS)
WEEKDAYS = tuple(name.capitalize() for name in _WEEKDAYS.split()[:7])
"""The English names of months and weekdays, from Monday."""

_REST = r"(?:[ T,].*|Z|[+-][0-9]{2}:?[0-9]{2})?"
"""Pattern of a time of day or a time zone. Neither changes the day."""
_YEAR = r"(?P<year>[0-9]{4}|'?[0-9]{2})(?![0-9])"
_NUMBER = r"(?P<day>[0-9]{1,2})(?:st|nd|rd|th|er|[.\u00ba\u00aa])?"
_NAME, _OF = r"(?P<name>[^\W\d_]{3,12})\.?", r"(?:de |del |di )?"
_YEAR_FIRST = (
    r"(?P<year>[0-9]{4})(?P<mark>[-/]|\. ?)(?P<month>[0-9]{1,2})(?P=mark)(?P<day>[0-9]{1,2})\.?" + _REST,
    rf"(?P<year>[0-9]{{4}})(?P<month>[0-9]{{2}})(?P<day>[0-9]{{2}}){_REST}",
    "(?P<year>[0-9]{4})[\u5e74\ub144] ?(?P<month>[0-9]{1,2})[\u6708\uc6d4] ?(?P<day>[0-9]{1,2})[\u65e5\uc77c]"
    + _REST,
)
_NAMED = (
    rf"{_NUMBER}[ ./-]?{_OF}{_NAME}[ ,./-]*{_OF}{_YEAR}{_REST}",
    rf"{_NAME}[ ./-]?{_NUMBER},?[ ./-]{_YEAR}{_REST}",
    rf"(?P<year>[0-9]{{4}})[ ./-]{{0,2}}{_NAME}[ ./-]?{_NUMBER}{_REST}",
)
_NUMBERS = r"(?P<{}>[0-9]{{1,2}})(?P<mark>\. ?|[/-])(?P<{}>[0-9]{{1,2}})(?P=mark)"
_YEAR_LAST = {
    DateOrder.YEAR_FIRST: (),
    DateOrder.SERIAL: (),
    DateOrder.DAY_FIRST: (_NUMBERS.format("day", "month") + _YEAR + _REST,),
    DateOrder.MONTH_FIRST: (_NUMBERS.format("month", "day") + _YEAR + _REST,),
}
_SERIAL = re.compile(r"(?P<day>[1-9][0-9]{4})(?:[.,][0-9]+)?")
EXCEL_1970 = 25_569
"""Excel's number of 1970-01-01."""
_WEEKDAY = rf"(?:[^\W\d_]+, |(?i:{'|'.join(_WEEKDAYS.split())}) )?"
_FORMS = {
    order: tuple(map(re.compile, (*_YEAR_FIRST, *(_WEEKDAY + form for form in _NAMED), *forms)))
    for order, forms in _YEAR_LAST.items()
}


def day_of(text: str, form: FileFormat) -> int | None:
    """Return a date in days since 1970-01-01, or None if the text is not a date.

    `text` is in the form of `plain`. These formats are tried in order: year first (1999-04-03, 1999/4/3,
    19990403); with the name of the month (3 Apr 1999); numbers with the year last, if `date_order` declares
    their order; Excel's day numbers of five digits, if `date_order` declares them. Two-digit years are in the
    hundred years that start with `two_digit_years`. A time of day and a time zone may follow and are ignored.

    >>> [day_of(t, FileFormat()) for t in ("1970-01-02", "2. Jan. 1970 10:00", "Jan 2, 70", "2/1/1970")]
    [1, 1, 1, None]
    """
    if len(text) == len("1999-04-03") and text[4] == text[7] == "-":
        with suppress(ValueError):
            return (dt.date.fromisoformat(text) - EPOCH).days
    if form.date_order is DateOrder.SERIAL and (serial := _SERIAL.fullmatch(text)):
        return int(serial["day"]) - EXCEL_1970
    forms, text = _FORMS[form.date_order] if len(text) <= LONGEST else (), narrow(text)
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

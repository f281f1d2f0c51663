"""Write the value of a workbook cell as text, from the value, its number format and the declared column.

Excel stores 12.5% as 0.125, times and dates as days, and codes such as 0012 as 12 with the format `0000`. A
cell is written as the CSV file of the same sheet would show it, but with all decimal places. No other cell
has an effect.
"""

from __future__ import annotations

import datetime as dt
import math
import re
from collections.abc import Collection
from dataclasses import dataclass
from decimal import Decimal
from functools import cache

from synth.core.cells import units
from synth.core.cells.days import MONTHS, WEEKDAYS
from synth.core.cells.words import plain
from synth.core.schema import Kind

Cell = str | bool | int | float | dt.datetime | dt.date | dt.time | dt.timedelta
FIRST_SERIAL, LAST_SERIAL = 10_000, 99_999
"""Numbers that are read as Excel's day numbers in a column of dates, from 1927 to 2173. Shorter numbers may
be years, and longer ones may be dates such as 20240131.
"""
_DAY_0 = {False: dt.datetime(1899, 12, 30), True: dt.datetime(1904, 1, 1)}
"""The day 0 of workbooks, by whether they use the date system of 1904."""
_TOKEN = re.compile(
    r"""(?P<text>"[^"]*"|\\.|_.|\*.)|(?P<money>\[\$[^\]-]*(?:-[^\]]*)?\])|(?P<span>\[(?:h+|m+|s+)\])"""
    r"""|\[[^\]]*\]|(?P<part>[yY]+|[mM]+|[dD]+|[hH]+|[sS]+(?:\.0+)?|AM/PM|A/P|am/pm)|(?P<other>.)""",
    re.S,
)


@dataclass(frozen=True)
class Declared:
    """The declarations that decide how a cell is written: kind and values of its column."""

    kind: Kind = Kind.CATEGORY
    values: Collection[str] = ()


def shown(cell: Cell, form: str, column: Declared, *, sign: str = ".", is_1904: bool = False) -> str:
    """Return the text of a cell. `form` is its number format, and `sign` the decimal sign of its column.

    >>> text = lambda cell, form, kind=Kind.INTEGER: shown(cell, form, Declared(kind))
    >>> text(0.125, "0.0%"), text(12, "0000"), text(12, '"$"#,##0.00'), text(45371, "General", Kind.DATE)
    ('12.5%', '0012', '$12', '2024-03-20')
    """
    if isinstance(cell, bool):
        return str(cell).lower()
    if isinstance(cell, dt.datetime | dt.date | dt.time | dt.timedelta):
        return _moment(cell, form, column)
    if not isinstance(cell, int | float):
        return cell
    if column.kind is Kind.DATE:
        if float(cell).is_integer() and FIRST_SERIAL <= cell <= LAST_SERIAL:
            return (_DAY_0[is_1904] + dt.timedelta(days=int(cell))).date().isoformat()
        return _number(cell, sign)
    return _styled(cell, form, column, sign)


def _number(number: float, sign: str) -> str:
    if isinstance(number, int) or not math.isfinite(number):
        return str(number)
    return str(int(number)) if number.is_integer() else str(number).replace(".", sign)


def _styled(number: float, form: str, column: Declared, sign: str) -> str:
    """Return a number with its per cent sign, its currency, or its leading zeros.

    Other words of the format, such as "kg", are written if the column declares the whole text as a value.
    """
    style, text = _style(form), _number(number, sign)
    if style.is_per_cent:
        moved = Decimal(repr(number)).scaleb(2)
        return f"{_number(float(moved), sign)}%"
    if style.zeros and float(number).is_integer() and number >= 0:
        text = _padded(int(number), style.zeros)
    if column.kind.has_values and (style.before or style.after):
        whole = f"{style.before}{text}{style.after}"
        if _is_declared(whole, column):
            return whole
    currency = style.currency
    return f"{currency}{' ' * currency.isalpha()}{text}" if currency and column.kind.has_range else text


@dataclass(frozen=True)
class _Style:
    """The meaning of a number format: the words before and after the number, and its placeholders."""

    before: str
    after: str
    currency: str
    zeros: str
    is_per_cent: bool


@cache
def _style(form: str) -> _Style:
    before, after, digits, currency, is_per_cent = "", "", "", "", False
    for found in _TOKEN.finditer(_section(form)):
        text, money, other = found["text"], found["money"], found["other"]
        words = ""
        if text and text[0] in '"\\':
            words = text.strip('"') if text[0] == '"' else text[1:]
        elif money:
            words = money[2:-1].split("-")[0]
        elif other and other in "0#?.,/":
            digits += other
        elif other == "%":
            is_per_cent = True
        elif other and other not in "()-+@":
            words = other
        if words:
            is_currency = units.is_currency(words.strip())
            currency = currency or (words.strip() if is_currency else "")
            before, after = (before, after + words) if digits else (before + words, after)
        elif other and other in "()-+" and digits and not after:
            digits += other
    is_code = re.fullmatch(r"0{2,}|0+(?:[-+()]0+)+", digits.rstrip("-+()")) is not None
    if "%" in before + after and not is_per_cent:
        currency = "%"
    return _Style(before, after, currency, digits.rstrip("-+()") if is_code else "", is_per_cent)


def _section(form: str) -> str:
    """Return the part of a format for positive numbers."""
    quoted = re.match(r'(?:"[^"]*"|\\.|\[[^\]]*\]|[^;"\\\[])*', form)
    return quoted[0] if quoted else form


def _padded(number: int, zeros: str) -> str:
    """Return a number with the zeros and signs of a format such as 000-00-0000."""
    digits = list(str(number).zfill(zeros.count("0")))
    tail = [digits.pop() if mark == "0" else mark for mark in reversed(zeros)]
    return "".join(digits) + "".join(reversed(tail))


def _is_declared(text: str, column: Declared) -> bool:
    return plain(text) in {plain(value) for value in column.values}


def _moment(cell: dt.datetime | dt.date | dt.time | dt.timedelta, form: str, column: Declared) -> str:
    """Return a date, a time or a duration.

    A column of dates gets the date. In others, a format of one part, such as `yyyy` or `mmmm`, decides;
    a text that the column declares as a value comes first.
    """
    if isinstance(cell, dt.timedelta):
        return _duration(cell)
    if isinstance(cell, dt.time):
        exact = cell.isoformat(timespec="seconds")
    elif isinstance(cell, dt.datetime):
        exact = cell.isoformat(sep=" ", timespec="seconds").removesuffix(" 00:00:00")
    else:
        exact = cell.isoformat()
    if column.kind is Kind.DATE:
        return exact
    written, parts = _by_parts(cell, _section(form))
    if column.kind.has_values and not _is_declared(exact, column) and _is_declared(written, column):
        return written
    return written if len(parts) == 1 and parts[0][0].lower() in "ymd" else exact


def _duration(cell: dt.timedelta) -> str:
    seconds = round(cell.total_seconds())
    minutes, rest = divmod(abs(seconds), 60)
    return f"{'-' if seconds < 0 else ''}{minutes // 60}:{minutes % 60:02}:{rest:02}"


def _by_parts(cell: dt.datetime | dt.date | dt.time, form: str) -> tuple[str, list[str]]:
    """Return a date or time as its format shows it in English, and the parts of the format."""
    tokens = list(_TOKEN.finditer(form))
    parts = [found["part"] for found in tokens if found["part"]]
    half_day = any(part.upper() in ("AM/PM", "A/P") for part in parts)
    written, before = "", ""
    for place, found in enumerate(tokens):
        part, text = found["part"], found["text"]
        if part:
            follows = next((later["part"] for later in tokens[place + 1 :] if later["part"]), "")
            is_minute = part[0] in "mM" and (before[:1] in ("h", "H") or follows[:1] in ("s", "S"))
            written += _part(cell, part.lower(), is_minute=is_minute, half_day=half_day)
            before = part
        elif text and text[0] in '"\\':
            written += text.strip('"') if text[0] == '"' else text[1:]
        elif found["other"]:
            written += found["other"] if found["other"] not in ";@" else ""
    return written, parts


def _part(cell: dt.datetime | dt.date | dt.time, part: str, *, is_minute: bool, half_day: bool) -> str:
    size = len(part)
    if isinstance(cell, dt.time | dt.datetime):
        if part[0] == "h":
            hour = (cell.hour % 12 or 12) if half_day else cell.hour
            return f"{hour:0{min(size, 2)}}"
        if is_minute:
            return f"{cell.minute:0{min(size, 2)}}"
        if part[0] == "s":
            return f"{cell.second:0{min(size, 2)}}"
        if part[0] == "a":
            return "AM" if cell.hour < 12 else "PM"
    if isinstance(cell, dt.time):
        return ""
    if part[0] == "y":
        return f"{cell.year:04}" if size > 2 else f"{cell.year % 100:02}"
    number, names = (cell.month, MONTHS) if part[0] == "m" else (cell.day, WEEKDAYS)
    if size <= 2:
        return f"{number:0{size}}"
    name = names[number - 1 if names is MONTHS else cell.weekday()]
    return name[:1] if size == 5 else name[:3] if size == 3 else name

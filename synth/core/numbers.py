"""Format numbers consistently for people, on pages and in logs, documents and charts.

Thousands are separated by commas, except in years. Numbers are written without an exponent. A pair of columns
is written as `a × b`. Input fields, and files for programs, use plain numbers.
"""

from __future__ import annotations

import math
from decimal import Decimal


def number_of(some: int, noun: str) -> str:
    """Return a count with its noun, such as "1 rule".

    >>> number_of(1, "rule"), number_of(1200, "row")
    ('1 rule', '1,200 rows')
    """
    return f"{some:,} {noun}" if some == 1 else f"{some:,} {noun}s"


TIMES = " \N{MULTIPLICATION SIGN} "
"""The separator between the columns of a table in display names."""
_YEARS = (1000, 2999)
_MORE_DIGITS = 5


def per_cent(share: float, decimals: int = 0) -> str:
    """Return a share as a percentage, with this number of decimal places.

    >>> per_cent(0.22), per_cent(0.0031, 1), per_cent(12.5)
    ('22%', '0.3%', '1,250%')
    """
    return f"{100 * share:,.{decimals}f}%"


def are_years(low: float, high: float) -> bool:
    """Whether the integers in this range are probably years: four digits, and below 3000.

    >>> are_years(1940, 2023), are_years(0, 2000), are_years(1000, 20000)
    (True, False, False)
    """
    return _YEARS[0] <= low <= high <= _YEARS[1]


def interval(low: float, high: float) -> str:
    """Return the ends of a bin of decimals as text, rounded to a thousandth of its width.

    If the ends are exact with a few more digits, these digits are shown. If both ends are equal, the result
    is a single number.

    >>> interval(100 / 3, 200 / 3), interval(96875.0, 1e5), interval(0.0, 0.5), interval(1.00001, 1.00002)
    ('33.33 to 66.67', '96,875 to 100,000', '0 to 0.5', '1.00001 to 1.00002')
    >>> interval(0.0, 15.625), interval(37.09375, 37.375)
    ('0 to 15.625', '37.09375 to 37.375')
    """
    largest = max(abs(low), abs(high)) or 1.0
    decimals = 12 - math.floor(math.log10(largest))
    if high > low:
        decimals = min(decimals, 3 - math.floor(math.log10(high - low)))
    decimals = max(decimals, 0)
    finer = range(decimals, decimals + _MORE_DIGITS)
    decimals = next((d for d in finer if round(low, d) == low and round(high, d) == high), decimals)
    return " to ".join(dict.fromkeys(_trimmed(f"{end:,.{decimals}f}") for end in (low, high)))


def places(decimals: int) -> str:
    """Return a number of decimal places in words.

    >>> places(0), places(1), places(2)
    ('no decimals', '1 decimal', '2 decimals')
    """
    return number_of(decimals, "decimal") if decimals else "no decimals"


def to_places(number: object, decimals: int | None, *, parted: bool = False) -> str:
    """Return an end of a range, with trailing zeros if this number of decimal places is exact.

    >>> to_places(250000.0, 2, parted=True), to_places(34.0, None), to_places(0.125, 2), to_places(7, None)
    ('250,000.00', '34.0', '0.125', '7')
    """
    sign = "," if parted else ""
    if isinstance(number, float) and decimals is not None and round(number, decimals) == number:
        return f"{number:{sign}.{decimals}f}"
    return f"{number:{sign}}"


def about(number: float, *, digits: int = 3) -> str:
    """Return a number rounded to this number of significant digits.

    >>> about(3124.2), about(0.30000000000000004), about(1e-7), about(-2.0), about(99.96)
    ('3,120', '0.3', '0.0000001', '-2', '100')
    """
    if not number or not math.isfinite(number):
        return f"{number:g}"
    decimals = digits - 1 - math.floor(math.log10(abs(number)))
    return _trimmed(f"{round(number, decimals):,.{max(decimals, 0)}f}")


def exactly(number: float) -> str:
    """Return a number with all digits, as it was typed.

    >>> exactly(1.0), exactly(1e-7), exactly(26000), exactly(0.25), exactly(1e22)
    ('1', '0.0000001', '26000', '0.25', '10000000000000000000000')
    """
    if isinstance(number, int) or not math.isfinite(number):
        return str(number)
    return _trimmed(f"{Decimal(repr(number)):f}")


def _trimmed(text: str) -> str:
    """Remove trailing zeros."""
    return text.rstrip("0").rstrip(".") if "." in text else text


def share_at_most(share: float) -> str:
    """Return an upper limit on a share as a percentage, rounded up to one decimal place.

    >>> share_at_most(0.0312), share_at_most(0.031), share_at_most(0.0004)
    ('3.2%', '3.1%', '0.1%')
    """
    return per_cent(math.ceil(1000 * share - 1e-9) / 1000, 1)

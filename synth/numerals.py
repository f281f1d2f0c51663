"""Numbers as people write them: counts with their noun, and none with an exponent."""

from __future__ import annotations

import math
from decimal import Decimal


def number_of(some: int, noun: str) -> str:
    """How many of something there are.

    >>> number_of(1, "rule"), number_of(1200, "row")
    ('1 rule', '1,200 rows')
    """
    return f"{some:,} {noun}" if some == 1 else f"{some:,} {noun}s"


def places(decimals: int) -> str:
    """How many decimals numbers are written with.

    >>> places(0), places(1), places(2)
    ('no decimals', '1 decimal', '2 decimals')
    """
    return number_of(decimals, "decimal") if decimals else "no decimals"


def to_places(number: object, decimals: int | None, *, parted: bool = False) -> str:
    """An end of a range with the zeros it was typed with, where so many decimals tell all of it.

    >>> to_places(250000.0, 2, parted=True), to_places(34.0, None), to_places(0.125, 2), to_places(7, None)
    ('250,000.00', '34.0', '0.125', '7')
    """
    sign = "," if parted else ""
    if isinstance(number, float) and decimals is not None and round(number, decimals) == number:
        return f"{number:{sign}.{decimals}f}"
    return f"{number:{sign}}"


def about(number: float, *, digits: int = 3) -> str:
    """A number to so many digits.

    >>> about(3124.2), about(0.30000000000000004), about(1e-7), about(-2.0), about(99.96)
    ('3,120', '0.3', '0.0000001', '-2', '100')
    """
    if not number or not math.isfinite(number):
        return f"{number:g}"
    decimals = digits - 1 - math.floor(math.log10(abs(number)))
    text = f"{round(number, decimals):,.{max(decimals, 0)}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def exactly(number: float) -> str:
    """A number with all its digits and no more, for whatever somebody typed.

    >>> exactly(1.0), exactly(1e-7), exactly(26000), exactly(0.25), exactly(1e22)
    ('1', '0.0000001', '26000', '0.25', '10000000000000000000000')
    """
    if isinstance(number, int) or not math.isfinite(number):
        return str(number)
    text = f"{Decimal(repr(number)):f}"
    return text.rstrip("0").rstrip(".") if "." in text else text

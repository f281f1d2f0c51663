"""Read numbers as people write them: with thousands separators, currencies, units or brackets."""

from __future__ import annotations

import math
import re
from decimal import Decimal
from functools import cache

from synth.core.cells import units
from synth.core.cells.words import narrow
from synth.core.schema import Column, FileFormat, Kind, Provenance

LONGEST = 100
"""Maximum number of characters in a number, unless it consists only of digits, a decimal sign and an
exponent.
"""
_MARKS = " '_"
"""Signs that are used only as thousands separators."""
POINT = "\u066b"
"""The decimal sign with which files with types write the numbers of whole-number columns. Unlike a point or a
comma, it is never a thousands separator. In text files, it occurs in Arabic only.
"""


def number_of(text: str, form: FileFormat, column: Column) -> float:
    """Return the number in a string, or nan if it is not a number. `text` is in the form of `plain`.

    Spaces, apostrophes, underscores and the declared sign may separate groups of three digits. The unit of
    the column, a currency or per cent may precede or follow the number, but must fit the unit of the column
    (`units.fits`). Brackets make the number negative. `12%` is 12, except in a decimal column with a declared
    range within -1 and 1 that is not measured in per cent. There it is 0.12. In a column that is measured in
    days, hours, minutes or seconds, `1:30` is an hour and a half.

    In a whole-number column without a declared thousands sign, `1.234` could be 1 or 1234. It is no number.

    >>> column = Column(name="n", kind=Kind.DECIMAL, min=0, max=99, measured_in="EUR")
    >>> form = FileFormat(decimal_sign=",", thousands=".")
    >>> [number_of(t, form, column) for t in ("1.200,5", "(12 EUR)", "-\u20ac 1 200", "3 euros", "$3", "1.5")]
    [1200.5, -12.0, -1200.0, 3.0, nan, nan]
    """
    text = narrow(text) if len(text) <= LONGEST else ""
    found = _pattern(form.decimal_sign, form.thousands, column.measured_in).fullmatch(text)
    if found is None:
        return units.clock(text, column.measured_in)
    if found["sign"] and (found["inner"] or found["bracketed"]):
        return math.nan
    written = [unit.strip() for name in _BESIDE if (unit := found[name])]
    number = found["n"] or found["bracketed"]
    if not all(units.fits(unit, column.measured_in) for unit in written):
        return math.nan
    if may_be_grouped(number, form, column):
        return math.nan
    digits = number.translate({ord(mark): None for mark in _MARKS})
    digits = digits.replace(form.thousands, "") if form.thousands else digits
    digits = digits.replace(form.decimal_sign, ".").replace(POINT, ".")
    is_share = any(map(units.is_per_cent, written)) and _holds_shares(column)
    value = float(Decimal(digits).scaleb(-2)) if is_share else float(digits)
    return -value if "-" in (found["sign"], found["inner"]) or found["bracketed"] else value


def may_be_grouped(number: str, form: FileFormat, column: Column) -> bool:
    """Whether the decimal sign of a number could be a thousands sign that is not declared.

    >>> whole = Column(name="n", kind=Kind.INTEGER, min=0, max=9999)
    >>> [may_be_grouped(t, FileFormat(), whole) for t in ("1.234", "12.500", "0.234", "1.23", "1.234e3")]
    [True, True, False, False, False]
    """
    return has_grouped(form, column) and re.fullmatch(grouped(form.decimal_sign), number) is not None


def has_grouped(form: FileFormat, column: Column) -> bool:
    """Whether a column holds whole numbers and no thousands sign is declared."""
    return column.kind is Kind.INTEGER and not form.thousands


def grouped(sign: str) -> str:
    """Return the pattern of a number without other signs in which `sign` could separate thousands."""
    return rf"[+-]?[1-9][0-9]{{0,2}}[{sign}][0-9]{{3}}"


def _holds_shares(column: Column) -> bool:
    """Whether 12% is read as 0.12 in this column.

    An estimated range has no effect, because it was estimated from the numbers as they are written.
    """
    if column.kind is not Kind.DECIMAL or column.min is None or column.max is None:
        return False
    is_estimated = column.buy or column.provenance in (Provenance.ESTIMATED, Provenance.EARLIER)
    within = -1 <= float(column.min) <= float(column.max) <= 1
    return within and not is_estimated and not units.is_per_cent(column.measured_in)


_BESIDE = ("before", "after", "left", "right")
"""The groups of the pattern that match a unit: around the number with its brackets, or inside them."""


@cache
def _pattern(sign: str, thousands: str, unit: str) -> re.Pattern[str]:
    marks = [*_MARKS, *([re.escape(thousands)] if thousands else [])]
    parted = "|".join(rf"[0-9]{{1,3}}(?:{mark}[0-9]{{2,3}})*{mark}[0-9]{{3}}" for mark in marks)
    d = f"[{re.escape(sign)}{POINT}]"
    number = rf"(?:(?:{parted}|[0-9]+)(?:{d}[0-9]*)?|{d}[0-9]+)(?:[eE][+-]?[0-9]{{1,4}})?"
    own = rf"|(?i:{re.escape(unit.removesuffix('s'))}s?)" if unit else ""

    def beside(name: str, blank: str = "") -> str:
        return rf"(?P<{name}>(?:{units.patterns()}{own}){blank})?"

    bracketed = rf"\( ?{beside('left', ' ?')}(?P<bracketed>{number}) ?{beside('right')}\)"
    signed = rf"(?P<inner>[+-])? ?(?P<n>{number})"
    return re.compile(
        rf"(?P<sign>[+-])? ?{beside('before', ' ?')}(?:{signed}|{bracketed}) ?{beside('after')}"
    )

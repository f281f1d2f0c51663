"""Read numbers as people write them: with thousands separators, currency signs, units or brackets."""

from __future__ import annotations

import math
import re
from decimal import Decimal
from functools import cache

from synth.core.cells.words import narrow
from synth.core.schema import Column, FileFormat, Kind, Provenance

LONGEST = 100
"""Maximum number of characters in a number, unless it consists only of digits, a decimal sign and an
exponent.
"""
CURRENCIES = (
    "AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BRL BSD BTN BWP BYN BZD CAD "
    "CDF CHF CLP CNY COP CRC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GNF GTQ "
    "GYD HKD HNL HRK HTG HUF IDR ILS INR IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP "
    "LKR LRD LSL LYD MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB "
    "PEN PGK PHP PKR PLN PYG QAR RON RSD RUB RWF SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SYP SZL THB "
    "TJS TMT TND TOP TRY TTD TWD TZS UAH UGX USD UYU UZS VES VND VUV WST XAF XCD XOF XPF YER ZAR ZMW ZWL"
)
"""Currency codes of ISO 4217."""
_SYMBOL = (
    "[A-Z]{0,3}[$\u00a3-\u00a5\u058f\u060b\u09f3\u0e3f\u17db\u20a0-\u20c0\ufdfc\uff04\uffe1\uffe5\uffe6]"
)
"""Pattern of a currency sign, also as in US$. The cent sign is excluded, because 12 cents are not 12."""
_SHORT = (
    r"[Ee]uros?", r"[Kk]r\.?", "K\u010d", "z\u0142", "Ft", "lei", r"S?Fr\.?", r"Rs\.?",
    "\u0440\u0443\u0431\\.?", "\u5186", "\u5143", "\uc6d0",
)  # fmt: skip
"""Patterns of strings that people write before or after an amount instead of a currency code."""
_MARKS = " '_"
"""Signs that are used only as thousands separators."""
_PER_CENT = ("%", "percent", "per cent")


def number_of(text: str, form: FileFormat, column: Column) -> float:
    """Return the number in a string, or nan if it is not a number. `text` is in the form of `plain`.

    Spaces, apostrophes, underscores and the declared sign may separate groups of three digits. One currency
    sign, currency code, per cent sign or `measured_in` may precede or follow the number. Brackets make the
    number negative. `12%` is 12, except in a decimal column with a declared range within -1 and 1 that is not
    measured in per cent. There it is 0.12.

    >>> column = Column(name="n", kind=Kind.DECIMAL, min=0, max=99, measured_in="years")
    >>> form = FileFormat(decimal_sign=",", thousands=".")
    >>> [number_of(t, form, column) for t in ("1.200,5", "(12 EUR)", "-$ 1 200", "3 years", "1.5")]
    [1200.5, -12.0, -1200.0, 3.0, nan]
    """
    pattern = _pattern(form.decimal_sign, form.thousands, column.measured_in)
    found = pattern.fullmatch(narrow(text)) if len(text) <= LONGEST else None
    if found is None or (found["sign"] and (found["inner"] or found["bracketed"])):
        return math.nan
    digits = (found["n"] or found["bracketed"]).translate({ord(mark): None for mark in _MARKS})
    digits = digits.replace(form.thousands, "") if form.thousands else digits
    number = digits.replace(form.decimal_sign, ".")
    is_share = "%" in text and _holds_shares(column)
    value = float(Decimal(number).scaleb(-2)) if is_share else float(number)
    return -value if "-" in (found["sign"], found["inner"]) or found["bracketed"] else value


def _holds_shares(column: Column) -> bool:
    """Whether 12% is read as 0.12 in this column.

    An estimated range has no effect, because it was estimated from the numbers as they are written.
    """
    if column.kind is not Kind.DECIMAL or column.min is None or column.max is None:
        return False
    is_estimated = column.buy or column.provenance in (Provenance.ESTIMATED, Provenance.EARLIER)
    within = -1 <= float(column.min) <= float(column.max) <= 1
    return within and not is_estimated and column.measured_in.lower() not in _PER_CENT


@cache
def _pattern(sign: str, thousands: str, unit: str) -> re.Pattern[str]:
    marks = [*_MARKS, *([re.escape(thousands)] if thousands else [])]
    grouped = "|".join(rf"[0-9]{{1,3}}(?:{mark}[0-9]{{2,3}})*{mark}[0-9]{{3}}" for mark in marks)
    d = re.escape(sign)
    number = rf"(?:(?:{grouped}|[0-9]+)(?:{d}[0-9]*)?|{d}[0-9]+)(?:[eE][+-]?[0-9]{{1,4}})?"
    currency = "|".join([_SYMBOL, *CURRENCIES.split(), *_SHORT])
    units = rf"|(?i:{re.escape(unit.removesuffix('s'))}s?)" if unit else ""
    before, after = (rf"(?:(?:{currency}|%{more}){blank})?" for more, blank in (("", " ?"), (units, "")))
    bracketed = rf"\( ?{before}(?P<bracketed>{number}) ?{after}\)"
    signed = rf"(?P<inner>[+-])? ?(?P<n>{number})"
    return re.compile(rf"(?P<sign>[+-])? ?{before}(?:{signed}|{bracketed}) ?{after}")

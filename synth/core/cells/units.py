"""Compare the unit in a cell with the declared unit of its column: currencies, per cent, and times."""

from __future__ import annotations

import math
import re
from functools import cache

CODES = (
    "AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BRL BSD BTN BWP BYN BZD CAD "
    "CDF CHF CLP CNY COP CRC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GNF GTQ "
    "GYD HKD HNL HRK HTG HUF IDR ILS INR IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP "
    "LKR LRD LSL LYD MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB "
    "PEN PGK PHP PKR PLN PYG QAR RON RSD RUB RWF SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SYP SZL THB "
    "TJS TMT TND TOP TRY TTD TWD TZS UAH UGX USD UYU UZS VES VND VUV WST XAF XCD XOF XPF YER ZAR ZMW ZWL"
)
"""Currency codes of ISO 4217."""
_DOLLARS = (
    "USD ARS AUD BBD BMD BND BSD BZD CAD CLP COP CVE DOP FJD GYD HKD JMD KYD LRD MXN NAD NZD SBD SGD SRD TTD "
    "TWD UYU XCD"
)
MEANT = {
    "$": _DOLLARS, "us$": "USD", "a$": "AUD", "au$": "AUD", "c$": "CAD", "ca$": "CAD", "can$": "CAD",
    "nz$": "NZD", "s$": "SGD", "sg$": "SGD", "hk$": "HKD", "nt$": "TWD", "r$": "BRL", "mx$": "MXN",
    "\uff04": _DOLLARS, "dollar": _DOLLARS, "us dollar": "USD",
    "\u20ac": "EUR", "euro": "EUR",
    "\u00a3": "GBP EGP FKP GIP LBP SDG SHP SSP SYP", "\uffe1": "GBP", "pound sterling": "GBP",
    "\u00a5": "JPY CNY", "\uffe5": "JPY CNY", "yen": "JPY", "yuan": "CNY", "renminbi": "CNY", "rmb": "CNY",
    "\u5186": "JPY", "\u5143": "CNY TWD", "\uc6d0": "KRW", "\u20a9": "KRW", "\uffe6": "KRW", "won": "KRW",
    "kr": "DKK SEK NOK ISK", "kr.": "DKK SEK NOK ISK", "krone": "DKK NOK", "krona": "SEK ISK",
    "fr": "CHF", "fr.": "CHF", "sfr": "CHF", "sfr.": "CHF", "franken": "CHF", "swiss franc": "CHF",
    "k\u010d": "CZK", "koruna": "CZK", "z\u0142": "PLN", "zloty": "PLN", "z\u0142oty": "PLN",
    "ft": "HUF", "forint": "HUF", "lei": "RON MDL", "leu": "RON MDL",
    "rs": "INR PKR LKR NPR MUR SCR", "rs.": "INR PKR LKR NPR MUR SCR",
    "\u20b9": "INR", "\u20a8": "INR PKR LKR NPR MUR SCR", "rupee": "INR PKR LKR NPR MUR SCR",
    "\u0440\u0443\u0431": "RUB", "\u0440\u0443\u0431.": "RUB", "\u20bd": "RUB",
    "ruble": "RUB", "rouble": "RUB",
    "\u20aa": "ILS", "shekel": "ILS", "\u20ba": "TRY", "lira": "TRY", "\u20b4": "UAH", "hryvnia": "UAH",
    "\u20ab": "VND", "\u0e3f": "THB", "baht": "THB", "\u20b1": "PHP MXN", "\u20a6": "NGN", "\u20b5": "GHS",
    "\u20a1": "CRC", "\u20b2": "PYG", "\u20b8": "KZT", "\u20be": "GEL", "\u20bc": "AZN", "\u058f": "AMD",
    "\u20ae": "MNT", "\u20ad": "LAK", "\u17db": "KHR", "\u09f3": "BDT", "\u060b": "AFN", "\ufdfc": "IRR SAR",
}  # fmt: skip
"""The currencies that a sign or a word, in lower case and in the singular, can mean."""
DECLARED = {"$": "USD", "\u00a3": "GBP", "\u00a5": "JPY", "dollar": "USD", "rupee": "INR", "rs": "INR"}
"""The currency of a column whose unit is an ambiguous sign."""
PER_CENT = ("%", "percent", "per cent", "pct", "pct.", "prozent", "procent", "pour cent", "por ciento")
_SHARES = ("share", "proportion", "fraction", "ratio", "probability", "rate")
"""Units of numbers from 0 to 1 that are also written as per cent."""
_LETTERS = re.compile(
    r"[A-Z]{0,3}[$\u00a3-\u00a5\u058f\u060b\u09f3\u0e3f\u17db\u20a0-\u20c0\ufdfc\uff04\uffe1\uffe5\uffe6]"
)
SIGNS = _LETTERS.pattern
"""Pattern of a currency sign, also as in US$. The cent sign is excluded, because 12 cents are not 12."""
_PER = re.compile(r"\s*/.*|\s+(?:per|pro|a|an|each|monthly|yearly|annually|gross|net)\b.*", re.S)
"""Pattern of the words after a currency that do not change the amount of one unit of it."""

SECONDS = {"second": 1, "sec": 1, "s": 1, "minute": 60, "min": 60, "hour": 3600, "h": 3600, "hr": 3600}
SECONDS |= {"day": 86_400, "d": 86_400}
"""The number of seconds in each unit of time."""
_CLOCK = re.compile(r"(?P<sign>-)?(?P<h>\d+):(?P<m>[0-5]\d)(?::(?P<s>[0-5]\d(?:\.\d+)?))?")
"""Pattern of a duration or a time of day, such as 26:30 or 0:01:30."""


def patterns() -> str:
    """Return the alternatives of a pattern for all currencies and for per cent."""
    words = sorted((w for w in MEANT if w.isalpha() or w.endswith(".")), key=len, reverse=True)
    several = "|".join(rf"(?i:{re.escape(word)}{'' if word.endswith('.') else 's?'})" for word in words)
    per_cent = "|".join(rf"(?i:{re.escape(word)})" for word in PER_CENT)
    return "|".join([SIGNS, *CODES.split(), several, per_cent])


def fits(written: str, unit: str) -> bool:
    """Whether a unit in a cell is the unit of the column. `written` is a currency, per cent, or a unit.

    A sign that several currencies share fits each of them. In a column without a unit, any currency and per
    cent fit, because nothing is declared that they could contradict.

    >>> [fits(written, "EUR") for written in ("EUR", "\\u20ac", "euros", "$", "%")]
    [True, True, True, False, False]
    >>> fits("$", "AUD per month"), fits("$", "kg"), fits("kr", ""), fits("%", "% of income")
    (True, False, True, True)
    """
    if not unit or _bare(written) == _bare(unit):
        return True
    if is_per_cent(written):
        return is_per_cent(unit) or _bare(unit) in _SHARES
    declared = _currency(unit)
    return declared is not None and declared in _codes(written)


def is_currency(written: str) -> bool:
    """Whether a text is the sign, the code or the name of a currency."""
    return bool(_codes(written)) or _LETTERS.fullmatch(written) is not None


def is_per_cent(unit: str) -> bool:
    """Whether a unit is per cent, such as `%` or `% of income`."""
    return unit.lower().startswith(PER_CENT)


def clock(text: str, unit: str) -> float:
    """Return a duration such as 26:30 (hours and minutes) in a unit of time, or nan.

    >>> clock("26:30", "hours"), clock("0:01:30", "min"), clock("26:30", "kg")
    (26.5, 1.5, nan)
    """
    seconds, found = SECONDS.get(_bare(unit)), _CLOCK.fullmatch(text)
    if seconds is None or found is None:
        return math.nan
    total = 3600 * int(found["h"]) + 60 * int(found["m"]) + float(found["s"] or 0)
    return (-total if found["sign"] else total) / seconds


@cache
def _currency(unit: str) -> str | None:
    """Return the code of the currency in which a column is declared, or None."""
    bare = _bare(_PER.sub("", unit))
    codes = _codes(bare)
    return DECLARED.get(bare) or (next(iter(codes)) if len(codes) == 1 else None)


@cache
def _codes(written: str) -> frozenset[str]:
    """Return the codes of the currencies that a text can mean."""
    bare = _bare(written)
    if len(bare) == len("EUR") and bare.upper() in CODES.split():
        return frozenset({bare.upper()})
    found = MEANT.get(bare, "").split()
    if not found and _LETTERS.fullmatch(written):  # such as B$, of which only the sign is known
        found = [code for code in MEANT.get(bare[-1], "").split() if code.startswith(bare[:-1].upper())]
    return frozenset(found)


def _bare(unit: str) -> str:
    """Return a unit in lower case and in the singular."""
    low = " ".join(unit.lower().split())
    return low.removesuffix("s") if len(low) > 1 and low not in MEANT else low

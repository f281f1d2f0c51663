"""Format numbers as text without false precision, and escape other text for Markdown."""

from __future__ import annotations

import math
import re

from synth.core.accounting import rho_of
from synth.core.numbers import about, per_cent

_LARGE = ("", "thousand", "million", "billion", "trillion", "quadrillion")
_MARKDOWN = re.compile(r"([\\`*_{}\[\]()#+\-.!|<>~$:])")


def plain(words: str) -> str:
    """Escape a text so that Markdown shows it unchanged.

    >>> plain("a*b") == "a" + chr(92) + "*b"
    True
    """
    return _MARKDOWN.sub(r"\\\1", words)


def delta(value: float) -> str:
    """Format a delta as odds.

    >>> delta(1e-9), delta(1e-11), delta(3e-7)
    ('1 in a billion', '1 in 100 billion', '3 in 10 million')
    """
    power = math.ceil(round(-math.log10(value), 9))
    whole, zeros = divmod(power, 3)
    if not 2 <= whole < len(_LARGE):
        return f"1 in {about(1 / value)}" if whole < 2 else f"1 in 10^{power}"
    ten = "a" if zeros == 0 else str(10**zeros)
    return f"{about(value * 10.0**power)} in {ten} {_LARGE[whole]}"


def four_digits(value: float) -> str:
    """Format an epsilon as the ledger does, with four digits.

    >>> four_digits(1.23456), four_digits(4.0)
    ('1.235', '4')
    """
    return about(value, digits=4)


def limit(at_most: float, at: float) -> str:
    """Format a lifetime limit in words."""
    return f"epsilon {four_digits(at_most)} at delta {delta(at)}"


def rho(units: int) -> str:
    """Format ledger units as rho."""
    return f"rho {about(rho_of(units), digits=4)}"


def count(number: float) -> str:
    """Format a number of people, rounded to its precision.

    >>> count(3.24), count(87.6), count(12345.6)
    ('3.2', '88', '12,346')
    """
    return f"{number:.1f}" if number < 10 else f"{number:,.0f}"


def share(part: float) -> str:
    """Format a share as a percentage, precise enough to distinguish a small share from zero.

    >>> share(0.95), share(0.0312), share(0.0004), share(0.0)
    ('95%', '3.1%', 'under 0.1%', '0%')
    """
    percent = part * 100
    if 0 < percent < 0.05:
        return "under 0.1%"
    return per_cent(part, 1 if 0 < percent < 10 else 0)


def distance(share: float) -> str:
    """Format a distance or an error as a percentage.

    >>> distance(0.0312), distance(0.0004), distance(0.5)
    ('3.1%', 'under 0.1%', '50%')
    """
    if share < 0.0005:
        return "under 0.1%"
    return per_cent(share, 1 if share < 0.1 else 0)


def sample(share: float) -> str:
    """Format the size of a sample in words.

    >>> sample(0.374), sample(0.0042), sample(3.0), sample(100.0)
    ('37% of the rows', '0.4% of the rows', '3.0 times the rows', 'over 100 times the rows')
    """
    if share >= 100.0:
        return "over 100 times the rows"
    if share > 1.0:
        return f"{share:.1f} times the rows"
    return f"{per_cent(share, 0 if share >= 0.1 else 1)} of the rows"

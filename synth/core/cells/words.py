"""Normalise strings for comparison, and recognise yes and no in several languages."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence

SPACES = "".join(chr(code) for code in range(0x3001) if chr(code).isspace())
"""Every character that Python treats as white space, such as the no-break space."""
APOSTROPHES = "\u2018\u2019\u201b\u02bc\u2032\u00b4\u1ffd"
HYPHENS = "\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe63\uff0d"
"""All hyphens, dashes and minus signs."""
INVISIBLE = "\u00ad\u200b\u2060\ufeff"
"""Soft hyphens and zero-width spaces."""
REPLACED = SPACES + APOSTROPHES + HYPHENS + INVISIBLE
REPLACEMENTS = " " * len(SPACES) + "'" * len(APOSTROPHES) + "-" * len(HYPHENS)
"""The replacements of the characters in `REPLACED`. The last characters have no replacement and are
removed.
"""
_TABLE = {ord(c): r for c, r in zip(REPLACED, [*REPLACEMENTS, *[""] * len(INVISIBLE)], strict=True)}

YES_NO = {
    "English": ("yes y true t on 1 1.0", "no n false f off 0 0.0"),
    "German": ("ja j wahr w", "nein falsch"),
    "French": ("oui o vrai v", "non faux"),
    "Spanish": ("s\u00ed si s verdadero", "no falso"),
    "Italian": ("s\u00ec vero", "no falso"),
    "Portuguese": ("sim verdadeiro", "n\u00e3o nao falso"),
    "Dutch": ("ja waar", "nee onwaar"),
    "Danish and Norwegian": ("ja sand sann", "nej nei falsk usann"),
    "Swedish": ("ja sant", "nej falskt"),
    "Finnish": ("kyll\u00e4 tosi", "ei ep\u00e4tosi"),
    "Polish": ("tak prawda", "nie fa\u0142sz"),
    "Czech and Slovak": ("ano \u00e1no", "ne"),
    "Croatian and Slovenian": ("da", "ne"),
    "Hungarian": ("igen igaz", "nem hamis"),
    "Romanian": ("da", "nu"),
    "Turkish": ("evet", "hay\u0131r"),
    "Greek": ("\u03bd\u03b1\u03b9", "\u03cc\u03c7\u03b9"),
    "Ukrainian": ("\u0442\u0430\u043a", "\u043d\u0456"),
    "Bulgarian": ("\u0434\u0430", "\u043d\u0435"),
    "Japanese": ("\u306f\u3044", "\u3044\u3044\u3048"),
    "Chinese": ("\u662f", "\u5426"),
    "Korean": ("\uc608", "\uc544\ub2c8\uc694 \uc544\ub2c8\uc624"),
    "Russian": ("\u0434\u0430", "\u043d\u0435\u0442"),
}
"""Words for yes and no by language, separated by spaces. No word means both yes and no."""


def plain(text: str) -> str:
    """Return the form of a string that is used for comparison.

    The string is normalised to Unicode NFC. Spaces, apostrophes and hyphens become plain characters, several
    spaces become one, and invisible characters and surrounding spaces are removed.

    >>> plain("Jose\\u0301 \\u00a0 O\\u2019Neil "), plain("20\\u201329")
    ("José O'Neil", '20-29')
    """
    return " ".join(unicodedata.normalize("NFC", text.translate(_TABLE)).split())


def narrow(text: str) -> str:
    """Return a string with the digits of all scripts as 0 to 9, and full-width signs as ASCII.

    >>> narrow("\uff11\uff12\uff05"), narrow("\u0661\u0662")
    ('12%', '12')
    """
    return text if text.isascii() else "".join(map(_narrow, text))


def _narrow(letter: str) -> str:
    digit = unicodedata.decimal(letter, None)
    if digit is not None:
        return str(digit)
    return chr(ord(letter) - _WIDE) if "\uff01" <= letter <= "\uff5e" else letter


_WIDE = 0xFEE0
"""Difference between the code points of a full-width sign and its ASCII sign."""


def lowered(text: str) -> str:
    """Return a string in lower case, except for letters whose capital is not a single letter.

    >>> lowered("ÉCOLE Straße"), lowered("İ")
    ('école straße', 'İ')
    """
    return text.lower() if text.isascii() else "".join(map(_low, text))


def _low(letter: str) -> str:
    low = letter.lower()
    return low if low.upper() == letter else letter


def capitals_of(texts: Iterable[str]) -> dict[str, str]:
    """Return the capitals beyond A to Z that `lowered` converts to a letter of these strings.

    Each is mapped to that letter.
    """
    letters = {letter for text in texts if not text.isascii() for letter in text if not letter.isascii()}
    return {big: low for low in sorted(letters) if len(big := low.upper()) == 1 and big != low == _low(big)}


def spellings_of(values: Sequence[object], further: Iterable[tuple[str, int]] = ()) -> dict[str, int]:
    """Return spellings in the form of `lowered`, each with its code. Ambiguous spellings are omitted.

    The code of a declared value is its position; `further` contains additional strings with their codes. If
    true or false is a declared value, also as text, the words for it in all languages are spellings too,
    unless another text has that spelling.

    >>> spellings_of(["Ja", "nein", "Nein"]), spellings_of(["a", True])["oui"]
    ({'ja': 0}, 1)
    """
    declared = [(str(value), code) for code, value in enumerate(values)]
    meant: dict[str, set[int]] = {}
    for text, code in [*declared, *further]:
        for spelling in (plain(text), plain(text).upper()):
            meant.setdefault(lowered(spelling), set()).add(code)
    for text, code in declared:
        for word in _WORDS.get(text.lower(), ()):
            meant.setdefault(word, {code})
    return {spelling: codes.pop() for spelling, codes in meant.items() if len(codes) == 1}


def _words(place: int) -> frozenset[str]:
    words = [word for both in YES_NO.values() for word in both[place].split()]
    return frozenset(lowered(form) for word in words for form in (word, word.upper()))


_WORDS = {"true": _words(0), "false": _words(1)}

"""Compare the names of populations, to find different spellings of a name and names that look similar.

If the same people had two lifetime budgets, they could lose twice as much privacy. So a budget is found by
the `fold` of its name, and no budget is opened under a name that `looks_like` an existing one.

The comparison follows the idea of a skeleton in Unicode Technical Standard 39, with a short table instead of
its nine thousand entries: Cyrillic, Greek and Armenian letters that look like Latin ones, digits that look
like letters, accents, and punctuation. It does not find all names that look similar.
"""

# ruff: noqa: RUF001 (this file is about letters that look similar)

from __future__ import annotations

import re
import unicodedata

from synth.core.errors import Mistake

_DRAWN_LIKE = {
    **{"A": "АΑ", "B": "ВΒ", "C": "СϹ", "E": "ЕΕ", "H": "НΗ", "J": "ЈͿ", "K": "КΚ", "M": "МΜ"},
    **{"N": "Ν", "O": "ОΟՕ0", "P": "РΡ", "S": "ЅՏ", "T": "ТΤ", "X": "ХΧ", "Y": "УΥҮ", "Z": "Ζ", "3": "ЗЭ"},
    **{"a": "аαɑ", "c": "сϲ", "d": "ԁ", "e": "е", "g": "ɡց", "h": "һհ", "i": "іιı", "j": "јյ", "k": "кκ"},
    **{"n": "ոп", "o": "оοօσ", "p": "рρ", "q": "ԛ", "s": "ѕ", "u": "υս", "v": "νѵ", "w": "ԝѡ", "x": "хχ"},
    **{"y": "уүγ", "l": "ӏ1I|ІΙӀ"},
}
_LATIN = {ord(other): letter for letter, others in _DRAWN_LIKE.items() for other in others}
_ACCENTS = re.compile("[\u0300-\u036f]")
_DASHES = re.compile("-+")
_BETWEEN = re.compile(r"(?<!\d)-+|-+(?!\d)")
"""Punctuation that is treated as a dash, except between two numbers."""

_BLANK = "\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0"
"""Letters and marks that are invisible."""


def fold(name: str) -> str:
    """Return the normal form of a name: Unicode's compatibility form (NFKC), in lower case, with single
    spaces.

    >>> fold("  Town \\u00a0 RESIDENTS "), fold("ｔown residents")
    ('town residents', 'town residents')
    """
    plain = unicodedata.normalize("NFKC", name).casefold()
    return " ".join(unicodedata.normalize("NFKC", plain).split())


def looks_like(name: str, other: str) -> bool:
    """Whether two names are hard to distinguish, or differ only in accents and punctuation.

    >>> looks_like("town-2024", "Town 2O24"), looks_like("ward 1-2", "ward 12"), looks_like("mail", "mall")
    (True, False, False)
    """
    return fold(name) == fold(other) or _skeleton(name) == _skeleton(other)


def _skeleton(name: str) -> str:
    letters = _ACCENTS.sub("", unicodedata.normalize("NFKD", name))
    dashed = _DASHES.sub("-", "".join("-" if _is_between(letter) else letter for letter in letters))
    plain = _BETWEEN.sub("", dashed).translate(_LATIN).casefold().translate(_LATIN)
    return plain.replace("rn", "m")


def _is_between(letter: str) -> bool:
    """Whether a character is punctuation, a symbol or a space. A vertical bar counts as a letter."""
    return unicodedata.category(letter)[0] in "PSZ" and letter != "|"


def check_name(name: str) -> None:
    """Check the name of a population. Raises: `Mistake` if it is empty or contains an invisible character."""
    if not name.strip():
        raise Mistake("A lifetime budget needs the name of its population. Enter one.")
    for letter in name:
        if _is_unseen(letter):
            raise Mistake(
                f"The population name {name!r} contains an invisible character (U+{ord(letter):04X}), so "
                "another name could look the same. Enter it without this character."
            )


def _is_unseen(letter: str) -> bool:
    """Whether a character is invisible.

    Invisible characters are control and format characters, line separators, unassigned characters and
    variation selectors.
    """
    unseen = unicodedata.category(letter) in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")
    return unseen or letter in _BLANK or "VARIATION SELECTOR" in unicodedata.name(letter, "")

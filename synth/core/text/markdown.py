"""Escape texts for Markdown, so that every reader shows them as they were typed."""

from __future__ import annotations

import re
from html import escape

_SIGNS = re.compile(
    r"[&<>\\`\[\]|$]"  # HTML, escapes, code, links and footnotes, cells of tables, formulas
    r"|[*~](?!\s)|(?<!\s)[*~]"  # emphasis, and text that is struck out
    r"|(?<![^\W_])_|_(?![^\W_])"  # emphasis; inside of a word, this sign has no meaning
    r"|\A ?(?:[#+*=-]|\d{1,9}[.)])(?=\s|\Z|[#=-])"  # headings, lists, lines
)


def escaped(text: str) -> str:
    r"""Return a text in one line of Markdown that has no format, and in which no sign is lost.

    Only signs that can have a meaning where they stand are escaped, so that the source stays readable.
    Backslashes and the signs of HTML become character references, because some readers look for formulas
    before they read escapes. The result can be used inside of a line, a list or a cell of a table, but not
    between backticks.

    >>> print(escaped("[x](javascript:1) 2 * 3 *a* b_c _d_ <b>"))
    \[x\](javascript:1) 2 * 3 \*a\* b_c \_d\_ &lt;b&gt;
    >>> print(escaped("# a"), escaped("1. a"), escaped("-1"))
    \# a 1\. a -1
    """
    return _SIGNS.sub(_escaped_sign, re.sub(r"\s+", " ", text))


def _escaped_sign(found: re.Match[str]) -> str:
    signs = found[0]
    if signs == "\\":
        return "&#92;"
    return escape(signs, quote=False) if signs in "&<>" else f"{signs[:-1]}\\{signs[-1]}"

"""The few shapes the report is set in. Texts come escaped, except where a docstring says otherwise."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape


def section(number: int, title: str, layer: str, *parts: str) -> str:
    """A numbered section; its first part stays on the heading's page."""
    heading = f"<h2>{number}. {title}<small>{layer}</small></h2>"
    return f'<section>\n<div class="lead">{heading}{parts[0]}</div>\n{"".join(parts[1:])}\n</section>\n'


def table(heads: Sequence[str], lines: str) -> str:
    """A table; a head that begins with # stands over numbers."""
    cells = "".join(
        f'<th class="num">{head[1:]}</th>' if head.startswith("#") else f"<th>{head}</th>" for head in heads
    )
    return f"<table><thead><tr>{cells}</tr></thead><tbody>{lines}</tbody></table>"


def listed(sentences: Sequence[str]) -> str:
    """A list of sentences, escaped here."""
    return f"<ul>{''.join(f'<li>{escape(sentence)}</li>' for sentence in sentences)}</ul>"

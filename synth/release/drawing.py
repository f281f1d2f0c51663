"""A picture of the report with the words that stand for it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from html import unescape

from markupsafe import Markup

from synth.release import charts


@dataclass(frozen=True, kw_only=True)
class Drawing:
    """`words` are what a screen reader says; `key` the names of its shares and how large they are."""

    svg: Markup
    words: str
    key: tuple[tuple[str, str], ...] = ()

    @staticmethod
    def of(svg: str) -> Drawing:
        """One of `charts`, which escapes every text itself."""
        words = re.search(r'aria-label="([^"]*)"', svg)
        return Drawing(svg=Markup(svg), words=unescape(words[1]) if words else "")

    @staticmethod
    def of_shares(parts: Sequence[tuple[str, float]], *, tints: Sequence[int] = (0, 1, 2, 3, 4)) -> Drawing:
        """A bar of shares that sum to one."""
        key = tuple((name, charts.percent(share)) for name, share in parts)
        return Drawing(svg=Markup(charts.stacked(parts, tints=tints)), words="", key=key)

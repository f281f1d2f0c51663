"""The report as Markdown: the text of its page, without the pictures.

It reads the few tags that `report` writes. In the place of a picture stands what a screen reader says of it;
a bar of shares has a list beside it that says the same. How pictures are to be read is left out.
"""

from __future__ import annotations

import re
from html import escape
from html.parser import HTMLParser

_LEFT_OUT = {"style", "title", "figcaption", "svg"}
_LEGEND, _SHARES = "legend", "stack"
"""The classes of a block that explains pictures, and of a picture that a list beside it tells."""
_HEADS = {"h1": "# ", "h2": "## ", "h3": "### "}
_MARKS = {"b": "**", "em": "*", "code": "`"}
_BLOCKS = {*_HEADS, "p", "aside", "li", "tr", "div", "pre", "ul", "table", "section", "header", "main", "dl"}


def of_html(page: str) -> str:
    """The text of a report written by `report.html`."""
    reader = _Reader()
    reader.feed(page)
    reader.close()
    text = "\n".join(reader.lines)
    return re.sub(r"\n{3,}", "\n\n", text).strip() + "\n"


class _Reader(HTMLParser):
    """Collects lines; `_line` is the one being written."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.lines: list[str] = []
        self._line = ""
        self._skipped = 0
        self._legend: str | None = None
        self._verbatim = False
        self._cells: list[str] | None = None

    @property
    def _is_left_out(self) -> bool:
        return self._skipped > 0 or self._legend is not None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        told = dict(attrs)
        classes = (told.get("class") or "").split()
        if tag == "svg" and _SHARES not in classes:
            self._end_line()
            self.lines.append(f"- {escape(told.get('aria-label') or '', quote=False)}")
        if tag in _LEFT_OUT:
            self._skipped += 1
        if _LEGEND in classes:
            self._legend = tag
        if self._is_left_out or tag == "i":
            return
        if tag in _BLOCKS:
            self._end_line()
        if tag in _HEADS:
            self.lines.append("")
            self._line = _HEADS[tag]
        elif tag == "li":
            self._line = "- "
        elif tag == "aside":
            self._line = "> "
        elif tag == "pre":
            self._verbatim = True
            self.lines += ["", "```sh"]
        elif tag == "tr":
            self._cells = []
        elif tag in ("td", "th"):
            self._line = ""
        elif tag == "small":
            self._line += " · "
        elif tag == "sup":
            self._line += "^"
        elif tag == "dt":
            self._end_line()
            self._line = "- "
        elif tag in _MARKS:
            self._line += _MARKS[tag]

    def handle_endtag(self, tag: str) -> None:
        if tag in _LEFT_OUT:
            self._skipped -= 1
        elif tag == self._legend:
            self._legend = None
        elif self._is_left_out:
            return
        elif tag in ("td", "th") and self._cells is not None:
            self._cells.append(self._line.strip().replace("|", "\\|"))
            self._line = ""
        elif tag == "tr" and self._cells is not None:
            self.lines.append(f"| {' | '.join(self._cells)} |")
        elif tag == "thead" and self._cells is not None:
            self.lines.append("|" + "---|" * len(self._cells))
        elif tag == "pre":
            self._end_line()
            self.lines += ["```", ""]
            self._verbatim = False
        elif tag == "dt":
            self._line += ": "
        elif tag in _MARKS:
            self._line += _MARKS[tag]
        elif tag in _BLOCKS or tag == "dd":
            self._end_line()
            if tag not in ("li", "dd"):
                self.lines.append("")

    def handle_data(self, data: str) -> None:
        if self._is_left_out:
            return
        if self._verbatim:
            self._end_line()
            self.lines += data.splitlines()
        else:
            self._line += escape(re.sub(r"\s+", " ", data), quote=False)

    def _end_line(self) -> None:
        if self._line.strip(" ->#"):
            self.lines.append(self._line.rstrip())
        self._line = ""

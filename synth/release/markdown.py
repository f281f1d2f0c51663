"""The report as Markdown: the text of its page, without the pictures.

It reads the few tags that `report` writes. A figure is left out; the name it is described by to a screen
reader stands in its place where nothing else says the same.
"""

from __future__ import annotations

import re
from html import escape
from html.parser import HTMLParser

_LEFT_OUT = {"style", "title", "figure", "svg"}
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
        self._verbatim = False
        self._cells: list[str] | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _LEFT_OUT:
            self._skipped += 1
        if self._skipped or tag == "i":
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
        elif self._skipped:
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
        if self._skipped:
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

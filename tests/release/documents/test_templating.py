"""The Markdown twin says what the page says: the page is read here, tag by tag, and compared with it."""

from __future__ import annotations

import re
from dataclasses import replace
from html import escape
from html.parser import HTMLParser

from synth.release.bundle import contents
from synth.release.documents.statement import Imprint, sentences
from synth.release.layout import Layout
from synth.release.synthesis import Synthesis

LEFT_OUT = {"style", "title", "figcaption", "svg"}
LEGEND, SHARES = "legend", "stack"
"""The classes of a block that explains pictures, and of a picture that a list beside it tells."""
HEADS = {"h1": "# ", "h2": "## ", "h3": "### "}
MARKS = {"b": "**", "em": "*", "code": "`"}
BLOCKS = {*HEADS, "p", "aside", "li", "tr", "div", "pre", "ul", "table", "section", "header", "main", "dl"}
EVIL = "<b>a & b</b> | `x` \n 'q' \"w\""


def of_html(page: str) -> list[str]:
    """The text of a page of the report, without its pictures."""
    reader = Reader()
    reader.feed(page.replace("\N{NO-BREAK SPACE}", " "))
    reader.close()
    return filled("\n".join(reader.lines))


def filled(text: str) -> list[str]:
    """The lines that are not blank."""
    return [line for line in text.splitlines() if line]


class Reader(HTMLParser):
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
        if tag == "svg" and SHARES not in classes:
            self._end_line()
            self.lines.append(f"- {escape(told.get('aria-label') or '', quote=False)}")
        if tag in LEFT_OUT:
            self._skipped += 1
        if LEGEND in classes:
            self._legend = tag
        if self._is_left_out or tag == "i":
            return
        if tag in BLOCKS:
            self._end_line()
        if tag in HEADS:
            self._line = HEADS[tag]
        elif tag == "li":
            self._line = "- "
        elif tag == "aside":
            self._line = "> "
        elif tag == "pre":
            self._verbatim = True
            self.lines += ["```sh"]
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
        elif tag in MARKS:
            self._line += MARKS[tag]

    def handle_endtag(self, tag: str) -> None:
        if tag in LEFT_OUT:
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
            self.lines += ["```"]
            self._verbatim = False
        elif tag == "dt":
            self._line += ": "
        elif tag in MARKS:
            self._line += MARKS[tag]
        elif tag in BLOCKS or tag == "dd":
            self._end_line()

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


def test_whatever_was_typed_is_the_same_in_both(synthesis: Synthesis, rehearsed: Synthesis) -> None:
    words = Imprint(
        licence=EVIL, contact=EVIL, purpose=EVIL, approvers=(EVIL, "x"), decisions=(EVIL,), beyond=EVIL
    )
    for run in (synthesis, rehearsed):
        unit = replace(run.privacy.unit, name=EVIL)
        codebook = replace(run.evidence.codebook, schema=replace(run.schema, title=EVIL, unit=unit))
        hostile = replace(
            run,
            method=EVIL,
            evidence=replace(run.evidence, codebook=codebook),
            privacy=replace(run.privacy, unit=unit, population=EVIL),
        )
        files, layout = contents(hostile, words), Layout(rehearsal=run.privacy.rehearsal)
        text = files[layout.plain_report].decode()
        assert filled(text) == of_html(files[layout.report].decode())
        assert "&lt;b&gt;a &amp; b&lt;/b&gt; | `x` 'q' \"w\"" in text


def test_what_is_typed_into_a_document_stays_as_it_is_and_empty_texts_of_a_list_go(
    synthesis: Synthesis,
) -> None:
    evil = replace(synthesis.privacy.unit, name="{{ x }} <b>: 'a' & \n- b")
    told = sentences(replace(synthesis, privacy=replace(synthesis.privacy, unit=evil)))
    assert f"Whether a given {evil.name} is in the table" in told["neighbours_explained"]["words"]
    assert "" not in told["outside_the_guarantee"]

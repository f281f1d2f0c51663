import re
import shutil
import subprocess
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest

from synth.core.schema import Schema
from synth.release.bundle import contents
from synth.release.documents.statement import Imprint
from synth.release.layout import Layout
from synth.release.synthesis import Synthesis

VOID_TAGS = {"meta", "br", "line", "rect", "circle"}
EVIL = '"><script>alert(1)</script><img src=x onerror=alert(2)>'


def with_schema(synthesis: Synthesis, schema: Schema) -> Synthesis:
    evidence = synthesis.evidence
    return replace(synthesis, evidence=replace(evidence, codebook=replace(evidence.codebook, schema=schema)))


def page(synthesis: Synthesis, imprint: Imprint | None = None) -> str:
    report = Layout(rehearsal=synthesis.privacy.rehearsal).report
    return contents(synthesis, imprint or Imprint())[report].decode()


class Reader(HTMLParser):
    """Collects tags, attributes and text, and insists that tags are closed in order."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.said = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}
        if tag not in VOID_TAGS:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "style" not in self.open:
            self.said += data


def read(text: str) -> Reader:
    reader = Reader()
    reader.feed(text)
    assert reader.open == []
    return reader


def test_nothing_runs_and_nothing_is_loaded(synthesis: Synthesis) -> None:
    evil = Imprint(licence=EVIL, contact=EVIL, purpose=EVIL, decisions=(EVIL,))
    unit = replace(synthesis.privacy.unit, name=EVIL)
    privacy = replace(synthesis.privacy, unit=unit, population=EVIL)
    schema = replace(synthesis.schema, title=EVIL, unit=unit)
    hostile = replace(with_schema(synthesis, schema), method=EVIL, privacy=privacy)
    text = page(hostile, evil)
    reader = read(text)
    assert not reader.tags & {
        *["script", "img", "link", "iframe", "object", "a", "form", "base", "image", "use"]
    }
    assert not {a for a in reader.attributes if a.startswith("on") or a in ("src", "href", "xlink:href")}
    assert not re.search(r"url\(|@import|https?:", text)
    assert EVIL in reader.said
    assert "default-src 'none'" in text


def test_a_rehearsal_carries_its_mark(rehearsed: Synthesis, synthesis: Synthesis) -> None:
    assert page(rehearsed).count("REHEARSAL") >= 3
    assert "REHEARSAL" not in page(synthesis)


@pytest.mark.browser
@pytest.mark.skipif(shutil.which("chromium") is None, reason="needs Chromium")
def test_it_prints_on_four_pages_at_most(synthesis: Synthesis, tmp_path: Path) -> None:
    (tmp_path / "report.html").write_text(page(synthesis), encoding="utf-8")
    options = "--headless=new --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-sync"
    options += " --disable-background-networking --disable-component-update"
    places = [f"--user-data-dir={tmp_path / 'profile'}", f"--print-to-pdf={tmp_path / 'report.pdf'}"]
    command = ["chromium", *options.split(), *places, f"file://{tmp_path / 'report.html'}"]
    subprocess.run(command, check=True, capture_output=True, timeout=600)
    sheets = re.findall(rb"/Type\s*/Page\b", (tmp_path / "report.pdf").read_bytes())
    assert 1 <= len(sheets) <= 4

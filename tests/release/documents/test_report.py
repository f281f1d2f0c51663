import re
import shutil
import subprocess
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest

from synth.core.schema import Neighbours, Schema
from synth.release.bundle import contents
from synth.release.documents.statement import Imprint
from synth.release.layout import Layout
from synth.release.synthesis import Synthesis
from synth.rules import parse_rules

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
        "script",
        "img",
        "link",
        "iframe",
        "object",
        "a",
        "form",
        "base",
        "image",
        "use",
    }
    assert not {a for a in reader.attributes if a.startswith("on") or a in ("src", "href", "xlink:href")}
    assert not re.search(r"url\(|@import|https?:", text)
    assert EVIL in reader.said
    assert "default-src 'none'" in text


def test_hostile_labels_are_shown_as_text(synthesis: Synthesis) -> None:
    reader = read(page(synthesis))
    assert "<script>x</script>" in reader.said and "script" not in reader.tags


def test_the_layers_of_the_pyramid_are_its_headings_in_order(synthesis: Synthesis) -> None:
    text = read(page(synthesis)).said
    layers = [
        "Privacy parameters and privacy unit",
        "Correctness of algorithms",
        "Utility and bias",
        "Trust model",
        "Data collection",
    ]
    places = [text.index(layer) for layer in layers]
    assert places == sorted(places)


def test_the_claim_is_told_in_numbers_and_odds(synthesis: Synthesis) -> None:
    text = read(page(synthesis)).said
    assert "at most 88.1 times in 100" in text  # e^2 / (1 + e^2) = 0.8808, rounded up
    assert "at most 37 in 100" in text  # 0.05 e^2 = 0.369, rounded up to a tenth
    assert "had spent nothing on other releases" in text and "was left" in text
    assert "at the end of this run" in text and "later releases are not in them" in text
    assert "with them in it or without" in text
    swapped = replace(synthesis, privacy=replace(synthesis.privacy, neighbours=Neighbours.REPLACE))
    assert "someone else's in their place" in read(page(swapped)).said


def test_it_claims_no_more_than_it_may(synthesis: Synthesis) -> None:
    assert "anonym" not in page(synthesis).lower()


def test_rules_decisions_and_the_way_to_verify_are_there(synthesis: Synthesis) -> None:
    text = read(page(synthesis, Imprint(decisions=("Wider bins after a look.",)))).said
    assert "if age is 0 to 14 then marital is only 'never'" in text
    assert "Wider bins after a look." in text and "None was recorded." not in text
    assert "None was recorded." in read(page(synthesis)).said
    assert "sha256sum -c CHECKSUMS.sha256" in text


def test_a_reason_is_printed_with_its_rule(synthesis: Synthesis) -> None:
    entry = {
        "sentence": "if age is 0 to 14 then marital is only never",
        "because": "The law <b>allows</b> it from 15.",
    }
    text = page(replace(synthesis, rules=parse_rules([entry], synthesis.schema)))
    rule = "if age is 0 to 14 then marital is only &#x27;never&#x27;"
    assert f"<li>{rule}. Reason: The law &lt;b&gt;allows&lt;/b&gt; it from 15.</li>" in text
    assert "Reason:" not in page(synthesis)


def test_a_rehearsal_carries_its_mark(rehearsed: Synthesis, synthesis: Synthesis) -> None:
    assert page(rehearsed).count("REHEARSAL") >= 3
    assert "REHEARSAL" not in page(synthesis)


def test_light_dark_and_print_are_provided_for(synthesis: Synthesis) -> None:
    text = page(synthesis)
    assert "prefers-color-scheme: dark" in text and "@media print" in text and "size: A4" in text


@pytest.mark.parametrize("word", ["within", "∅", "Measured"])
def test_pictures_are_explained(synthesis: Synthesis, word: str) -> None:
    assert word in read(page(synthesis)).said


@pytest.mark.browser
@pytest.mark.skipif(shutil.which("chromium") is None, reason="needs Chromium")
def test_it_prints_on_four_pages_at_most(synthesis: Synthesis, tmp_path: Path) -> None:
    (tmp_path / "report.html").write_text(page(synthesis), encoding="utf-8")
    options = "--headless=new --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-sync"
    subprocess.run(
        [
            "chromium",
            *options.split(),
            "--disable-background-networking",
            "--disable-component-update",
            f"--user-data-dir={tmp_path / 'profile'}",
            f"--print-to-pdf={tmp_path / 'report.pdf'}",
            f"file://{tmp_path / 'report.html'}",
        ],
        check=True,
        capture_output=True,
        timeout=600,
    )
    sheets = re.findall(rb"/Type\s*/Page\b", (tmp_path / "report.pdf").read_bytes())
    assert 1 <= len(sheets) <= 4

"""What people type into the documents stays text, on the page and in its Markdown twin."""

import sys
from dataclasses import replace
from itertools import permutations
from pathlib import Path

import pytest

from synth.core.text.markdown import escaped
from synth.release.bundle import contents
from synth.release.documents import templating
from synth.release.documents.statement import Imprint, sentences
from synth.release.layout import Layout
from synth.release.synthesis import Synthesis
from tests.release.documents.parsed import markdown_of

EVIL = "<b>a & b</b> | `x` \n 'q' \"w\""
MARKS = (
    *("[a](javascript:b)", "![a](b)", "[a]: b", "<b>", "<!--", "&lt;", "`a`", "~a~", "~~~", "$a$", "a|b"),
    *("\\*a*", "# a", "1. a", "1) a", "- a", "+ a", "* a", "> a", "---", "===", "a\n===", "\n\n- a"),
    *("    a", "_a_", "**a**"),
)
"""Texts with a meaning in Markdown, each of another kind."""
LINE = {"paragraph", "inline", "text", "text_special"}
SHAPES = {
    "{}": set[str](),
    "- {}": {"bullet_list", "list_item"},
    "> x: {}, y": {"blockquote"},
    "| |\n|---|\n|{}|": {"table", "thead", "tbody", "tr", "th", "td"},
}
"""Where the templates insert a text, and the blocks that are there anyway."""


@pytest.mark.parametrize("shape", SHAPES)
def test_text_in_markdown_is_shown_as_it_was_typed(shape: str) -> None:
    around, _ = markdown_of(shape.replace("{}", "\N{BULLET}"))
    for words in (*MARKS, *map("".join, permutations(MARKS, 2))):
        shown, kinds = markdown_of(shape.replace("{}", escaped(words)))
        assert shown.split() == around.replace("\N{BULLET}", words).split()
        assert kinds <= LINE | SHAPES[shape], words


def test_whatever_was_typed_is_text_in_both(synthesis: Synthesis, rehearsed: Synthesis) -> None:
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
        assert "<b>a &" not in text + files[layout.report].decode()
        assert "&lt;b&gt;a &amp; b&lt;/b&gt; \\| \\`x\\` 'q' \"w\"" in text


def test_typed_text_is_kept_and_empty_list_entries_go(synthesis: Synthesis) -> None:
    evil = replace(synthesis.privacy.unit, name="{{ x }} <b>: 'a' & \n- b")
    stated = sentences(replace(synthesis, privacy=replace(synthesis.privacy, unit=evil)))
    assert f"whether a given {evil.name} is in the table" in stated["neighbours_explained"]["words"]
    assert "" not in stated["outside_the_guarantee"]


def test_texts_are_compiled_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    monkeypatch.setattr(templating, "cache_from_source", lambda path: str(tmp_path / "a.pyc"))
    for texts, kept in ((("{{ a }}!", "{{ a }}?"), 2), (("{{ a }}!", "{{ a }}."), 3)):
        environment = templating._environment.__wrapped__()
        made = [environment.get_template(text).render(a="<", form="text") for text in texts]
        assert made == [f"<{text[-1]}" for text in texts]
        assert len([*tmp_path.iterdir()]) == kept

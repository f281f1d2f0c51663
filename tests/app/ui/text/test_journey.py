"""Every need has its sentence and every mark its word."""

from __future__ import annotations

from synth.app.project import journey
from synth.app.project.journey import Mark
from synth.app.ui.text import frame as text


def test_every_need_of_every_step_has_its_sentence() -> None:
    needs = {need for step in journey.STEPS for need in step.needs}
    assert needs <= set(text.MISSING)
    assert all(sentence.endswith(".") for sentence in text.MISSING.values())


def test_every_mark_has_a_word_and_only_open_needs_none() -> None:
    assert {mark for mark in Mark if not text.MARKS[mark]} == {Mark.OPEN}

from __future__ import annotations

from synth.app.ui.text.schema import grid as text
from synth.core.schema import Kind, Provenance
from synth.dictionaries.lists import known_lists


def test_every_kind_and_source_has_a_word_of_its_own() -> None:
    assert {text.KIND_OF[label] for label in text.KINDS.values()} == set(Kind)
    assert {text.SOURCE_OF[label] for label in text.SOURCES.values()} == set(Provenance)


def test_a_known_list_is_told_by_its_first_values() -> None:
    assert text.list_name("months").startswith("months: January, February, March ...")
    assert all(name in text.list_name(name) for name in known_lists())

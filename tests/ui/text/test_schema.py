"""The checks speak of fields; the page says what they mean, as long as both use the same words."""

from __future__ import annotations

import pytest

from synth.schema import Kind, Provenance
from synth.ui.text import schema as text

UNKIND = (
    "'kind' is still to be filled in; it must be one of category, ordered, integer, decimal, date or drop"
)


@pytest.mark.parametrize(
    ("sentence", "shown"),
    [
        (
            "'r': the list of 'values' is missing; give it, or set 'buy' to true to buy it with budget.",
            "'r': the list of values is missing; give it, or choose 'bought with budget' for it.",
        ),
        (
            "Column 'a': the smallest value 'min' is missing; give it, or set 'buy' to true.",
            "Column 'a': the smallest value is missing; give it, or choose 'bought with budget' for it.",
        ),
        (
            f"Column 'a': {UNKIND}.",
            "Column 'a': choose its kind in the grid.",
        ),
        ("Column 'a': 'x' appears twice.", "Column 'a': 'x' appears twice."),
        ("Column 'bins': 300 values or bins are many", "Column 'bins': 300 values or steps are many"),
    ],
)
def test_fields_are_called_what_the_page_calls_them(sentence: str, shown: str) -> None:
    assert text.said(sentence) == shown


def test_the_checks_really_say_these_words() -> None:
    from synth.project.columns import problems_of
    from synth.schema_io import load_schema, warnings
    from synth.schema_io.drafts import read_draft

    columns = [{"name": "a", "kind": "category"}, {"name": "b", "kind": "integer"}]
    documents = [
        {"name": "t", "population": "p", "unit": {"max_rows": 1}, "columns": columns},
        {"name": "t", "population": "p", "unit": {"max_rows": 1}, "columns": [{"name": "c", "kind": None}]},
    ]
    read = {"name": "d", "kind": "category", "values": ["x"], "provenance": "read from file"}
    documents.append({**documents[0], "columns": [read]})
    said = [sentence for document in documents for sentence in problems_of(document)]
    wide = {"name": "patient_id", "kind": "integer", "min": 0, "max": 9999}
    said += warnings(load_schema({**documents[0], "columns": [wide]}))
    odd = {"name": "p", "kind": "integer", "min": 0, "max": 9, "bins": 0, "points": [12]}
    said += problems_of({**documents[0], "columns": [{**odd, "bins": None}]})
    said += problems_of({**documents[0], "columns": [odd, {**odd, "name": "q", "bins": None, "step": -1}]})
    said += read_draft(b"name,kind,known from\nage,category,hearsay\n", name="d.csv").notes
    unused = [theirs for theirs in text.PLAIN_WORDS if not any(theirs in sentence for sentence in said)]
    assert unused == []


def test_every_kind_and_source_has_a_word_of_its_own() -> None:
    assert {text.KIND_OF[label] for label in text.KINDS.values()} == set(Kind)
    assert {text.SOURCE_OF[label] for label in text.SOURCES.values()} == set(Provenance)


def test_long_lists_of_names_stay_short() -> None:
    assert text.some(["a", "b"]) == "a, b"
    assert text.some([str(i) for i in range(20)], most=3) == "0, 1, 2 and 17 more"

"""The checks speak of fields; the page says what they mean, as long as both use the same words."""

from __future__ import annotations

from synth.app.project.describe.columns import problems_of
from synth.app.ui.text.schema import checks as text
from synth.app.ui.text.schema.checks import WORDS, gathered
from synth.core.schema import Column, Kind, Provenance
from synth.dictionaries import load_schema, warnings
from synth.dictionaries.drafts import read_draft

BASE = {"name": "t", "population": "p", "unit": {"max_rows": 1}}
ODD = {"name": "p", "kind": "integer", "min": 0, "max": 9, "bins": 0, "points": [12]}
READ = {"name": "d", "kind": "category", "values": ["x"], "provenance": "read from file"}
WIDE = {"name": "patient_id", "kind": "integer", "min": 0, "max": 9999}
COLUMNS = [
    [{"name": "a", "kind": "category"}, {"name": "b", "kind": "integer"}],
    [{"name": "c", "kind": None}],
    [READ],
    [{**ODD, "bins": None}],
    [ODD, {**ODD, "name": "q", "bins": None, "step": -1}],
]


def sentences(words: object = None) -> list[str]:
    given = {} if words is None else {"words": words}
    said = [
        sentence for columns in COLUMNS for sentence in problems_of({**BASE, "columns": columns}, **given)
    ]
    said += warnings(load_schema({**BASE, "columns": [WIDE]}), **given)
    said += read_draft(b"name,kind,known from\nage,category,hearsay\n", name="d.csv", **given).notes
    return said


def test_a_form_is_told_in_its_own_words() -> None:
    said = "\n".join(sentences(WORDS))
    for name in ("'bins'", "'step'", "'buy'", "'values'", "'min'", "'max'", "'points'", "'provenance'"):
        assert name not in said
    for name in ("'kind'", "'file_is_public'", " step"):
        assert name not in said
    assert (
        "Column 'a': the list of values is missing; give it, or choose 'bought with budget' for it." in said
    )
    assert (
        "Column 'b': the smallest value is missing; give it, or choose 'bought with budget' for it." in said
    )
    assert "Column 'c': say in the grid what it can hold." in said
    assert "say how many bins in the grid to have it otherwise" in said


def test_what_many_columns_lack_is_one_sentence() -> None:
    columns = [{"name": f"c{i}", "kind": None} for i in range(58)] + [{"name": "v", "kind": "category"}]
    said = gathered(problems_of({**BASE, "columns": columns}, WORDS))
    assert "58 columns ('c0', 'c1', 'c2' and 55 more), for each: say in the grid what it can hold." in said
    assert len(said) == 2 and any(sentence.startswith("Column 'v': the list of values") for sentence in said)
    few = problems_of({**BASE, "columns": columns[:3]}, WORDS)
    assert gathered(few) == list(few)


def test_columns_cut_into_as_many_bins_of_other_widths_are_one_sentence() -> None:
    wide = [{"name": f"c{i}", "kind": "integer", "min": 0, "max": 1000 * (i + 1)} for i in range(5)]
    said = warnings(load_schema({**BASE, "columns": wide}), WORDS)
    (line,) = gathered([sentence for sentence in said if "equal bins" in sentence])
    assert line.startswith(
        "5 columns ('c0', 'c1', 'c2' and 2 more), for each: it is cut into 32 equal bins, because"
    )
    few = gathered([sentence for sentence in said[:2] if "equal bins" in sentence])
    assert len(few) == 2 and all("each, because" in sentence for sentence in few)


def test_a_file_is_told_by_its_field_names_as_often() -> None:
    plain, formed = sentences(), sentences(WORDS)
    assert len(plain) == len(formed)
    assert any("set 'buy' to true to buy it with budget" in sentence for sentence in plain)
    assert any("(kind 'drop')" in sentence for sentence in plain)


def test_a_value_that_is_called_like_a_field_stays_as_it_was_typed() -> None:
    twice = {"name": "bins", "kind": "category", "values": ["two bins", "two bins"]}
    (sentence,) = problems_of({**BASE, "columns": [twice]}, WORDS)
    assert sentence == "Column 'bins': 'two bins' appears twice."


def test_every_provenance_and_kind_has_words() -> None:
    assert all(text.badge(p) for p in Provenance)
    assert len({kind.words for kind in Kind}) == len(Kind)


def test_long_value_lists_are_cut_and_counted() -> None:
    column = Column(name="c", kind=Kind.CATEGORY, values=tuple("abcdefg"))
    assert text.domain_of(column) == "a, b, c, d and 3 more"
    assert text.domain_of(Column(name="n", kind=Kind.INTEGER, min=0, max=250000)) == "0 to 250,000"


def test_what_is_to_be_bought_is_a_list_or_a_range() -> None:
    said = [text.domain_of(Column(name="n", kind=kind, buy=True)) for kind in (Kind.CATEGORY, Kind.INTEGER)]
    assert said == [
        "list of values, to be bought with budget",
        "range of whole numbers, to be bought with budget",
    ]

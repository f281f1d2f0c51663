"""Test rules in the form of JSON objects or of a CSV of allowed combinations."""

from __future__ import annotations

import json

import pytest

from synth.core.errors import Mistake
from synth.rules import parse_rules
from synth.rules.documents import entries_in

ROWS = [["none", False], [["low", "middle"], [True, False]], ["high", True]]
MANY = [
    "if age is 0 to 14 then marital is only never-married",
    {"sentence": "age is at least 1", "because": "the law"},
    {"allowed": {"columns": ["school", "works"], "rows": ROWS}},
    {"forbidden": {"age": "below 3", "marital": ["married", "widowed"]}, "because": "logic"},
    {"determines": {"from": "school", "to": "age", "map": {"none": "0 to 9", "high": [29, 30]}}},
    {"determines": {"from": "works", "to": "hours per week", "pairs": [[False, 0]], "both_ways": True}},
]

KINDS = "sentence, allowed, forbidden, determines, share"


def test_every_form_survives_the_round_trip_through_json(schema):
    rules = parse_rules(MANY, schema)
    document = json.loads(json.dumps(rules.document))
    again = parse_rules(document, schema)
    assert again == rules
    assert again.document == document
    assert [r.because for r in rules.rules[:4]] == ["", "the law", "", "logic"]
    assert rules.sentences == (
        "if age is 0 to 14 then marital is only never-married",
        "age is at least 1",
        "school and works occur only in the 3 combinations listed",
        "never age is below 3 and marital is married or widowed",
        "school determines age (2 values listed)",
        "works and hours per week determine each other (1 values listed)",
        "works is not blank",
    )
    assert len(rules) == 6


def test_a_path_an_object_and_a_list_are_the_same(schema, tmp_path):
    path = tmp_path / "r.json"
    path.write_text(json.dumps({"rules": MANY}), encoding="utf-8")
    assert parse_rules(path, schema) == parse_rules({"rules": MANY}, schema) == parse_rules(MANY, schema)
    path.write_text(json.dumps(MANY), encoding="utf-8")
    assert parse_rules(str(path), schema) == parse_rules(MANY, schema)


def test_allowed_pairs_from_a_csv(schema, tmp_path):
    path = tmp_path / "pairs.csv"
    path.write_text("school,works\nnone,false\nlow,true\nhigh,true\n,true\n", encoding="utf-8")
    rules = parse_rules(path, schema)
    frame = {"school": ["none", "none", "middle", None, None], "works": [False, True, True, True, False]}
    assert rules.violations(frame)["school and works occur only in the 4 combinations listed"] == 3


def test_repeats_are_merged_and_twins_numbered(schema):
    pairs = [
        {"allowed": {"columns": ["school", "works"], "rows": [[s, True], ["none", False]]}}
        for s in ("low", "high")
    ]
    rules = parse_rules(["age is at least 1", "age is at least 1"], schema)
    assert len(rules) == 1
    assert any("together make" in sentence for sentence in parse_rules(pairs, schema).warnings)
    free = [{"forbidden": {"school": s}} for s in ("low", "high")]
    maps = [{"determines": {"from": "school", "to": "works", "map": {s: True}}} for s in ("low", "high")]
    assert parse_rules([*free, *maps], schema).sentences[2:4] == (
        "school determines works (1 values listed)",
        "school determines works (1 values listed) [2]",
    )


@pytest.mark.parametrize(
    ("entry", "sentence"),
    [
        ({"allow": {}}, "A rule has an unknown field 'allow'; did you mean 'allowed'?"),
        ({"because": "x"}, f"A rule object needs exactly one of {KINDS}; this one has 0."),
        (7, "A rule is a sentence or an object, not 7."),
        ({"sentence": 7}, "The field 'sentence' of a rule must be text, not 7."),
        ({"sentence": "age is 3", "because": 7}, "The reason 'because' of a rule must be text, not 7."),
        (
            {"forbidden": {}},
            "The field 'forbidden' must name columns and the values that cannot occur together.",
        ),
        (
            {"forbidden": {"agee": 3}},
            "The rule 'forbidden' names a column 'agee' that is not declared; did you mean 'age'?",
        ),
        ({"forbidden": {"age": []}}, "A rule has an empty list for 'age'; name at least one value."),
        ({"forbidden": {"age": {}}}, "A rule has {} for 'age'; give a value, a range in words, or null."),
        (
            {"forbidden": {"age": ["not 3", 4]}},
            "An entry in a list for 'age' cannot start with 'not'; write it separately.",
        ),
        (
            {"allowed": {"columns": ["age", "school"], "rows": [[1]]}},
            "Row 1 of the allowed rule for age and school does not have one cell per column.",
        ),
        (
            {"allowed": {"columns": ["age"], "rows": []}},
            "An allowed rule needs 'columns' and 'rows', both lists with at least one entry.",
        ),
        (
            {"allowed": {"columns": ["age", "age"], "rows": [[1, 1]]}},
            "The allowed rule names a column twice: age, age.",
        ),
        ({"determines": {"from": "age"}}, "A determines rule needs the fields 'from' and 'to'."),
        (
            {"determines": {"from": "age", "to": "school"}},
            (
                "A rule states that 'age' determines 'school', which needs two columns and a 'map' from "
                "each value of the first to its value of the second, taken from a document."
            ),
        ),
        (
            {"determines": {"from": "school", "to": "age", "pairs": [["low", 1], ["low", 2]]}},
            "A rule maps the value low of 'school' more than once.",
        ),
        (
            {"determines": {"from": "school", "to": "age", "map": {"lo": 1}}},
            "The rule 'lo' is not understood at 'lo': 'lo' is not a value of 'school'; did you mean 'low'?",
        ),
    ],
)
def test_faults_are_named(schema, entry, sentence):
    with pytest.raises(Mistake) as caught:
        parse_rules([entry], schema)
    assert str(caught.value) == sentence


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ('{"rule": []}', "Rules are a JSON object with the one field 'rules', not 'rule'."),
        ("{}", "Rules are a JSON object with the one field 'rules'; it is missing."),
        ('{"rules": "age is 3"}', "The field 'rules' must contain a list of sentences or objects."),
        ("[", "is not JSON: line 1, column 2."),
    ],
)
def test_files_that_are_no_rules(schema, tmp_path, content, sentence):
    path = tmp_path / "r.json"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(Mistake) as caught:
        parse_rules(path, schema)
    assert str(caught.value).endswith(sentence)
    with pytest.raises(Mistake, match="cannot be opened"):
        parse_rules(tmp_path / "none.json", schema)


@pytest.mark.parametrize(
    ("raw", "name", "said"),
    [
        (b"\xff", "r.json", "not UTF-8"),
        (b"{", "r.json", "'r.json' is not JSON: line 1"),
        (b"3", "r.json", "must contain a list"),
        (b"a,b\n", "r.csv", "one line per combination"),
    ],
)
def test_bytes_that_hold_no_rules_are_told_by_the_files_name(raw, name, said):
    with pytest.raises(Mistake, match=said):
        entries_in(raw, name=name)

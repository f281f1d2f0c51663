"""Test that contradictory rules are found and named, and that smaller effects cause warnings."""

from __future__ import annotations

import pytest

from synth.core.errors import Mistake
from synth.dictionaries import load_schema
from synth.rules import parse_rules

from .conftest import DOCUMENT  # isort: skip

YOUNG = "if age is 0 to 14 then marital is only never-married"
IDLE = "if works is true then school is not none"


TOO_YOUNG = "if marital is widowed then age is only 0 to 17"
MARRIED = "if age is 0 to 14 then marital is only married"


@pytest.mark.parametrize(
    ("rules", "named", "value"),
    [
        ([IDLE, YOUNG, MARRIED], (YOUNG, MARRIED), "'age' impossible, except in records with a blank or"),
        (["age is at least 18", IDLE, TOO_YOUNG], ("age is at least 18", TOO_YOUNG), "'marital' impossible"),
        ([f"{YOUNG} or blank", f"{MARRIED} or blank"], None, ""),
    ],
)
def test_rules_that_exclude_a_declared_value_together_are_named_in_a_warning(schema, rules, named, value):
    warned = [w for w in parse_rules(rules, schema).warnings if "together" in w]
    if named is None:
        assert not warned
        return
    (sentence,) = warned
    assert sentence.startswith(f"The rules '{named[0]}' and '{named[1]}' together make a declared value of ")
    assert value in sentence
    assert sentence.endswith({"'age'": "0 to 14.", "'mari": "widowed."}[value[:5]])


def test_a_contradiction_names_a_minimal_set_of_rules(schema):
    with pytest.raises(Mistake) as caught:
        parse_rules(["age is at least 18", IDLE, "age is below 18"], schema)
    named = "These rules contradict each other: 'age is at least 18' and 'age is below 18'. "
    assert str(caught.value).startswith(named)
    assert str(caught.value).endswith("No budget was spent.")


def test_a_rule_that_leaves_nothing_is_named_and_a_lesser_effect_is_a_warning(schema):
    with pytest.raises(Mistake, match="can satisfy the rule 'never age is at least 0'"):
        parse_rules(["never age is at least 0"], schema)
    assert parse_rules(["if school is high then works is blank"], schema).warnings


def test_a_blank_is_no_way_out_unless_a_rule_offers_it(schema):
    pair = [
        "if age is 0 to 14 then joined is only 2011-01-01",
        "if age is 0 to 14 then joined is only 2011-01-02",
    ]
    (warning,) = parse_rules(pair, schema).warnings
    assert "'age' impossible, except in records with a blank or undeclared value: 0 to 14." in warning
    offered = [f"{sentence} or blank" for sentence in pair]
    assert parse_rules(offered, schema).warnings == ()


def test_a_label_for_other_is_a_partner_only_if_named():
    schema = load_schema(DOCUMENT)
    assert parse_rules([YOUNG, "if age is 0 to 14 then marital is only widowed"], schema).warnings
    named = [f"{YOUNG} or Other", "if age is 0 to 14 then marital is only widowed or Other"]
    assert parse_rules(named, schema).warnings == ()

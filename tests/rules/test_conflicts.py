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
    ("rules", "guilty", "left", "instance"),
    [
        ([IDLE, YOUNG, MARRIED], f"'{YOUNG}' and '{MARRIED}'", "no record with age 0 to 14", "married"),
        (
            ["age is at least 18", IDLE, TOO_YOUNG.replace("only ", "")],
            f"'age is at least 18' and '{TOO_YOUNG}'",
            "no record with marital widowed",
            "widowed",
        ),
        (
            ["age is at least 18", IDLE, "age is below 18"],
            "'age is at least 18' and 'age is below 18'",
            "no value for 'age'.",
            "",
        ),
    ],
)
def test_contradictions_name_rules_columns_and_a_combination(schema, rules, guilty, left, instance):
    with pytest.raises(Mistake) as caught:
        parse_rules(rules, schema)
    said = str(caught.value)
    assert f"These rules contradict each other: {guilty}. Together they leave {left}" in said
    assert IDLE not in said
    if instance:
        ages, rule = {"married": ("0 to 14", YOUNG), "widowed": ("18 to 30", TOO_YOUNG)}[instance]
        assert f"(for example, '{rule}' excludes age {ages} with marital {instance})." in said


def test_a_rule_that_leaves_nothing_is_named_and_a_lesser_effect_is_a_warning(schema):
    with pytest.raises(
        Mistake, match="The rule 'never age is at least 0' leaves no possible value for 'age'"
    ):
        parse_rules(["never age is at least 0"], schema)
    assert parse_rules(["if school is high then works is blank"], schema).warnings


def test_a_blank_is_no_way_out_unless_a_rule_offers_it(schema):
    pair = [
        "if age is 0 to 14 then joined is only 2011-01-01",
        "if age is 0 to 14 then joined is only 2011-01-02",
    ]
    with pytest.raises(Mistake, match="contradict each other"):
        parse_rules(pair, schema)
    offered = [f"{sentence} or blank" for sentence in pair]
    assert parse_rules(offered, schema).warnings == ()


def test_a_label_for_other_is_a_partner_only_if_named():
    schema = load_schema(DOCUMENT)
    with pytest.raises(Mistake, match="contradict each other"):
        parse_rules([YOUNG, "if age is 0 to 14 then marital is only widowed"], schema)
    named = [f"{YOUNG} or Other", "if age is 0 to 14 then marital is only widowed or Other"]
    assert parse_rules(named, schema).warnings == ()

"""Rules that exclude each other are found and the guilty ones named; lesser effects are warned about."""

from __future__ import annotations

import pytest

from synth.core.errors import Mistake
from synth.dictionaries import load_schema
from synth.rules import parse_rules

from .conftest import DOCUMENT  # isort: skip

YOUNG = "if age is 0 to 14 then marital is only never-married"
IDLE = "if works is true then school is not none"


@pytest.mark.parametrize(
    ("rules", "sentence"),
    [
        (
            [IDLE, YOUNG, "if age is 0 to 14 then marital is only married"],
            (
                f"These rules contradict each other: '{YOUNG}' and 'if age is 0 to 14 then marital is "
                f"only married'. "
                "Together they leave no record with age 0 to 14 "
                f"(for instance, age 0 to 14 with marital married is excluded by '{YOUNG}')."
            ),
        ),
        (
            ["age is at least 18", IDLE, "if marital is widowed then age is 0 to 17"],
            (
                "These rules contradict each other: 'age is at least 18' and "
                "'if marital is widowed then age is only 0 to 17'. Together they leave no record with "
                "marital widowed "
                "(for instance, age 18 to 30 with marital widowed is excluded by "
                "'if marital is widowed then age is only 0 to 17')."
            ),
        ),
        (
            ["age is at least 18", IDLE, "age is below 18"],
            (
                "These rules contradict each other: 'age is at least 18' and 'age is below 18'. "
                "Together they leave no value for 'age'."
            ),
        ),
        (["if school is high then works is blank"], None),
        (
            ["never age is at least 0"],
            "The rule 'never age is at least 0' leaves no possible value for 'age'.",
        ),
    ],
)
def test_contradictions_name_rules_columns_and_a_combination(schema, rules, sentence):
    if sentence is None:
        assert parse_rules(rules, schema).warnings
        return
    try:
        found = parse_rules(rules, schema)
    except Mistake as mistake:
        assert sentence in str(mistake)
        assert IDLE not in str(mistake)
    else:
        pytest.fail(f"not found: {found.sentences}")


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

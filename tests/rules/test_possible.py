"""Test that contradictions are found exactly, against an enumeration of all rows."""

from __future__ import annotations

import random
from itertools import product

import pytest

from synth.core.errors import Mistake
from synth.rules import parse_rules
from tests.rules import invented

from .conftest import schema_of  # isort: skip

COLUMNS = [
    {"name": "a", "kind": "integer", "min": 0, "max": 3, "bins": 2, "blank": False},
    {"name": "b", "kind": "integer", "min": 1, "max": 4, "bins": 1, "blank": False},
    {"name": "c", "kind": "integer", "min": 0, "max": 6, "multiple": 3, "blank": False},
    {"name": "group", "kind": "category", "values": ["x", "y"], "blank": False},
]
ROWS = [
    dict(zip("abcg", row, strict=True)) | {"group": row[3]}
    for row in product(range(4), range(1, 5), (0, 3, 6), "xy")
]


@pytest.mark.parametrize("seed", range(4))
def test_rules_are_refused_if_no_row_satisfies_them(seed):
    schema, rng, refused = schema_of(COLUMNS), random.Random(seed), 0
    for _ in range(12):
        made = [invented.comparison(rng, COLUMNS) for _ in range(rng.randint(2, 5))]
        rules = list({rule.sentence: rule for rule in made if rule is not None}.values())
        exists = any(not any(rule.broken(row) for rule in rules) for row in ROWS)
        try:
            parse_rules([rule.sentence for rule in rules], schema)
        except Mistake as mistake:
            assert not exists
            assert str(mistake).endswith("No budget was spent.")
            refused += 1
        else:
            assert exists
    assert 0 < refused < 12, "the sets are mixed"


def test_warnings_name_exactly_the_values_that_no_row_can_have():
    schema, rng, warned = schema_of(COLUMNS), random.Random(5), 0
    for _ in range(40):
        made = [invented.comparison(rng, COLUMNS) for _ in range(rng.randint(3, 6))]
        rules = list({rule.sentence: rule for rule in made if rule is not None}.values())
        left = {row["group"] for row in ROWS if not any(rule.broken(row) for rule in rules)}
        if not left:
            continue
        said = parse_rules([rule.sentence for rule in rules], schema).warnings
        lost = {sentence[-2] for sentence in said if "'group'" in sentence}
        assert lost == ({"x", "y"} - left if any("group" in rule.sentence for rule in rules) else set())
        warned += bool(lost)
    assert warned, "some sets exclude a value"


def test_the_named_rules_are_a_minimal_contradiction():
    schema = schema_of(COLUMNS)
    sentences = ["a is below b", "c is at most a", "b is at most c", "if group is x then a is at least 1"]
    with pytest.raises(Mistake, match="contradict each other") as caught:
        parse_rules(sentences, schema)
    assert all(f"'{sentence}'" in str(caught.value) for sentence in sentences[:3])
    assert "group" not in str(caught.value)


def test_one_rule_that_no_record_satisfies_is_named():
    columns = [
        {"name": "low", "kind": "decimal", "min": 0, "max": 1, "decimals": 1},
        {"name": "high", "kind": "decimal", "min": 1, "max": 2, "decimals": 1},
    ]
    with pytest.raises(Mistake, match=r"can satisfy the rule 'low is above high'\. No budget was spent\."):
        parse_rules(["low is above high"], schema_of(columns))
    assert parse_rules(["low is at least high"], schema_of(columns)).warnings == ()


def test_a_contradiction_that_needs_two_values_at_once_is_found():
    """Each pair of columns has allowed values, but no three: a colouring of a triangle with two colours."""
    columns = [
        {"name": n, "kind": "category", "values": ["red", "blue"], "blank": False} for n in ("p", "q", "r")
    ]
    edges = [("p", "q"), ("q", "r"), ("r", "p")]
    sentences = [f"never {a} is {v} and {b} is {v}" for a, b in edges for v in ("red", "blue")]
    with pytest.raises(Mistake, match="contradict each other"):
        parse_rules(sentences, schema_of(columns))


def test_a_blank_column_is_in_no_comparison_if_a_rule_mentions_blank():
    columns = [{"name": n, "kind": "integer", "min": 0, "max": 9} for n in "ab"]
    rules = ["a is above b", "b is only 9"]
    with pytest.raises(Mistake, match="contradict each other"):
        parse_rules(rules, schema_of(columns))
    assert len(parse_rules([*rules, "a is only 0 or blank"], schema_of(columns))) == 3

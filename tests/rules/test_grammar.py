"""Test that sentences have the intended meaning, or are refused with the part that was not understood."""

from __future__ import annotations

import pytest

from synth.core.errors import Mistake
from synth.core.schema import Column, Kind, Schema, Unit
from synth.rules import parse_rules
from synth.rules.documents import parse_entry
from synth.rules.grammar import parse_sentence
from synth.rules.terms import Compare, Condition, Forbid, Range

from .conftest import schema_of  # isort: skip


@pytest.mark.parametrize(
    ("typed", "canonical"),
    [
        (
            "IF Age IS 0-14 THEN Marital is only NEVER-married.",
            "if age is 0 to 14 then marital is only never-married",
        ),
        ("if age is from 0 to 14 then works is false", "if age is 0 to 14 then works is only false"),
        ("if age is under 15 then works is not true", "if age is below 15 then works is not true"),
        (
            "if marital is married but apart, widowed, or 'married' then age is at least 16",
            "if marital is married but apart or widowed or married then age is at least 16",
        ),
        (
            "if school is low to high then age is over 5",
            "if school is low or middle or high then age is above 5",
        ),
        ("school is at most middle", "school is only none or low or middle"),
        ("never works is true and age is at most 10 or blank", None),
        ("if joined is 2011-01-05 to 2011-01-06 then works is only true", None),
        ("if age is 3 and works is true then school is only low and marital is not widowed", None),
        ("'hours per week' is at least 1", "hours per week is at least 1"),
    ],
)
def test_sentences_and_their_canonical_text(schema, typed, canonical):
    rule = parse_sentence(typed, schema)
    assert rule.sentence == (canonical or typed)
    assert parse_sentence(rule.sentence, schema) == rule


def test_what_a_sentence_forbids(schema):
    (part,) = parse_sentence("if age is 0 to 14 then marital is only never-married", schema).parts
    married = Condition("marital", values=("never-married",), negated=True)
    assert part == Forbid((Condition("age", ranges=(Range(0, 14),)), married))


def test_two_columns_are_compared(schema):
    rule = parse_sentence("if works is true then years is at most age", schema)
    assert rule.parts == (Compare("years", "at most", "age", (Condition("works", values=(True,)),)),)
    assert parse_sentence(rule.sentence, schema) == rule


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("if age <= 14 then marital is widowed", "if age is at most 14 then marital is only widowed"),
        ("never age>3 and marital = other", "never age is above 3 and marital is Other"),
        ("'age' < 3", "age is below 3"),
        ("age is ≤ 14", "age is at most 14"),
        ("age ≠ 3", "age is not 3"),
        ("age is != 3 or blank", "age is not 3 or blank"),
        ("AGE=>3", "age is at least 3"),
        ("years >= age", "years is at least age"),
        ("if works == true then left > joined", "if works is true then left is above joined"),
        ("school ≥ 'low'", "school is at least low"),
    ],
)
def test_signs_mean_the_same_as_words(schema, typed, meant):
    assert parse_sentence(typed, schema) == parse_sentence(meant, schema)


def test_a_sign_in_a_name_or_value_is_not_a_comparison():
    schema = schema_of(
        [
            {"name": "a<b", "kind": "integer", "min": 0, "max": 9},
            {"name": "pay", "kind": "ordered", "values": ["<=50K", ">50K"]},
        ]
    )
    for typed in ("if a<b >= 3 then pay is >50K", "if a<b is at least 3 then pay >50K"):
        assert parse_sentence(typed, schema).sentence == "if 'a<b' is at least 3 then pay is only '>50K'"


@pytest.mark.parametrize(
    ("typed", "sentence"),
    [
        (
            "if age is 0 to 14 then marital is only nevermarried",
            (
                "is not understood at 'nevermarried': 'nevermarried' is not a value of 'marital'; did "
                "you mean 'never-married'?"
            ),
        ),
        (
            "never marital is",
            "is not understood at its end: 'marital' needs a value, such as 'never-married'.",
        ),
        ("agee is 3", "names a column 'agee' that is not declared; did you mean 'age'?"),
        ("id is 3", "is about 'id', which is excluded and not modelled."),
        ("if age is 3", "is not understood at its end: expected 'and', 'or' or 'then'."),
        ("age is 3 years", "is not understood at 'years': expected the end of the rule."),
        ("age 3", "is not understood at 'age 3': expected a column, the word 'is' and a value."),
        (
            "age <= joined",
            (
                "compares 'age' (integer) with 'joined' (date): both must be of the same kind, and "
                "ordered columns must have the same values."
            ),
        ),
        (
            "age <= lots",
            "is not understood at '<= lots': 'age' needs a number, a range like 'at least ...', or blank.",
        ),
        (
            "age has a 'x=y' sign",
            "is not understood at 'age has a 'x=y' sign': expected a column, the word 'is' and a value.",
        ),
        ("age is 31 to 40", "cannot be used: no value of 'age' is 31 to 40; its declared range is 0 to 30."),
        ("age is 14 to 0", "cannot be used: the first end of 14 to 0 is larger than the second."),
        ("age is 2.5", "cannot be used: 'age' contains whole numbers, but 2.5 is not a whole number."),
        (
            "marital is married to widowed",
            "cannot be used: the values of 'marital' have no order; list them with 'or'.",
        ),
        (
            "if age is 3 or works is true then age is 4",
            (
                "is not understood at 'works is true then age is 4': 'or' joins values of one column; "
                "for another column, write a second rule."
            ),
        ),
        (
            "joined is 3",
            (
                "is not understood at '3': 'joined' needs a date like 2020-12-31, a range like 'at least "
                "...', or blank."
            ),
        ),
        (
            "joined is at most age",
            (
                "compares 'joined' (date) with 'age' (integer): both must be of the same kind, and "
                "ordered columns must have the same values."
            ),
        ),
        (
            "if years is at most age then works is true",
            "is not understood at 'then works is true': two columns can be compared only after 'then'.",
        ),
        (
            "if age is 3 then age is below years",
            "cannot be used: a column that is compared cannot also be used after 'if'.",
        ),
    ],
)
def test_what_is_not_understood_is_quoted(schema, typed, sentence):
    with pytest.raises(Mistake) as caught:
        parse_sentence(typed, schema)
    assert str(caught.value) == f"The rule '{typed}' {sentence}"


def test_values_to_be_bought_may_be_named_before_they_are_known():
    estimated = {"buy": True}
    town, b = {"name": "town", "kind": "category"}, {"name": "b", "kind": "integer"}
    schema = schema_of([town | estimated, b | estimated])
    rule = parse_sentence("if town is Old Harbour or blank then b is at least 3", schema)
    assert rule.parts[0].conditions[0] == Condition("town", values=("Old Harbour",), blank=True)
    assert parse_sentence(rule.sentence, schema) == rule


SEX = Column(name="sex", kind=Kind.CATEGORY, values=(0, 1, 9), labels=("male", "female", "not told"))
HEALTH = Column(name="health", kind=Kind.ORDERED, values=("1", "2", "3"), labels=("", "fair or so", "good"))
ODD = Column(name="odd", kind=Kind.CATEGORY, values=("a", "b", "c"), labels=("b", "same", "Same"))
AGE = Column(name="age", kind=Kind.INTEGER, min=0, max=99)
LABELLED = Schema(name="s", population="p", unit=Unit(max_rows=1), columns=(SEX, HEALTH, ODD, AGE))


def test_a_label_that_could_be_another_value_is_no_name_for_one():
    (part,) = parse_entry("odd is b", LABELLED).parts
    assert part == Forbid((Condition("odd", values=("b",), negated=True),))
    with pytest.raises(Mistake, match="'same' is not a value of 'odd'"):
        parse_entry("odd is same", LABELLED)


def test_labels_are_typed_in_any_case_and_quoted_where_words_are_in_the_way():
    typed = parse_entry("if sex is FEMALE then health is 'Fair or So' or GOOD", LABELLED)
    assert typed.parts == parse_entry("if sex is 1 then health is 2 or 3", LABELLED).parts


def test_values_that_rules_exclude_are_told_by_labels():
    (warning,) = parse_rules(["if sex is 0 then age is 5", "if sex is 0 then age is 6"], LABELLED).warnings
    assert "'sex' impossible" in warning
    assert warning.endswith(": male.")

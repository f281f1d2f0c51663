"""Test target proportions: parsing, refusals, and the same result in codes and in values."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from synth.core.axis import Grouping
from synth.core.codebook import Codebook
from synth.core.discretisation import resolve_axes
from synth.core.errors import Mistake
from synth.release.decode import decode
from synth.rules import Rules, parse_rules
from synth.rules.documents import renamed_entry

from .conftest import schema_of  # isort: skip

COLUMNS: list[dict[str, Any]] = [
    {"name": "age", "kind": "integer", "min": 0, "max": 99, "bins": 10},
    {"name": "pay", "kind": "decimal", "min": 0, "max": 100, "bins": 7},
    {"name": "town", "kind": "category", "values": ["Ayr", "Bath"], "outside": "other"},
    {"name": "day", "kind": "date", "min": "2020-01-01", "max": "2023-12-31", "bins": 4},
    {"name": "grade", "kind": "ordered", "values": ["low", "mid", "high"], "blank": False},
]
SCHEMA = schema_of(COLUMNS)
YOUNG = "the share of records where age is below 33 and pay is above 51.3"
AYR = "the share of records where town is Ayr"


def coded(rules: Rules, groupings: tuple[Grouping, ...] = ()) -> tuple[Codebook, Any]:
    codebook = Codebook(schema=SCHEMA, axes=resolve_axes(SCHEMA, rules), groupings=groupings)
    return codebook, rules.coded_shares(codebook)


ENTRIES: list[Any] = [
    f"{YOUNG} should be as in the table",
    {"sentence": f"{YOUNG} should be 20%", "because": "a census"},
    {
        "share": {"where": {"age": "below 33", "town": ["Bath", None]}, "should_be": 0.25},
        "because": "a census",
    },
    {"share": {"where": {"age": "below 33"}, "should_be": 0.25, "hidden": True}},
]


@pytest.mark.parametrize(
    ("entries", "said"),
    [
        ([{"sentence": f"{YOUNG} should be 0.2", "because": " "}], "declares a number"),
        ([f"{YOUNG} should be hidden as 1.2"], "a share must be between 0 and 1"),
        ([f"{YOUNG} should be large"], "expected a share such as 0.2"),
        ([YOUNG], "expected 'and' or 'should be'"),
        (["the share of records where age is at most pay should be as in the table"], "needs a number"),
        ([{"share": {"where": {}, "should_be": 0.2}}], "must name columns"),
        ([{"share": {"where": {"age": 3}, "should_be": 2}, "because": "b"}], "from 0 to 1"),
        ([{"share": {"where": {"age": 3}, "should_be": "as in the table", "hidden": True}}], "the number"),
        ([{"share": {"where": {"age": 3}, "is": 0.2}}], "an unknown field"),
        ([f"{AYR} should be as in the table", f"{AYR} should be hidden as 0.1"],
         "Two rules are about the same share"),
        (
            ["the share of records where grade is low should be as in the table",
             "the share of records where grade is not high or mid should be as in the table"],
            "Two rules are about the same share",
        ),
        (
            ["never grade is low and town is not Ayr", "never grade is low and town is blank",
             f"{AYR} should be hidden as 0.1",
             "the share of records where grade is low should be hidden as 0.2"],
            "cannot both be",
        ),
        (["never age is below 33 and pay is above 51.3", f"{YOUNG} should be hidden as 1%"], "no record"),
        (["town is only Bath", f"{AYR} should be as in the table"], "no record can have"),
        (["the share of records where grade is blank should be as in the table"], "no record can have"),
        ([f"{AYR} should be hidden as 0.2", f"{AYR} and age is below 5 should be hidden as 0.3"],
         "cannot both be"),
        (
            [f"{AYR} should be hidden as 0.8",
             "the share of records where town is Bath and age is 3 should be hidden as 0.3"],
            "cannot both be",
        ),
    ],
)  # fmt: skip
def test_what_cannot_be_is_refused_in_a_sentence(entries: list[Any], said: str) -> None:
    with pytest.raises(Mistake, match=said):
        parse_rules(entries, SCHEMA)


def test_shares_that_a_possible_record_tells_apart_are_both_taken() -> None:
    """A blank town is not Ayr, and a rule in one direction does not affect records of the other
    proportion.
    """
    rules = ["if grade is low then town is only Ayr"]
    low = "the share of records where grade is low should be as in the table"
    named = "the share of records where town is Ayr or Bath and grade is high should be as in the table"
    high = "the share of records where grade is high should be as in the table"
    parsed = parse_rules([*rules, f"{AYR} should be as in the table", low, named, high], SCHEMA)
    assert parsed.measured_shares == 4 and parsed.warnings == ()


def test_a_share_forbids_nothing() -> None:
    rules = parse_rules(["never age is 3 and town is Ayr", f"{YOUNG} should be hidden as 0.1"], SCHEMA)
    without = parse_rules(["never age is 3 and town is Ayr"], SCHEMA)
    axes = resolve_axes(SCHEMA, rules)
    assert [z.clique for z in rules.zeros(axes)] == [z.clique for z in without.zeros(axes)]
    assert len(rules.forbidding) == len(rules.rules) - 1
    frame = decode(np.zeros((4, 5), dtype=np.int64), axes, np.random.default_rng(0))
    assert not any("share" in sentence for sentence in rules.violations(frame))


WHERES = [
    "age is below 33 and pay is above 51.3",
    "age is 17 or 20 to 25 and town is not Ayr",
    "pay is at most 14.2857142857 and day is at least 2021-03-05 and grade is mid or high",
    "day is 2022-02-02 or blank",
]


@pytest.mark.parametrize("where", WHERES)
def test_bins_are_cut_so_that_codes_and_values_tell_the_same_share(where: str) -> None:
    rules, rng = parse_rules([f"the share of records where {where} should be as in the table"], SCHEMA), None
    codebook, (share,) = coded(rules)
    rng = np.random.default_rng(0)
    codes = np.stack([rng.integers(0, n, 4000) for n in codebook.domain.sizes], axis=1)
    frame = decode(codes, codebook.axes, rng)
    holds = share.holds(codes, codebook.domain)
    assert 0 < holds.mean() < 1
    assert rules.shares_of(frame) == {share.sentence: pytest.approx(holds.mean(), abs=1e-12)}
    assert set(share.clique) == {"age", "pay", "town", "day", "grade"} & set(where.split())


def test_groups_of_codes_keep_the_share() -> None:
    rules = parse_rules(["the share of records where age is below 50 should be as in the table"], SCHEMA)
    axis = resolve_axes(SCHEMA, rules)[0]
    group_of = (*[0] * 5, *[1] * 5, 2)
    assert axis.size == len(group_of)
    grouping = Grouping(column="age", group_of=group_of, weights=(1.0,) * axis.size)
    _, (share,) = coded(rules, (grouping,))
    assert share.masks["age"].tolist() == [True, False, False]
    with pytest.raises(ValueError, match="distinguishes"):
        coded(rules, (Grouping(column="age", group_of=(*[0] * 6, *[1] * 4, 2), weights=(1.0,) * axis.size),))


@pytest.mark.parametrize(
    ("where", "said"),
    [
        ("pay is below 100", "ends inside the bin"),
        ("age is at least 0 or blank", "counts every record"),
        ("pay is at least 100", "ends inside the bin"),
    ],
)
def test_what_codes_cannot_tell_is_refused_with_the_bin(where: str, said: str) -> None:
    with pytest.raises(Mistake, match=said):
        coded(parse_rules([f"the share of records where {where} should be as in the table"], SCHEMA))


def test_more_columns_than_a_table_of_two_cells_each_can_have_are_refused() -> None:
    columns = [{"name": f"c{i}", "kind": "category", "values": ["x", "y"]} for i in range(11)]
    schema = schema_of(columns)
    where = " and ".join(f"c{i} is x" for i in range(11))
    with pytest.raises(Mistake, match="at most 10"):
        parse_rules([f"the share of records where {where} should be as in the table"], schema)


@pytest.mark.parametrize("entry", ENTRIES)
def test_a_share_follows_its_columns_to_other_names(entry: Any) -> None:
    names = {"age": "years or so", "pay": "age"}
    changed = [{**c, "name": names.get(c["name"], c["name"])} for c in COLUMNS]
    schema = schema_of(changed)
    (_, before), *_ = parse_rules([entry], SCHEMA).shares
    (_, after), *_ = parse_rules([renamed_entry(entry, SCHEMA, names)], schema).shares
    assert after.columns == tuple(names.get(name, name) for name in before.columns)
    assert (after.wanted, after.hides) == (before.wanted, before.hides)


@pytest.mark.parametrize("number", ["as in the table", "hidden as 0.2"])
def test_a_share_of_a_column_that_is_still_to_be_bought_is_refused(number: str) -> None:
    columns = [*COLUMNS, {"name": "job", "kind": "category", "buy": True}]
    schema = schema_of(columns)
    with pytest.raises(Mistake, match="'job', whose values are not known yet"):
        parse_rules([f"the share of records where job is baker should be {number}"], schema)

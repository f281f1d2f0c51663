"""Whatever the menus can say, the rule grammar reads back, and it means what was chosen."""

from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from synth.app.project.describe.sentences import (
    DOWNWARD_OPEN,
    UPWARD_OPEN,
    Clause,
    How,
    Wanted,
    hows,
    if_then,
    never,
    share,
    usable,
)
from synth.dictionaries import load_schema
from synth.rules import parse_rules
from synth.rules.documents import parse_entry
from synth.rules.spelling import choices

ODD = ["a", "b or c", "not d", "it's", 'say "x"', "1 to 2", "only", "-5", "Éa, b"]
COLUMNS = [
    {"name": "age", "kind": "integer", "min": 0, "max": 99, "bins": 10, "blank": False},
    {"name": "hours per week", "kind": "integer", "min": 0, "max": 99},
    {"name": "if then", "kind": "decimal", "min": -1.5, "max": 9.5},
    {"name": "joined", "kind": "date", "min": "2000-01-01", "max": "2020-12-31"},
    {"name": "left", "kind": "date", "min": "2000-01-01", "max": "2020-12-31"},
    {"name": "school", "kind": "ordered", "values": ["none", "low", "high"]},
    {"name": "odd", "kind": "category", "values": ODD, "outside": "other", "other_label": "else"},
    {"name": "flag", "kind": "category", "values": [True, False]},
    {"name": "zip", "kind": "category", "buy": True},
    {"name": "id", "kind": "drop"},
]
SCHEMA = load_schema({"name": "t", "population": "p", "unit": {"max_rows": 1}, "columns": COLUMNS})


def ends(name: str) -> Any:
    return {
        "age": st.integers(0, 99),
        "hours per week": st.integers(0, 99),
        "if then": st.sampled_from([-1.5, -0.25, 0.0, 0.5, 9.5]),
        "joined": st.dates().map(lambda d: d.replace(year=2000 + d.year % 20).isoformat()),
        "left": st.just("2010-05-06"),
        "school": st.sampled_from(["none", "low", "high"]),
    }[name]


@st.composite
def clauses(draw: Any) -> Clause:
    column = draw(st.sampled_from(usable(SCHEMA)))
    how = draw(st.sampled_from(hows(column)))
    if how in (How.BLANK, How.NOT_BLANK):
        return Clause(column=column.name, how=how)
    if how in (How.IS, How.IS_NOT):
        if column.kind.has_range:
            return Clause(column=column.name, how=how, values=(draw(ends(column.name)),))
        many = st.lists(st.sampled_from(choices(column)), min_size=1, max_size=3, unique_by=repr)
        return Clause(column=column.name, how=how, values=tuple(draw(many)))
    order = list(column.values).index if column.values else float if column.kind.value != "date" else str
    low, high = sorted((draw(ends(column.name)), draw(ends(column.name))), key=order)  # type: ignore[arg-type]
    bottom, top = (column.values[0], column.values[-1]) if column.values else (column.min, column.max)
    assume((how is not How.ABOVE or low != top) and (how is not How.BELOW or high != bottom))
    return Clause(
        column=column.name,
        how=how,
        low=None if how in UPWARD_OPEN else low,
        high=None if how in DOWNWARD_OPEN else high,
    )


@settings(max_examples=200, deadline=None)
@given(st.lists(clauses(), min_size=1, max_size=3), clauses())
def test_every_rule_of_the_menus_is_read_back(given_: list[Clause], wanted: Clause) -> None:
    sentence = if_then(given_, [wanted])
    assert sentence is not None
    rule = parse_entry(sentence, SCHEMA)
    assert set(rule.columns) == {clause.column for clause in (*given_, wanted)}
    assert parse_entry(rule.sentence, SCHEMA).parts == rule.parts
    if len(given_) > 1:
        text = never(given_)
        assert text is not None
        assert set(parse_entry(text, SCHEMA).columns) == {clause.column for clause in given_}


@pytest.mark.parametrize(
    ("wanted", "number", "read"),
    [
        (Wanted.AS_TABLE, None, (None, False)),
        (Wanted.DECLARED, 0.125, (0.125, False)),
        (Wanted.HIDDEN, 0.3, (0.3, True)),
    ],
)
def test_a_share_from_menus_is_read(wanted: Wanted, number: float | None, read: tuple[Any, bool]) -> None:
    where = [
        Clause(column="age", how=How.AT_LEAST, low=65),
        Clause(column="odd", how=How.IS, values=("b or c",)),
    ]
    sentence = share(where, wanted, number)
    (_, requested), *_ = parse_rules([{"sentence": sentence, "because": "b"}], SCHEMA).shares
    assert (requested.wanted, requested.hides) == read and requested.columns == ("age", "odd")
    assert share([], wanted, number) is None
    assert share([Clause(column="age", how=How.AT_LEAST)], wanted, number) is None
    assert share(where, Wanted.DECLARED, None) is None and share(where, Wanted.HIDDEN, None) is None

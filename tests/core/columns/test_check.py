"""Test that invalid computed columns and generated IDs are refused before anything is read."""

from typing import Any

import pytest

from synth.core.errors import Mistake
from synth.dictionaries import dump_schema, load_schema
from synth.rules import parse_rules

A = {"name": "a", "kind": "integer", "min": 0, "max": 9}
DAY = {"name": "day", "kind": "date", "min": "2020-01-01", "max": "2020-12-31"}
WORD = {"name": "word", "kind": "category", "values": ["x", "y"]}


SEVERAL = {"name": "several", "kind": "category", "values": [1, 2], "separator": ";"}


def made(**facts: Any) -> dict[str, Any]:
    return {"name": "made", "kind": "integer", **facts}


@pytest.mark.parametrize(
    ("column", "said"),
    [
        (made(formula="a +"), "not written like a formula"),
        (made(formula="b + 1"), "'b', which is not a column"),
        (made(formula="day + 1"), r"is a date; write year\(day\)"),
        (made(formula="year(a)"), "is not a date"),
        (made(formula="word * 2"), "not all numbers"),
        (made(formula="gone"), "'gone', which is not a column"),
        (made(formula="made + a"), "depend on each other"),
        (made(formula="a", min=0), "so 'min' does not apply"),
        (made(formula="a", kind="decimal"), "decimal places of its formula's result"),
        (made(formula="a", kind="category"), "integer or decimal"),
        (made(formula="several + 1"), "not all numbers"),
        (made(values=["x;y"], kind="category", separator=";"), "contains the separator"),
        (made(min=0, max=1, separator=";"), "kind category"),
        (made(buy=True, kind="category", separator=";"), "'buy' is not possible"),
        (made(min=0, max=9, totals=[1, 2]), "list of values, never blank"),
        (made(kind="category", values=["x", "y"], blank=False, totals=[1]), "1 totals for 2 values"),
        (made(kind="category", values=["x", "y"], blank=False, totals=[0, 0]), "add up to 0"),
        (made(min=0, max=9, limit="made + 1"), "not another modelled column"),
        (made(min=0, max=9, limit="gone"), "'gone', which is not another"),
        (made(min=0, max=9, limit="a *"), "not understood"),
        (made(min=-1, max=9, is_weight=True), "a survey weight must be a number"),
        (made(id_format="P-{}"), "set its kind to drop"),
        (made(id_format="P", kind="drop"), "one counter"),
        (made(id_format="{}-{}", kind="drop"), "one counter"),
        (made(id_format="{0.__class__}", kind="drop"), "one counter"),
        (made(id_format="{:999d}", kind="drop"), "one counter"),
    ],
)
def test_what_is_refused(column: dict[str, Any], said: str) -> None:
    columns = [A, DAY, WORD, SEVERAL, {"name": "gone", "kind": "drop"}, column]
    with pytest.raises(Mistake, match=said):
        load_schema({"name": "t", "population": "p", "unit": {"max_rows": 1}, "columns": columns})


BITS = [{"name": name, "kind": "category", "values": [0, 1]} for name in ("x", "y", "z")]


def grouped(**facts: Any) -> dict[str, Any]:
    return {"name": "g", "columns": ["x", "y"], **facts}


@pytest.mark.parametrize(
    ("groups", "said"),
    [
        ([grouped(columns=["x", "q"])], "'q' is not a column of the file"),
        ([grouped(columns=["x", "a"])], "'a' is not a category"),
        ([grouped(columns=["x", "several"])], "'several' is not a category"),
        ([grouped(chosen="yes")], "'yes', which means yes, is not among them"),
        ([grouped(), grouped(name="h", columns=["y", "z"])], "'y' is in two groups"),
        ([grouped(columns=["x", "x"])], "twice in one"),
        ([grouped(name="a")], "Two modelled columns have the name 'a'"),
        ([grouped(name="several: 1")], "Two modelled columns have the name 'several: 1'"),
        ([grouped(columns=["x"])], "a list of at least two columns"),
    ],
)
def test_groups_that_are_refused(groups: list[dict[str, Any]], said: str) -> None:
    document = {"name": "t", "population": "p", "unit": {"max_rows": 1}, "columns": [A, SEVERAL, *BITS]}
    with pytest.raises(Mistake, match=said):
        load_schema({**document, "groups": groups})


def test_a_schema_with_groups_and_options_is_written_and_read_again() -> None:
    document = {"name": "t", "population": "p", "unit": {"max_rows": 1}, "columns": [A, SEVERAL, *BITS]}
    schema = load_schema({**document, "groups": [grouped(at_most=True, chosen=1)]})
    assert load_schema(dump_schema(schema)) == schema
    assert [c.name for c in schema.modelled] == ["a", "several", "g", "z"]
    with pytest.raises(Mistake, match="not modelled under this name"):
        parse_rules(["if a is 0 then x is 1"], schema)

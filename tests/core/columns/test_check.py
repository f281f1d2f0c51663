"""Computed columns and generated ids that make no sense are refused before anything is read."""

from typing import Any

import pytest

from synth.core.errors import Mistake
from synth.dictionaries import load_schema

A = {"name": "a", "kind": "integer", "min": 0, "max": 9}
DAY = {"name": "day", "kind": "date", "min": "2020-01-01", "max": "2020-12-31"}
WORD = {"name": "word", "kind": "category", "values": ["x", "y"]}


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
        (made(formula="made + a"), "need each other"),
        (made(formula="a", min=0), "no 'min'"),
        (made(formula="a", kind="decimal"), "how many 'decimals'"),
        (made(formula="a", kind="category"), "integer or decimal"),
        (made(id_format="P-{}"), "set its kind to drop"),
        (made(id_format="P", kind="drop"), "one counter"),
        (made(id_format="{}-{}", kind="drop"), "one counter"),
        (made(id_format="{0.__class__}", kind="drop"), "one counter"),
        (made(id_format="{:999d}", kind="drop"), "one counter"),
    ],
)
def test_what_is_refused(column: dict[str, Any], said: str) -> None:
    columns = [A, DAY, WORD, {"name": "gone", "kind": "drop"}, column]
    with pytest.raises(Mistake, match=said):
        load_schema({"name": "t", "population": "p", "unit": {"max_rows": 1}, "columns": columns})

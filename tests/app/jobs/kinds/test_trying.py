"""Rules are tried on rows that are said to be public, by another process, and counted as a person would."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from synth.app.jobs.kinds.trying import tried
from synth.core.errors import Mistake

CANARY = "canary-5zqe"
ROWS = [
    (7, "single", 3, 1),
    (9, "married", 9, 2),
    (12, "", 0, 5),
    (40, "married", 8, 3),
    (66, "single", 4, 4),
]
SCHEMA: dict[str, Any] = {
    "name": "t",
    "population": "p",
    "unit": {"max_rows": 1},
    "columns": [
        {"name": "age", "kind": "integer", "min": 0, "max": 99, "bins": 5},
        {"name": "marital", "kind": "category", "values": ["single", "married"]},
        {"name": "first", "kind": "integer", "min": 0, "max": 9, "bins": 10},
        {"name": "last", "kind": "integer", "min": 0, "max": 9, "bins": 10},
        {"name": "town", "kind": "category", "buy": True},
    ],
}


@pytest.fixture
def table(tmp_path: Path) -> Path:
    lines = [f"{age},{marital},{first},{last},{CANARY}" for age, marital, first, last in ROWS]
    (tmp_path / "t.csv").write_text("\n".join(["age,marital,first,last,town", *lines]) + "\n")
    return tmp_path / "t.csv"


def test_every_rule_is_counted_by_itself(table: Path) -> None:
    rules = [
        "if age is below 15 then marital is only single",
        "if marital is married then age is at least 10",
        {"sentence": "first is at most last", "because": "time"},
        "if marital is single then age is at most 99",
        {"share": {"where": {"marital": "married"}, "should_be": 0.2, "hidden": False}, "because": "law"},
        "if town is blank then marital is only single",
    ]
    found = tried(str(table), SCHEMA, rules, public=True)
    child = sum(age < 15 and marital == "married" for age, marital, _, _ in ROWS)
    young = sum(marital == "married" and age < 10 for age, marital, _, _ in ROWS)
    later = sum(first > last for *_, first, last in ROWS)
    assert (child, young, later) == (1, 1, 3)
    assert found.rows == len(ROWS)
    assert found.forbidden == (child, young, later, 0, None, None)
    assert found.at_least == (False, False, True, False, False, False)


@pytest.mark.parametrize("public", [False, None, "yes"])
def test_a_table_that_nobody_said_to_be_public_is_refused_by_the_process(table: Path, public: Any) -> None:
    with pytest.raises(Mistake, match="public or invented tables") as caught:
        tried(str(table), SCHEMA, ["if age is below 15 then marital is only single"], public=public)
    assert CANARY not in str(caught.value)


def test_blanks_where_none_are_declared_are_a_sentence(table: Path) -> None:
    never = {
        **SCHEMA,
        "columns": [{**c, "blank": False} if c["name"] == "marital" else c for c in SCHEMA["columns"]],
    }
    with pytest.raises(Mistake, match="declared never blank"):
        tried(str(table), never, [], public=True)

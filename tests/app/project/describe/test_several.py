"""What is said of several columns reaches them and no other, and pasted lines become columns."""

from typing import Any

from synth.app.project.describe import several
from synth.app.project.describe.several import Together
from synth.core.schema import Kind, Provenance
from synth.dictionaries import load_schema

COLUMNS: list[dict[str, Any]] = [
    {"name": "age", "kind": "integer", "min": 0, "max": 9, "title": "Age in years"},
    {"name": "q1", "kind": None},
    {"name": "q2", "kind": None, "weight": 2.0},
    {"name": "id", "kind": "drop"},
]
SCHEMA: dict[str, Any] = {"name": "t", "population": "p", "unit": {"max_rows": 1}, "columns": COLUMNS}


def names(document: dict[str, Any]) -> list[str]:
    return [entry["name"] for entry in document["columns"]]


def test_one_list_and_more_is_said_of_many() -> None:
    said = Together(holds="1/2", blank=False, weight=0.5, source=Provenance.PUBLIC_DOCUMENT)
    changed = several.with_together(SCHEMA, ["q1", "q2"], said)
    for entry in changed["columns"][1:3]:
        assert entry | {"values": ["1", "2"], "labels": ["yes", "no"], "blank": False, "weight": 0.5} == entry
        assert entry["provenance"] == "public document"
    assert changed["columns"][0] == SCHEMA["columns"][0] | {"blank": True, "provenance": "steward knowledge"}
    assert several.with_together(SCHEMA, ["age"], Together(kind=Kind.CATEGORY))["columns"][0][
        "values"
    ] == list("0123456789")


def test_columns_are_moved_and_taken_out_together() -> None:
    assert names(several.moved(SCHEMA, ["id", "q1"], to=0)) == ["q1", "id", "age", "q2"]
    assert names(several.moved(SCHEMA, ["age"], to=99)) == ["q1", "q2", "id", "age"]
    assert names(several.without(SCHEMA, ["q1", "id"])) == ["age", "q2"]


def test_lines_of_a_spreadsheet_change_columns_and_add_some() -> None:
    lines = "q1\tyes, no\tFirst question\nplace\tleft out\nq2\t0 to 5 by 1\n"
    document, named = several.pasted(SCHEMA, lines)
    assert named == ("q1", "place", "q2") and names(document)[-1] == "place"
    q1, q2 = document["columns"][1:3]
    assert (q1["values"], q1["title"], q2["max"], q2["weight"]) == (["yes", "no"], "First question", 5, 2.0)
    load_schema(document)
    assert several.pasted(SCHEMA, "age: 0 to 120")[0]["columns"][0]["max"] == 120

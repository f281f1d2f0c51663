"""Through the grid and the panel nothing typed is lost, and a changed kind leaves nothing behind."""

from __future__ import annotations

from typing import Any

from synth.app.project.describe.columns import rows_of, stray_reads, with_column, with_rows
from synth.core.schema import Kind, Provenance
from synth.dictionaries import load_schema

SCHEMA: dict[str, Any] = {
    "name": "t",
    "population": "p",
    "unit": {"max_rows": 2, "id_column": "id"},
    "columns": [
        {"name": "id", "kind": "drop", "provenance": "steward knowledge"},
        {"name": "age", "kind": "integer", "min": 0, "max": 99, "bins": 20, "blank": False},
        {"name": "pay", "kind": "decimal", "min": 0, "max": 9.5, "step": 0.5, "points": [0], "weight": 2.0},
        {"name": "ward", "kind": "category", "values": ["a", 1, True], "title": "Ward", "outside": "other"},
        {"name": "day", "kind": "date", "min": "2020-01-01", "max": "2020-12-31", "binning": "privtree"},
        {"name": "zip", "kind": "category", "buy": True, "provenance": "estimated with budget"},
        {"name": "new", "kind": None},
    ],
}


def edit(document: dict[str, Any], row: int, **cells: Any) -> dict[str, Any]:
    rows = rows_of(document)
    rows[row] |= cells
    return with_rows(document, rows)


def column(document: dict[str, Any], name: str) -> dict[str, Any]:
    return next(c for c in document["columns"] if c["name"] == name)


def test_untouched_details_change_nothing_that_counts() -> None:
    whole = {**SCHEMA, "columns": SCHEMA["columns"][:-1]}
    through = whole
    for entry in whole["columns"]:
        through = with_column(through, entry)
    assert load_schema(through) == load_schema(whole)


def test_what_the_grid_does_not_show_stays_with_its_column_through_renames_and_removals() -> None:
    rows = rows_of(SCHEMA)
    rows[2]["name"] = "wage"
    changed = with_rows(SCHEMA, [rows[0], *rows[2:]])
    assert [c["name"] for c in changed["columns"]] == ["id", "wage", "ward", "day", "zip", "new"]
    assert column(changed, "wage")["weight"] == 2.0
    assert column(changed, "wage")["points"] == [0]


def test_a_rename_reaches_formulas_and_limits() -> None:
    made = {"name": "c", "kind": "integer", "formula": "max(age, 'age', 2) - id"}
    below = {"name": "d", "kind": "integer", "min": 0, "max": 9, "limit": "age"}
    document = {**SCHEMA, "columns": [*SCHEMA["columns"], made, below]}
    rows = rows_of(document)
    next(row for row in rows if row["name"] == "age")["name"] = "Ålder i år"
    changed = with_rows(document, rows)
    assert column(changed, "c")["formula"] == "max('Ålder i år', 'Ålder i år', 2) - id"
    assert column(changed, "d")["limit"] == "'Ålder i år'"


def test_another_kind_leaves_nothing_of_the_old_one_behind() -> None:
    age = column(edit(SCHEMA, 1, kind=Kind.CATEGORY, holds=None, bins=None), "age")
    assert set(age) == {"name", "kind", "blank", "provenance"}
    ward = column(edit(SCHEMA, 3, kind=Kind.INTEGER, holds="0 to 5"), "ward")
    assert "values" not in ward and "outside" not in ward and ward["title"] == "Ward"


def test_what_is_bought_is_a_list_or_a_range_as_was_typed_and_else_what_the_column_was() -> None:
    """`estimated` alone of a range once made a category of it, and no word could buy a range."""
    assert column(edit(SCHEMA, 1, holds="bought"), "age")["kind"] == "integer"
    assert column(edit(SCHEMA, 1, holds="range bought"), "age")["kind"] == "integer"
    assert column(edit(SCHEMA, 1, holds="dates estimated"), "age")["kind"] == "date"
    listed = column(edit(SCHEMA, 1, holds="list bought"), "age")
    assert (listed["kind"], listed["buy"]) == ("category", True) and "min" not in listed
    estimated = edit(SCHEMA, 5, holds="range bought")
    assert (
        column(estimated, "zip")["kind"] == "decimal"
        and rows_of(estimated)[5]["holds"] == "decimal numbers estimated"
    )
    again = column(edit(estimated, 5, kind=Kind.CATEGORY), "zip")
    assert again["kind"] == "category" and again["buy"]


def test_what_an_earlier_release_has_bought_is_not_lost_or_paid_for_again() -> None:
    """The dictionary of a release lists it; an edit of another line of the grid must not touch it."""
    known: list[dict[str, Any]] = [
        {"name": "job", "kind": "category", "values": ["a", "b"], "provenance": "estimated with budget"},
        {"name": "tax", "kind": "integer", "min": 0, "max": 9, "provenance": "estimated with budget"},
        {"name": "age", "kind": "integer", "min": 0, "max": 99, "provenance": "public document"},
    ]
    edited = edit({**SCHEMA, "unit": {"max_rows": 1}, "columns": known}, 2, holds="0 to 120")
    assert column(edited, "job")["values"] == ["a", "b"]
    assert (column(edited, "tax")["min"], column(edited, "tax")["max"]) == (0, 9)
    assert not any("buy" in c for c in edited["columns"])
    again = edit(edited, 2, source=Provenance.ESTIMATED)
    assert column(again, "age")["buy"] and "max" not in column(again, "age")


def test_lines_of_codes_that_name_no_declared_value_are_found() -> None:
    lines = "yes: Yes, Y\nYes = yes\nno:\n\nmaybe: m"
    assert stray_reads(lines, ("yes", "no")) == ["Yes = yes", "no:", "maybe: m"]

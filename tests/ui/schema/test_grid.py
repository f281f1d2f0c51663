"""What is typed into the grid is there until it is saved, whatever is done beside it."""

from __future__ import annotations

import copy
from typing import Any

import pandas as pd

from synth.project import store as projects
from synth.ui.schema import grid
from synth.ui.schema.grid import grid_of

SCHEMA: dict[str, Any] = {
    "name": "mine",
    "population": "town",
    "unit": {"max_rows": 1},
    "columns": [
        {"name": "age", "kind": "integer", "min": 0, "max": 9, "bins": 5},
        {"name": "ward", "kind": "category", "values": ["a", "b"], "blank": False},
    ],
}
NO_EDITS: dict[str, Any] = {"edited_rows": {}, "added_rows": [], "deleted_rows": []}


def page() -> None:
    import streamlit as st

    from synth.ui import state
    from synth.ui.schema import panels as schema_pieces

    project = state.current()
    assert project is not None
    if st.toggle("elsewhere", key="elsewhere"):
        return
    schema_pieces.editor(project)


def column(project: Any, name: str) -> dict[str, Any]:
    return next(c for c in projects.load(project.id).schema["columns"] if c["name"] == name)


def opened(draw: Any, mine: Any, **edits: Any) -> tuple[Any, Any]:
    """A page on which these edits were made in the grid and not saved."""
    project = mine(schema=SCHEMA)
    app = draw(page, project)
    app.session_state["grid-0"] = NO_EDITS | edits
    app.run()
    assert not app.exception and not app.button(key="save-grid").disabled
    return app, project


def test_an_edit_outlasts_a_change_beside_the_grid_that_redraws_it(draw: Any, mine: Any) -> None:
    app, project = opened(draw, mine, edited_rows={0: {"high": "12"}})
    app.selectbox(key="panel-column").set_value("age").run()
    app.number_input(key="grid-0-0-step").set_value(3.0).run()
    assert "bins" not in column(project, "age"), "the grid shows other cells now"
    assert not app.button(key="save-grid").disabled, "the edit still waits to be saved"
    app.button(key="save-grid").click().run()
    assert (column(project, "age")["max"], column(project, "age")["step"]) == (12, 3)


def test_saving_the_grid_keeps_what_was_typed_beside_it_at_the_same_moment(draw: Any, mine: Any) -> None:
    app, project = opened(draw, mine, edited_rows={0: {"high": "12"}})
    app.text_area(key="grid-0-1-values").set_value("north\nsouth")
    app.button(key="save-grid").click().run()
    assert column(project, "age")["max"] == 12
    assert column(project, "ward")["values"] == ["north", "south"]


def test_an_edit_outlasts_leaving_the_page(draw: Any, mine: Any) -> None:
    app, project = opened(draw, mine, edited_rows={0: {"high": "12"}}, added_rows=[{"name": "town"}])
    app.toggle(key="elsewhere").set_value(True).run()
    app.toggle(key="elsewhere").set_value(False).run()
    app.button(key="save-grid").click().run()
    assert column(project, "age")["max"] == 12
    assert column(project, "town")["kind"] is None


def typed(frame: pd.DataFrame, line: int, **cells: Any) -> pd.DataFrame:
    changed = frame.copy()
    for name, cell in cells.items():
        changed.loc[line, name] = cell
    return changed


def test_cells_lines_and_gaps_are_carried_over_to_other_columns() -> None:
    drawn = grid_of(SCHEMA)
    now = copy.deepcopy(SCHEMA)
    now["columns"][0] |= {"max": 50, "min": 5}
    now["columns"].append({"name": "late", "kind": "date"})
    changed = typed(drawn, 0, high="12").drop(index=[1])
    found = grid.with_grid(now, grid.carried(changed, drawn, grid_of(now)))["columns"]
    assert [(c["name"], c.get("min"), c.get("max")) for c in found] == [
        ("age", 5, 12),
        ("late", None, None),
    ]


def test_a_line_whose_column_is_gone_comes_back_only_if_it_was_typed_into() -> None:
    drawn, now = grid_of(SCHEMA), grid_of({**SCHEMA, "columns": SCHEMA["columns"][1:]})
    assert list(grid.carried(typed(drawn, 0, high="12"), drawn, now)["name"]) == ["ward", "age"]
    assert list(grid.carried(drawn, drawn, now)["name"]) == ["ward"]


def test_the_edits_of_the_widget_are_cells_new_lines_and_lines_gone() -> None:
    edits = {"edited_rows": {1: {"name": "district"}}, "added_rows": [{"name": "x"}], "deleted_rows": [0]}
    found = grid.applied(grid_of(SCHEMA), edits)
    assert list(found["name"]) == ["district", "x"]
    assert found["was"].tolist()[0] == "ward"

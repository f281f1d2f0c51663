"""What is typed into the grid is saved as it is typed, and the grid shows at once what was read from it."""

from typing import Any

from synth.app.project import store as projects

SCHEMA: dict[str, Any] = {
    "name": "mine",
    "population": "town",
    "unit": {"max_rows": 1},
    "columns": [
        {"name": "age", "kind": "integer", "min": 0, "max": 9, "bins": 5},
        {"name": "ward", "kind": "category", "values": ["a", "b"], "blank": False},
        {"name": "late", "kind": None},
    ],
}


def page() -> None:
    import streamlit as st

    from synth.app.ui import state
    from synth.app.ui.schema import editor

    project = state.current()
    assert project is not None
    if st.toggle("elsewhere", key="elsewhere"):
        return
    editor.editor(project)


def column(project: Any, name: str) -> dict[str, Any]:
    return next(c for c in projects.load(project.id).schema["columns"] if c["name"] == name)


def typed(app: Any, grid: str = "grid-0", **lines: dict[str, Any]) -> None:
    """Tell the page what the widget holds: `line0={...}` are the cells typed into the first line."""
    edited = {int(line.removeprefix("line")): cells for line, cells in lines.items()}
    app.session_state[grid] = {"edited_rows": edited, "added_rows": [], "deleted_rows": []}
    app.run()


def grid_key(app: Any) -> str:
    return "grid-1" if "grid-generation" in app.session_state else "grid-0"


def test_a_cell_is_saved_at_once_and_the_grid_stays(draw: Any, mine: Any) -> None:
    project = mine(schema=SCHEMA)
    app = draw(page, project)
    typed(app, line2={"holds": "0.0 to 1.5"})
    assert column(project, "late") | {"kind": "decimal", "min": 0.0, "max": 1.5} == column(project, "late")
    typed(app, line2={"holds": "0.0 to 1.5"}, line0={"holds": "0 to 12", "blank": False})
    assert (column(project, "age")["max"], column(project, "age")["blank"]) == (12, False)
    assert grid_key(app) == "grid-0", "whoever types goes on in the same grid"


def test_the_panel_does_not_undo_the_grid_nor_the_grid_the_panel(draw: Any, mine: Any) -> None:
    project = mine(schema=SCHEMA)
    app = draw(page, project)
    typed(app, line1={"holds": "north, south"})
    assert column(project, "ward")["values"] == ["north", "south"]
    app.selectbox(key="panel-column").set_value("ward").run()
    app.text_area(key="panel-1-1-values").set_value("east\nwest").run()
    assert column(project, "ward")["values"] == ["east", "west"]
    app.run()
    assert column(project, "ward")["values"] == ["east", "west"]
    assert grid_key(app) != "grid-0", "the cell that said otherwise is gone"


def test_a_name_that_stands_twice_is_told_and_the_rest_stays_saved(draw: Any, mine: Any) -> None:
    project = mine(schema=SCHEMA)
    app = draw(page, project)
    typed(app, line0={"holds": "0 to 12"})
    typed(app, line0={"holds": "0 to 12"}, line1={"name": "age"})
    assert "is in the grid twice" in app.error[0].value
    assert [c["name"] for c in projects.load(project.id).schema["columns"]] == ["age", "ward", "late"]
    assert column(project, "age")["max"] == 12
    typed(app, line0={"holds": "0 to 12"}, line1={"name": "district"})
    assert not app.error and column(project, "district")["values"] == ["a", "b"]


def test_a_renamed_column_is_followed_when_it_is_typed_into_again(draw: Any, mine: Any) -> None:
    project = mine(schema=SCHEMA, rules=("if ward is a then age is 5",))
    app = draw(page, project)
    typed(app, line1={"name": "district"})
    typed(app, line1={"name": "district", "holds": "a, b, c"})
    assert column(project, "district")["values"] == ["a", "b", "c"]
    assert projects.load(project.id).rules == ("if district is a then age is 5",)

"""Lines are typed, several columns are said to be alike, and a search leaves some of many."""

from typing import Any

from synth.app.project import store as projects
from synth.app.ui.text.schema import grid as grid_words
from synth.app.ui.text.schema import ways as ways_words
from synth.dictionaries import load_schema


def page() -> None:
    import streamlit as st

    from synth.app.ui import state
    from synth.app.ui.schema import several

    project = state.current()
    assert project is not None
    several.lines(project)
    shown = several.found(project)
    st.text(" ".join(shown or ("all",)))
    several.together(project, shown)


def document(*names: str) -> dict[str, Any]:
    columns = [{"name": name, "kind": "category", "values": ["no", "yes"]} for name in names]
    return {"name": "mine", "population": "p", "unit": {"max_rows": 1}, "columns": columns}


def columns(project: Any) -> list[dict[str, Any]]:
    return projects.load(project.id).schema["columns"]


def named(items: Any, label: str) -> Any:
    (item,) = (item for item in items if item.label == label)
    return item


def test_lines_that_are_pasted_become_columns(draw: Any, mine: Any) -> None:
    project = mine(schema=document())
    app = draw(page, project=project)
    app.text_area[0].set_value("age\t0 to 99\nsmokes\tno, yes").run()
    named(app.button, ways_words.PASTE_BUTTON).click().run()
    assert [(c["name"], c["kind"]) for c in columns(project)] == [("age", "integer"), ("smokes", "category")]
    assert columns(project)[0]["max"] == 99 and app.text_area[0].value == ""
    app.text_area[0].set_value("fee: estimated\npaid: decimal numbers bought").run()
    named(app.button, ways_words.PASTE_BUTTON).click().run()
    assert [(c["kind"], c["buy"]) for c in columns(project)[2:]] == [("category", True), ("decimal", True)]


def test_several_columns_are_set_and_removed_at_once(draw: Any, mine: Any) -> None:
    project = mine(schema=document("a", "b", "c"))
    app = draw(page, project=project)
    app.multiselect[0].set_value(["a", "c"]).run()
    named(app.text_input, grid_words.SEVERAL_HOLDS).set_value("low, high").run()
    app.button(key="set-several").click().run()
    changed, kept = ["low", "high"], ["no", "yes"]
    assert [c["values"] for c in columns(project)] == [changed, kept, changed]
    app.multiselect[0].set_value(["b"]).run()
    app.button(key="remove-several").click().run()
    assert [c["name"] for c in columns(project)] == ["a", "c"]


def test_columns_are_grouped_and_ungrouped(draw: Any, mine: Any) -> None:
    project = mine(schema=document("a", "b", "c"))
    app = draw(page, project=project)
    app.multiselect[0].set_value(["a", "c"]).run()
    named(app.text_input, "Name of the group").set_value("way").run()
    named(app.text_input, "Value that means yes").set_value("yes").run()
    app.button(key="group-several").click().run()
    group = {"name": "way", "columns": ["a", "c"], "chosen": "yes", "at_most": False}
    schema = projects.load(project.id).schema
    assert schema["groups"] == [group] and "a, c is yes" in "".join(m.value for m in app.markdown)
    assert [c.name for c in load_schema(schema).modelled] == ["way", "b"]
    app.button(key="ungroup-0").click().run()
    assert "groups" not in projects.load(project.id).schema

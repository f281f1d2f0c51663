"""Columns are loaded, listed and detailed; what is typed is on disk before the next click."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from synth.project import store as projects
from synth.schema_io import load_schema


def page() -> None:
    from synth.ui import state
    from synth.ui.schema import panels as schema_pieces

    project = state.current()
    assert project is not None
    said = state.notice()
    if said:
        import streamlit as st

        st.warning(said)
    schema_pieces.ways(project)
    project, _ = schema_pieces.editor(project)
    schema_pieces.checks(project)


def columns(project: Any) -> dict[str, Any]:
    return {entry["name"]: entry for entry in projects.load(project.id).schema["columns"]}


def upload(app: Any, name: str, document: Any) -> Any:
    raw = document if isinstance(document, bytes) else json.dumps(document).encode()
    app.file_uploader(key="dictionary-0-dictionary").upload(name, raw, "application/json").run()
    return app


def test_a_dictionary_is_loaded_with_notes_on_what_it_lacks(draw: Any, mine: Any) -> None:
    project = mine(schema={"name": "mine", "population": "p", "unit": {"max_rows": 1}, "columns": []})
    app = draw(page, project)
    assert "no columns yet" in app.info[0].value and not app.error
    facts = {"n": {"sdtype": "numerical"}, "b": {"sdtype": "boolean"}, "m": {"sdtype": "email"}}
    upload(app, "meta.json", {"columns": facts})
    app.button(key="load-dictionary").click().run()
    assert not app.exception
    assert "SDV metadata, 3 columns" in app.warning[0].value and "'n' lacks" in app.warning[0].value
    assert columns(project)["m"]["kind"] == "drop"
    assert "n" in app.info[-1].value and "what it can hold" in app.info[-1].value


def test_one_table_of_several_is_asked_for(draw: Any, mine: Any) -> None:
    project = mine()
    app = draw(page, project)
    tables = {name: {"columns": {name: {"sdtype": "boolean"}}} for name in ("one", "two")}
    upload(app, "meta.json", {"tables": tables})
    app.selectbox(key="dictionary-table").set_value("two").run()
    app.button(key="load-dictionary").click().run()
    assert list(columns(project)) == ["two"]


def test_the_boxes_of_one_column_follow_another_dictionary(draw: Any, mine: Any) -> None:
    project = mine()
    app = draw(page, project)
    app.selectbox(key="panel-column").set_value("age").run()
    upload(app, "d.csv", b"name,kind,min,max,bins,title\nage,integer,5,50,9,Age in years\n")
    app.button(key="load-dictionary").click().run()
    assert not app.exception
    for _ in range(2):
        assert columns(project)["age"]["title"] == "Age in years"
        app.run()


def test_what_is_no_dictionary_changes_nothing(draw: Any, mine: Any) -> None:
    project = mine()
    app = upload(draw(page, project), "d.json", b"{")
    assert "not a JSON document" in app.error[0].value.replace("\\", "")
    upload(app, "d.json", {"fields": 3})
    app.button(key="load-dictionary").click().run()
    assert app.error and projects.load(project.id) == project


def test_names_can_be_read_once_there_is_a_file_with_names(draw: Any, mine: Any, project_home: Path) -> None:
    assert draw(page, mine(data="")).button(key="read-names").disabled
    (project_home / "t.csv").write_text("age,ward,note\n5,canary-row-1,x\n")
    project = mine(data=str(project_home / "t.csv"))
    app = draw(page, project)
    app.button(key="read-names").click().run()
    assert projects.load(project.id).header == ("age", "ward", "note")
    (project_home / "t.csv").write_text("5,canary-row-1,x\n")
    app.button(key="read-names").click().run()
    assert "does not look like names" in app.error[0].value
    assert "canary" not in app.error[0].value


def test_a_typed_list_is_counted_and_kept_at_once(draw: Any, mine: Any) -> None:
    project = mine()
    app = draw(page, project)
    assert app.selectbox(key="panel-column").value == "ward"
    app.text_area(key="panel-0-1-values").set_value("north\nsouth\neast").run()
    assert any(c.value == "3 values" for c in app.caption)
    assert columns(project)["ward"]["values"] == ["north", "south", "east"]
    assert app.text_area(key="panel-0-1-values").value == "north\nsouth\neast"
    app.text_area(key="panel-0-1-values").set_value("x, y, x").run()
    assert "more than once: x" in app.warning[0].value
    assert "'x' appears twice" in app.error[0].value.replace("\\", "")


def test_an_empty_list_is_asked_for_by_the_checks(draw: Any, mine: Any) -> None:
    project = mine()
    app = draw(page, project)
    app.text_area(key="panel-0-1-values").set_value("").run()
    assert "values" not in columns(project)["ward"]
    assert "ward" in app.info[0].value and not app.error


def test_a_range_has_steps_of_its_own_kind(draw: Any, mine: Any) -> None:
    project = mine()
    app = draw(page, project)
    app.selectbox(key="panel-column").set_value("age").run()
    app.text_input(key="panel-0-0-points").set_value("0, 5").run()
    app.number_input(key="panel-0-0-step").set_value(3.0).run()
    app.toggle(key="panel-0-0-outside").set_value(True).run()
    assert columns(project)["age"] == {
        **columns(project)["age"],
        "points": [0, 5],
        "step": 3,
        "outside": "missing",
    }
    app.toggle(key="panel-0-0-adaptive").set_value(True).run()
    assert columns(project)["age"]["binning"] == "privtree"
    app.selectbox(key="panel-column").set_value("note").run()
    assert any("left out" in c.value for c in app.caption)


def test_other_values_get_a_name_only_if_they_are_kept(draw: Any, mine: Any) -> None:
    project = mine()
    app = draw(page, project)
    app.toggle(key="panel-0-1-other").set_value(True).run()
    app.text_input(key="panel-0-1-other-label").set_value("elsewhere").run()
    ward = load_schema(projects.load(project.id).schema).column("ward")
    assert (ward.outside_rule.value, ward.other_label) == ("other", "elsewhere")
    app.toggle(key="panel-0-1-other").set_value(False).run()
    assert "outside" not in columns(project)["ward"]


def test_looking_around_changes_nothing(draw: Any, mine: Any) -> None:
    project = mine()
    app = draw(page, project)
    for name in ("age", "ward", "note"):
        app.selectbox(key="panel-column").set_value(name).run()
    assert projects.load(project.id) == project
    assert "can be used" in app.success[0].value


def test_rules_that_name_a_column_that_is_gone_are_told_here_too(draw: Any, mine: Any) -> None:
    app = draw(page, mine(rules=("if town is a then age is 5",)))
    assert "do not go with these columns" in app.warning[0].value
    assert "can be used" in app.success[0].value
    assert not draw(page, mine(rules=("if ward is a then age is 5",))).warning


def test_columns_of_a_run_can_only_be_read(draw: Any, mine: Any) -> None:
    def read_only() -> None:
        from synth.ui import state
        from synth.ui.schema import panels as schema_pieces

        project = state.current()
        assert project is not None
        schema_pieces.frozen(project)

    app = draw(read_only, mine(runs=("20240101-00000000",), drafting=False))
    assert "stay as they are" in app.info[0].value
    assert len(app.table) == 1 and not app.button


def test_a_table_of_codes_and_groups_makes_a_hierarchy(draw: Any, mine: Any) -> None:
    causes = [{"name": "cause", "kind": "category", "values": ["I21", "I22", "J10", "Z99"]}]
    project = mine(schema={"name": "mine", "population": "p", "unit": {"max_rows": 1}, "columns": causes})
    app = draw(page, project)
    assert app.button(key="panel-0-0-use-lookup").disabled
    app.text_area(key="panel-0-0-lookup").set_value("I21\tI\nI22\n").run()
    app.button(key="panel-0-0-use-lookup").click().run()
    assert "Line 2" in app.error[0].value and columns(project)["cause"]["values"] == causes[0]["values"]
    app.text_area(key="panel-0-0-lookup").set_value("I21\tI\theart\nI22\tI\nJ10\tJ\tlungs").run()
    app.button(key="panel-0-0-use-lookup").click().run()
    assert not app.exception
    kept = columns(project)["cause"]
    assert kept["values"] == ["I", "J", "Z99"] and kept["labels"] == ["heart", "lungs", ""]
    assert kept["reads"] == [["I21", "I22"], ["J10"], []]
    assert "3 codes are read as 2 groups. Not in the table, and kept as a value: Z99." in app.warning[0].value
    assert app.text_area(key="panel-1-0-values").value == "I = heart\nJ = lungs\nZ99"
    load_schema(projects.load(project.id).schema)


def test_a_table_of_codes_comes_from_a_file_with_headings(draw: Any, mine: Any) -> None:
    causes = [{"name": "cause", "kind": "category", "values": ["x"]}]
    project = mine(schema={"name": "mine", "population": "p", "unit": {"max_rows": 1}, "columns": causes})
    app = draw(page, project)
    box = app.file_uploader(key="panel-0-0-lookup-file")
    box.upload("codes.csv", b"code;group\n1;north\n2;north\n3;south\n", "text/csv").run()
    assert app.checkbox(key="panel-0-0-headed-True").value
    app.button(key="panel-0-0-use-lookup").click().run()
    assert columns(project)["cause"]["values"] == ["north", "south", "x"]
    assert columns(project)["cause"]["reads"] == [["1", "2"], ["3"], []]

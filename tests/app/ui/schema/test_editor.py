"""One column in detail: what is typed is on disk before the next click."""

from __future__ import annotations

from typing import Any

from synth.app.project import store as projects
from synth.dictionaries import load_schema
from tests.app.ui.schema.drawn import columns, page


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
    assert any("excluded" in c.value for c in app.caption)


def test_other_values_get_a_name_only_if_they_are_kept(draw: Any, mine: Any) -> None:
    project = mine()
    app = draw(page, project)
    app.toggle(key="panel-0-1-other").set_value(True).run()
    app.text_input(key="panel-0-1-other-label").set_value("elsewhere").run()
    ward = load_schema(projects.load(project.id).schema).column("ward")
    assert (ward.outside_rule.value, ward.other_label) == ("other", "elsewhere")
    app.toggle(key="panel-0-1-other").set_value(False).run()
    assert "outside" not in columns(project)["ward"]


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


def test_of_a_column_to_be_bought_it_is_said_whether_its_list_or_its_range_is(draw: Any, mine: Any) -> None:
    bought = [
        {"name": "fee", "kind": "category", "buy": True},
        {"name": "paid", "kind": "decimal", "buy": True},
    ]
    project = mine(schema={"name": "mine", "population": "p", "unit": {"max_rows": 1}, "columns": bought})
    app = draw(page, project)
    told = [info.value for info in app.info if "estimated" in info.value]
    assert len(told) == 1 and "value list is estimated" in told[0] and "choose that kind" in told[0]
    app.selectbox(key="panel-column").set_value("paid").run()
    told = [info.value for info in app.info if "estimated" in info.value]
    assert len(told) == 1 and "ends of the range are estimated" in told[0]

"""One column in detail: what is typed is on disk before the next click."""

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
    kept = columns(project)["cause"]
    assert kept["values"] == ["I", "J", "Z99"] and kept["labels"] == ["heart", "lungs", ""]
    assert kept["reads"] == [["I21", "I22"], ["J10"], []]
    assert "3 codes are read as 2 groups. Not in the table, and kept as a value: Z99." in app.warning[0].value
    assert app.text_area(key="panel-1-0-values").value == "I = heart\nJ = lungs\nZ99"
    load_schema(projects.load(project.id).schema)


def test_a_column_may_be_written_in_a_form_of_its_own(draw: Any, mine: Any) -> None:
    day = {"name": "day", "kind": "date", "min": "2020-01-01", "max": "2020-12-31"}
    cost = {"name": "cost", "kind": "decimal", "min": 0, "max": 9, "thousands": ""}
    project = mine(
        schema={"name": "mine", "population": "p", "unit": {"max_rows": 1}, "columns": [day, cost]}
    )
    app = draw(page, project)
    app.selectbox(key="panel-0-0-date_order").select("day-month-year").run()
    assert columns(project)["day"]["date_order"] == "day-month-year"
    app.selectbox(key="panel-column").set_value("cost").run()
    assert app.selectbox(key="panel-0-1-None-thousands").value == ""
    app.selectbox(key="panel-0-1-decimal_sign").select(",").run()
    app.selectbox(key="panel-0-1-,-thousands").select(".").run()
    kept = columns(project)["cost"]
    assert (kept["decimal_sign"], kept["thousands"]) == (",", ".")
    app.selectbox(key="panel-0-1-decimal_sign").select("file").run()
    assert "decimal_sign" not in columns(project)["cost"]

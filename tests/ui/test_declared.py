"""What the data page counts comes from declarations alone, and mistakes name what was typed."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest

from synth.errors import Mistake
from synth.ui import declared
from synth.ui.forms import GivenTable
from synth.ui.project import Origin

SCHEMA: dict[str, Any] = {
    "name": "t",
    "population": "p",
    "unit": {"max_rows": 1},
    "columns": [
        {"name": "age", "kind": "integer", "min": 0, "max": 9, "bins": 10},
        {"name": "job", "kind": "category", "values": ["none", "a", "b"], "blank": False},
    ],
}


class Box(io.BytesIO):
    def __init__(self, name: str, content: bytes) -> None:
        super().__init__(content)
        self.name = name


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MARGINALIA_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("MARGINALIA_FOLDER", str(tmp_path / "tables"))
    (tmp_path / "tables").mkdir()
    return tmp_path


def given(rules: Any = None, schema: Any = SCHEMA, content: bytes = b"not a table at all \xff") -> GivenTable:
    return GivenTable(
        upload=Box("t.csv", content),
        schema=json.dumps(schema).encode(),
        rules=None if rules is None else json.dumps(rules).encode(),
    )


def test_the_file_is_never_looked_at() -> None:
    table = declared.read(declared.own(given()))
    assert [axis.size for axis in table.axes] == [11, 3]


def test_a_rule_is_counted_and_the_never_blank_column_is_not_listed_as_one() -> None:
    table = declared.read(declared.own(given(["if age is 0 to 4 then job is only none"])))
    assert [(e.clique, e.removed, e.cells) for e in table.effects] == [(("age", "job"), 10, 33)]
    shown = declared.rule_table(table)
    assert shown["Combinations removed"][0] == "10 of 33"
    assert "age" in shown["Columns"][0]


@pytest.mark.parametrize("rules", [["if age is 0 then job is only b"], {"rules": ["age is not blank"]}, []])
def test_rules_come_as_a_list_or_in_an_object(rules: Any) -> None:
    assert isinstance(declared.own(given(rules)).rules, tuple)


@pytest.mark.parametrize(
    ("table", "said"),
    [
        (GivenTable(), "Choose the table"),
        (GivenTable(path="t.csv"), "Choose the schema"),
        (GivenTable(path="t.csv", schema=b"{"), "not a JSON document"),
        (GivenTable(path="t.csv", schema=b"\xff\xfe\xff"), "not UTF-8"),
        (GivenTable(path="../t.csv", schema=json.dumps(SCHEMA).encode()), "outside the data folder"),
        (given(["if agge is 0 then job is only b"]), "agge"),
        (given(schema=SCHEMA | {"unit": {}}), "max_rows"),
    ],
)
def test_a_mistake_is_told_in_a_sentence_about_what_was_typed(table: GivenTable, said: str) -> None:
    with pytest.raises(Mistake, match=said):
        declared.own(table)


def test_rules_that_leave_nothing_are_a_mistake() -> None:
    rules = ["if job is a then age is only 1", "if job is a then age is only 2"]
    rules += ["if job is not a then age is only 3", "if age is 3 then job is only a"]
    with pytest.raises(Mistake):
        declared.own(given(rules))


def test_the_demo_is_whole_and_has_at_least_three_rules() -> None:
    project = declared.demo()
    table = declared.read(project)
    assert project.origin is Origin.DEMO
    assert Path(project.data).is_file()
    assert len({e.sentence for e in table.effects}) >= 3
    assert len(declared.column_table(table)) == len(table.schema.modelled) == 11


def test_the_demo_keeps_its_own_rules() -> None:
    import pandas as pd

    table = declared.read(declared.demo())
    frame = pd.read_csv(declared.DEMO / "harbour.csv", na_values=["not recorded"])
    broken = table.rules.violations(frame)
    stated = {e.sentence for e in table.effects}
    assert {s: n for s, n in broken.items() if s in stated and n} == {}


def test_a_schema_with_something_to_buy_is_shown_without_cells() -> None:
    columns = [{"name": "zip", "kind": "category", "buy": True}]
    table = declared.read(declared.own(given(schema=SCHEMA | {"columns": columns})))
    assert table.axes == ()
    assert list(declared.column_table(table)["Cells"]) == ["to be bought"]


def test_the_demo_script_writes_the_demo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import runpy

    script = runpy.run_path(str(declared.DEMO / "make_demo.py"))
    monkeypatch.setitem(script["main"].__globals__, "HERE", tmp_path)
    script["main"]()
    assert (tmp_path / "harbour.csv").read_bytes() == (declared.DEMO / "harbour.csv").read_bytes()

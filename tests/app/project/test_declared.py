"""What the data page counts comes from declarations alone, and mistakes name what was typed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from synth.app.project import declared
from synth.app.project.store import Origin, Project, fresh_id
from synth.app.ui.schema.checks import column_table

SCHEMA: dict[str, Any] = {
    "name": "t",
    "population": "p",
    "unit": {"max_rows": 1},
    "columns": [
        {"name": "age", "kind": "integer", "min": 0, "max": 9, "bins": 10},
        {"name": "job", "kind": "category", "values": ["none", "a", "b"], "blank": False},
    ],
}


def project(*rules: Any, **schema: Any) -> Project:
    """A project whose file does not exist: whoever looked for it would fail."""
    path = "/nowhere/t.csv"
    document = SCHEMA | schema
    return Project(id=fresh_id(), name="t", origin=Origin.PATH, data=path, schema=document, rules=rules)


def test_the_demo_is_whole_and_has_at_least_three_rules() -> None:
    project = declared.demo()
    table = declared.read(project)
    assert project.origin is Origin.DEMO
    assert Path(project.data).is_file()
    assert len({e.sentence for e in table.effects}) >= 3
    assert len(column_table(table)) == len(table.schema.modelled) == 11


def test_the_demo_script_writes_the_demo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import runpy

    script = runpy.run_path(str(declared.DEMO / "make_demo.py"))
    monkeypatch.setitem(script["main"].__globals__, "HERE", tmp_path)
    script["main"]()
    assert (tmp_path / "harbour.csv").read_bytes() == (declared.DEMO / "harbour.csv").read_bytes()

"""What the data page counts comes from declarations alone, and mistakes name what was typed."""

from pathlib import Path

import pytest

from synth.app.project import declared
from synth.app.project.store import Origin
from synth.app.ui.schema.checks import column_table


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
    for name in ("harbour.csv", declared.SECOND_YEAR.name):
        assert (tmp_path / name).read_bytes() == (declared.DEMO / name).read_bytes()

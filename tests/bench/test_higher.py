from __future__ import annotations

from pathlib import Path

import pytest

from synth.bench import higher, tables


def test_a_line_tells_the_figures_of_a_method_that_was_told_the_target(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("MARGINALIA_DATA", raising=False)
    monkeypatch.setattr(tables.places, "cache", lambda: tmp_path)
    monkeypatch.setattr(higher, "methods", lambda target: [("tabpe", {"label": target, "rounds": 2})])
    assert higher.main(["1", "rests"]) == 0
    head, line = capsys.readouterr().out.splitlines()
    assert head.startswith("rests: of real rows 5-NN puts 0.")
    assert line.startswith("  tabpe label rounds: accuracy_neighbours 0.") and "cpu_seconds" in line

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from synth.bench.peers.catalogue import PEERS
from synth.bench.privacy import gate
from synth.bench.privacy.gate_tables import ROWS, SIZES, neighbours
from synth.bench.privacy.gate_verdict import KEPT, read, versions_of


def test_the_command_prints_and_keeps_a_verdict(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    kept = tmp_path / "gate.json"
    assert gate.main(["independent", "--out", str(kept)]) == 0
    (verdict,) = read(kept)
    out = capsys.readouterr().out
    assert verdict.passes and str(verdict) in out and "rho spent" in out and "marginalia" in verdict.versions


@pytest.mark.parametrize("entry", ["nobody", "grove+compress", "tabddpm", ""])
def test_an_unknown_entry_is_named(entry: str) -> None:
    with pytest.raises(SystemExit):
        gate.main([entry])


def test_all_methods_of_ours_and_every_library_have_a_verdict() -> None:
    kept = {verdict.entry: verdict for verdict in read(KEPT)}
    assert {*kept} == {*gate.OURS, *PEERS}
    for name in PEERS:
        assert {*versions_of(name)} <= {*kept[name].versions.split(", ")} and name in kept[name].command


def test_neighbours_differ_by_one_row_and_touch_every_code() -> None:
    tables = [rows for _, rows in neighbours()]
    assert {len(rows) - len(ROWS) for rows in tables} == {-1, 1}
    for place, size in enumerate(SIZES.values()):
        here, *others = (np.bincount(rows[:, place], minlength=size) for rows in (ROWS, *tables))
        assert {int(code) for there in others for code in np.flatnonzero(there - here)} == {*range(size)}

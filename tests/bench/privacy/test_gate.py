from pathlib import Path

import numpy as np
import pytest

from synth.bench.peers.catalogue import PEERS
from synth.bench.privacy import gate
from synth.bench.privacy.gate_tables import ROWS, SIZES, neighbours
from synth.bench.privacy.gate_verdict import KEPT, read


def test_the_command_keeps_a_verdict(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    passed = next(one for one in read() if one.entry == "dpmm-mst")
    monkeypatch.setattr(gate, "of_peer", lambda peer, **promise: passed)
    assert gate.main(["dpmm-mst", "--out", str(tmp_path / "gate.json")]) == 0
    assert read(tmp_path / "gate.json") == (passed,) and passed.passes
    out = capsys.readouterr().out
    assert str(passed) in out and "rho spent" in out


@pytest.mark.parametrize("entry", ["nobody", "grove", ""])
def test_an_unknown_entry_is_named(entry: str) -> None:
    with pytest.raises(SystemExit):
        gate.main([entry])


def test_every_library_has_a_verdict() -> None:
    kept = {verdict.entry: verdict for verdict in read(KEPT)}
    assert {*kept} == {*PEERS}
    for name, peer in PEERS.items():
        assert {*peer.library.judged} <= {*kept[name].versions.split(", ")} and name in kept[name].command


def test_neighbours_differ_by_one_row_and_touch_every_code() -> None:
    tables = [rows for _, rows in neighbours()]
    assert {len(rows) - len(ROWS) for rows in tables} == {-1, 1}
    for place, size in enumerate(SIZES.values()):
        here, *others = (np.bincount(rows[:, place], minlength=size) for rows in (ROWS, *tables))
        assert {int(code) for there in others for code in np.flatnonzero(there - here)} == {*range(size)}

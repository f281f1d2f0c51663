from __future__ import annotations

from pathlib import Path

import pytest

from synth.bench import gate
from synth.bench.gate_verdict import KEPT, read
from synth.bench.peers.catalogue import PEERS


def test_the_command_prints_and_keeps_a_verdict(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    kept = tmp_path / "gate.json"
    assert gate.main(["independent", "--out", str(kept)]) == 0
    (verdict,) = read(kept)
    out = capsys.readouterr().out
    assert verdict.passes and str(verdict) in out and "honest at" in out and "marginalia" in verdict.versions


def test_what_trains_where_the_rows_are_is_not_judged(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert gate.main(["tabddpm", "--out", str(tmp_path / "gate.json")]) == 0
    assert "tabddpm: not judged, it trains" in capsys.readouterr().out
    assert "tabddpm" not in {verdict.entry for verdict in read(KEPT)}


def test_an_unknown_entry_is_named() -> None:
    with pytest.raises(SystemExit):
        gate.main(["nobody"])


def test_what_is_kept_tells_of_two_libraries_at_least_what_was_run() -> None:
    kept = {verdict.entry: verdict for verdict in read(KEPT)}
    judged = [kept[name] for name in PEERS if name in kept]
    assert len(judged) >= 2
    for verdict in judged:
        pinned = [word for word in PEERS[verdict.entry].library.pinned if not word.startswith("torch")]
        assert all(word in verdict.versions for word in pinned) and verdict.entry in verdict.command

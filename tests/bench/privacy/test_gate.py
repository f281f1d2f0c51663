from __future__ import annotations

from pathlib import Path

import pytest

from synth.bench.peers.catalogue import PEERS
from synth.bench.privacy import gate
from synth.bench.privacy.gate_entries import USUAL
from synth.bench.privacy.gate_transcript import Transcript
from synth.bench.privacy.gate_verdict import KEPT, Heard, read


def test_the_command_prints_and_keeps_a_verdict(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    kept = tmp_path / "gate.json"
    assert gate.main(["independent", "--out", str(kept)]) == 0
    (verdict,) = read(kept)
    out = capsys.readouterr().out
    assert verdict.passes and str(verdict) in out and "honest at" in out and "marginalia" in verdict.versions


def test_what_trains_where_the_rows_are_is_not_judged(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kept = tmp_path / "gate.json"
    assert gate.main(["tabddpm", "--out", str(kept)]) == 0
    assert "not judged. It trains where the rows are" in capsys.readouterr().out
    (verdict,) = read(kept)
    assert verdict.word == "not judged" and verdict.findings == (gate.TRAINED,) and verdict.by_draws == "-"


@pytest.mark.parametrize("entry", ["nobody", "grove+compress", "rap wings=2", ""])
def test_an_unknown_entry_is_named(entry: str) -> None:
    with pytest.raises(SystemExit):
        gate.main([entry])


def test_a_method_of_ours_without_a_draw_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    silent = Transcript(draws=(), made=b"table")
    heard = Heard(table="columns", recorded=silent, again=silent, replayed=[], swapped=silent)
    monkeypatch.setattr(gate, "_heard", lambda entry, table, **promise: heard)
    kept = tmp_path / "gate.json"
    assert gate.main(["independent", "--out", str(kept)]) == 1
    assert read(kept)[0].findings == ("No noise was heard in it.",)


def test_all_methods_of_ours_have_an_entry() -> None:
    kept = {verdict.entry for verdict in read(KEPT)}
    assert {entry for entry in USUAL if entry not in PEERS} <= kept


def test_what_is_kept_tells_of_two_libraries_at_least_what_was_run() -> None:
    kept = {verdict.entry: verdict for verdict in read(KEPT)}
    judged = [kept[name] for name in PEERS if name in kept]
    assert len(judged) >= 2
    for verdict in judged:
        pinned = [word for word in PEERS[verdict.entry].library.pinned if not word.startswith("torch")]
        assert {*pinned} <= {*verdict.versions.split(", ")} and verdict.entry in verdict.command

from __future__ import annotations

from pathlib import Path

import pytest

from synth.bench import scaling
from synth.bench.judge import NONE, USUAL
from synth.bench.results import FAILED, read_csv
from synth.bench.scaling import SIZES, Wish, engine_records, main, run, trials, wishes_of
from synth.errors import Mistake


def wish(axis: str, *sizes: float, limit: float = 60.0) -> Wish:
    return Wish(axis=axis, sizes=sizes, methods=("independent",), limit=limit)


def test_every_axis_moves_one_thing_and_leaves_the_rest() -> None:
    (rows,) = trials(wish("rows", 1e4))
    assert (rows.table, rows.epsilon, rows.metrics) == ("adult-10000-rows", 1.0, NONE)
    (columns,) = trials(wish("columns", 50))
    assert (columns.table, columns.epsilon, columns.metrics) == ("chain-50", 1.0, USUAL)
    assert [t.epsilon for t in trials(wish("epsilons", 0.1, 10.0))] == [0.1, 10.0]
    (caps,) = trials(wish("caps", 1e5))
    assert (caps.method, caps.options, caps.epsilon) == ("grove", {"clique_cells": 100_000}, 10.0)
    assert len({t.key for axis in SIZES if axis != "engine" for t in trials(wish(axis, 10, 20))}) == 8


def test_runs_are_recorded_taken_up_again_and_cut_off_at_the_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    run([wish("columns", 3)], tmp_path / "out", command="typed")
    first = read_csv(tmp_path / "out" / "results.csv")
    assert {"seconds", "peak_mb", "tvd2"} <= {r.figure for r in first}
    run([wish("columns", 3), wish("columns", 4, limit=0.01)], tmp_path / "out", command="typed")
    found = read_csv(tmp_path / "out" / "results.csv")
    assert found[: len(first)] == first
    failed = [r for r in found if r.figure == FAILED]
    assert [r.table for r in failed] == ["chain-4"] and "stopped after" in failed[0].note
    assert "typed" in (tmp_path / "out" / "scaling.html").read_text()


def test_the_engine_is_measured_part_by_part(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scaling, "SIGMAS", (3.0,))
    found = list(engine_records([5000]))
    assert [(r[0].method, r[0].variant) for r in found] == [
        ("sweep", "cells=5000"),
        ("discrete noise", "sigma=3"),
        ("rounded noise", "sigma=3"),
    ]
    assert len({r[0].key for r in found}) == 3


def test_what_is_typed_becomes_wishes() -> None:
    wishes, asked = wishes_of(["rows", "engine", "--methods", "mst", "--limit", "5"])
    assert [(w.axis, w.sizes) for w in wishes] == [("rows", SIZES["rows"]), ("engine", SIZES["engine"])]
    assert wishes[0].methods == ("mst",) and wishes[0].limit == 5.0 and asked.cores == 1
    (one,), _ = wishes_of(["columns", "--sizes", "7", "9"])
    assert one.sizes == (7.0, 9.0)
    for wrong in (["rows", "caps", "--sizes", "5"], ["rows", "--repeats", "0"], ["rows", "--sizes", "0"]):
        with pytest.raises(Mistake):
            wishes_of(wrong)


def test_a_mistake_is_a_sentence_and_a_code(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rows", "--limit", "0", "--out", str(tmp_path / "out")]) == 1
    assert "above 0" in capsys.readouterr().err and not (tmp_path / "out").exists()

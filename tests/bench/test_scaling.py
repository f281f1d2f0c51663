from __future__ import annotations

from pathlib import Path

import pytest

from synth.bench import scaling
from synth.bench.metrics import NONE, USUAL
from synth.bench.scaling import (
    SIZES,
    Growth,
    engine_records,
    growths_of,
    html,
    main,
    outcomes_by_size,
    place_of,
    run,
    trials,
)
from synth.bench.trials.results import FAILED, LAST, Record, read_csv
from synth.core.errors import Mistake


def growth(axis: str, *sizes: float, limit: float = 60.0) -> Growth:
    return Growth(axis=axis, sizes=sizes, methods=("independent",), limit=limit)


def test_every_axis_moves_one_thing_and_leaves_the_rest() -> None:
    (rows,) = trials(growth("rows", 1e4))
    assert (rows.table, rows.epsilon, rows.metrics) == ("adult-10000-rows", 1.0, NONE)
    (columns,) = trials(growth("columns", 50))
    assert (columns.table, columns.epsilon, columns.metrics) == ("chain-50", 1.0, USUAL)
    assert [t.epsilon for t in trials(growth("epsilons", 0.1, 10.0))] == [0.1, 10.0]
    (caps,) = trials(growth("caps", 1e5))
    assert (caps.method, caps.options, caps.epsilon) == ("grove", {"clique_cells": 100_000}, 10.0)
    assert len({t.key for axis in SIZES if axis != "engine" for t in trials(growth(axis, 10, 20))}) == 8


def test_runs_are_recorded_taken_up_again_and_cut_off_at_the_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    run([growth("columns", 3)], tmp_path / "out", command="typed")
    first = read_csv(tmp_path / "out" / "results.csv")
    assert {"seconds", "peak_mb", "tvd2"} <= {r.figure for r in first}
    run([growth("columns", 3), growth("columns", 4, limit=0.01)], tmp_path / "out", command="typed")
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


def test_what_is_typed_becomes_growths() -> None:
    growths, asked = growths_of(["rows", "engine", "--methods", "mst", "--limit", "5"])
    assert [(g.axis, g.sizes) for g in growths] == [("rows", SIZES["rows"]), ("engine", SIZES["engine"])]
    assert growths[0].methods == ("mst",) and growths[0].limit == 5.0 and asked.cores == 1
    (one,), _ = growths_of(["columns", "--sizes", "7", "9"])
    assert one.sizes == (7.0, 9.0)
    for wrong in (["rows", "caps", "--sizes", "5"], ["rows", "--repeats", "0"], ["rows", "--sizes", "0"]):
        with pytest.raises(Mistake):
            growths_of(wrong)


def test_a_mistake_is_a_sentence_and_a_code(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rows", "--limit", "0", "--out", str(tmp_path / "out")]) == 1
    assert "above 0" in capsys.readouterr().err and not (tmp_path / "out").exists()


TOLD = {"measured": "today", "command": "python -m <it>"}


def record(table: str, value: float = 1.0, **more: object) -> Record:
    usual: dict[str, object] = {
        "method": "grove",
        "epsilon": 1.0,
        "delta": 1e-9,
        "run": 0,
        "figure": "seconds",
    }
    return Record(table=table, value=value, **(usual | more))  # type: ignore[arg-type]


def test_the_axis_follows_from_the_table() -> None:
    assert place_of(record("adult-10000-rows")) == ("rows", 10_000)
    assert place_of(record("chain-50")) == ("columns", 50)
    assert place_of(record("adult", epsilon=0.3)) == ("epsilons", 0.3)
    assert place_of(record("adult", variant="clique_cells=1000")) == ("caps", 1000)
    for other in (record("nltcs"), record("adult", epsilon=None), record("adult", variant="rules")):
        assert place_of(other) is None


def test_runs_of_one_size_are_gathered_and_sizes_sorted() -> None:
    found = outcomes_by_size(
        [
            record("chain-50", 4.0),
            record("chain-50", 6.0, run=1),
            record("chain-5", 1.0),
            record("chain-5", 9.0, figure=LAST),
            record("chain-100", figure=FAILED, note="stopped after 9 seconds"),
        ]
    )
    assert [(*(place_of(one) or ()), one.figures) for one in found] == [
        ("columns", 5.0, {"seconds": [1.0]}),
        ("columns", 50.0, {"seconds": [4.0, 6.0]}),
        ("columns", 100.0, {}),
    ]
    assert found[2].failures == ["stopped after 9 seconds"]


def test_the_page_shows_means_failures_and_the_engine_and_escapes_what_was_typed() -> None:
    page = html(
        [
            record("chain-50", 4.0),
            record("chain-50", 6.0, run=1),
            record("chain-50", 123.0, figure="peak_mb"),
            record("chain-100", figure=FAILED, note="stopped after 9 seconds"),
            record("adult-1000000-rows", 9.0, figure="model_cells"),
            record("engine", 0.25, method="sweep", variant="cells=7", figure="sweep_seconds", epsilon=None),
        ],
        TOLD,
    )
    assert '<td class="num">5.00</td>' in page and '<td class="num">123</td>' in page
    assert '<td class="num">1,000,000</td>' in page
    assert "stopped after 9 seconds" in page and "cells=7" in page and "0.25" in page
    assert "&lt;it&gt;" in page and "<it>" not in page
    assert page.count('<svg viewBox="0 0 560') == 2 and "Epsilon: Adult" not in page


def test_a_method_is_one_line_along_the_caps() -> None:
    caps = [record("adult", variant=f"clique_cells={cells}", epsilon=10.0) for cells in (1000, 10_000)]
    page = html(caps, TOLD)
    assert page.count("</svg>grove</li>") == 1 and page.count("<polyline") == 1

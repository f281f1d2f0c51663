from __future__ import annotations

from synth.bench.curves import html, place_of, spots_of
from synth.bench.results import FAILED, LAST, Record

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
    found = spots_of(
        [
            record("chain-50", 4.0),
            record("chain-50", 6.0, run=1),
            record("chain-5", 1.0),
            record("chain-5", 9.0, figure=LAST),
            record("chain-100", figure=FAILED, note="stopped after 9 seconds"),
        ]
    )
    assert [(s.axis, s.size, s.figures) for s in found] == [
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

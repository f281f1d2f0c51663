from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from synth.bench.privacy.gate_verdict import Gate, Verdict
from synth.bench.report.report import html, styles_of
from synth.bench.report.tally import outcomes_of
from synth.bench.trials.results import FAILED, Record

ONE = Record(table="adult", method="grove", epsilon=1.0, delta=1e-9, run=0, figure="tvd2", value=0.04)
RUNS = [
    ONE,
    replace(ONE, figure="seconds", value=2.0),
    replace(ONE, method="dpmm-mst", part="peer", value=0.06),
    replace(ONE, method="dpmm-mst", part="peer", figure="seconds", value=90.0),
]
TOLD: dict[str, Any] = {
    "sessions": [{"started": "2026-11-21 04:00 UTC", "preset": "quick", "command": "bench", "numpy": "2.4"}],
    "peers": {"dpmm": {"numpy": "1.26.4"}},
}


def test_the_page_needs_nothing_but_itself() -> None:
    page = html(RUNS, TOLD)
    assert (
        page.count("<script>") == 1
        and "<script " not in page
        and not re.search(r'(src|href)="', page)
        and "url(" not in page
    )
    assert page.count("<svg") >= 3 and "prefers-color-scheme: dark" in page


def test_it_says_how_we_stand_and_where_we_lose_from_the_records() -> None:
    page = html(RUNS, TOLD)
    assert (
        "45.0 times" in page
        and "2.00 s against 90.00 s of dpmm-mst" in page
        and "The default was not measured here." in page
        and "In nothing" not in page
        and "(one run)" in page
    )
    alone = html([replace(r, method=r.method.replace("grove", "blend")) for r in RUNS], TOLD)
    assert "In nothing that this benchmark measured." in alone and "was not measured here" not in alone
    lost = html([*RUNS, replace(ONE, method="dpmm-aim", part="peer", value=0.01)], TOLD)
    assert "dpmm-aim has a lower 2-way TVD" in lost and "In nothing" not in lost


def test_it_tells_what_is_known_of_a_library_that_was_run_and_of_no_other() -> None:
    page = html(RUNS, TOLD)
    assert "dpmm==0.1.9" in page and "numpy 1.26.4" in page and "Mersenne" in page
    assert "smartnoise" not in page


def test_it_tells_machine_and_command() -> None:
    page = html(RUNS, TOLD)
    assert "2026-11-21 04:00 UTC" in page and "<dt>numpy</dt><dd>2.4</dd>" in page


PASSED = Verdict(
    entry="grove", versions="marginalia", command="gate grove", epsilon=1.0, delta=1e-5, law="gaussian",
    draws=3, declared=0.03, spent=0.03, exchanged=0.06,
)  # fmt: skip
LIBRARY = replace(PASSED, entry="dpmm-mst", versions="dpmm==0.1.9", law="zcdp")


def test_what_does_not_pass_the_gate_is_marked_and_first_in_nothing() -> None:
    better = [*RUNS, replace(ONE, method="dpmm-mst", part="peer", value=0.01, epsilon=2.0)]
    runs = [*better, replace(ONE, epsilon=2.0)]
    passed = html(runs, TOLD, gate=Gate([PASSED, LIBRARY]))
    assert "dpmm-mst has a lower 2-way TVD" in passed and ">does not pass" not in passed
    failed = html(runs, TOLD, gate=Gate([PASSED, replace(LIBRARY, findings=("It was seen to fail.",))]))
    assert "dpmm-mst has a lower" not in failed and "No library that was run here counts" in failed
    assert failed.count('class="failed">does not pass') == 3 and "It was seen to fail." in failed


def test_a_verdict_on_another_version_is_none() -> None:
    page = html(RUNS, TOLD, gate=Gate([PASSED, replace(LIBRARY, versions="dpmm==0.1.8")]))
    assert 'class="failed">not judged' in page and "No library that was run here counts" in page


def test_a_printed_figure_stands_beside_ours() -> None:
    assert "Beside the papers" not in html(RUNS, TOLD)
    measured = replace(ONE, table="bank-split", method="aim", delta=1e-5, figure="fidelity_apart", value=0.2)
    page = html([measured], TOLD)
    assert "Benchmark, Table 2" in page and "missed" in page and "a fifth of the rows is held out" in page


def test_methods_are_ranked_by_kind_of_table() -> None:
    page = html([*RUNS, replace(ONE, method="aim", value=0.02)], TOLD)
    assert "Names and numbers mixed: aim, mean rank 1.00, first in 1 of 1 (by one run)." in page


PRODUCT = replace(ONE, method="product", part="reference", epsilon=None, delta=None, value=0.077)


def test_one_promise_is_drawn_as_strips_and_several_against_epsilon() -> None:
    runs = [*RUNS, replace(ONE, figure="tvd3", value=0.09), PRODUCT]
    single = html(runs, TOLD)
    assert "against epsilon" not in single and single.count("<figure>") == 4
    several = html([*runs, *(replace(r, epsilon=10.0) for r in runs if r.epsilon)], TOLD)
    assert several.count("against epsilon</figcaption>") == 3


def test_the_legend_names_every_series() -> None:
    runs = [replace(r, variant=v) for r in RUNS for v in ("", "cells=<2>")]
    told = html([*runs, *(replace(r, epsilon=10.0) for r in runs)], TOLD)
    assert "</svg>grove</li>" in told and "</svg>grove (cells=&lt;2&gt;)</li>" in told


def test_a_method_keeps_its_colour_whatever_else_is_drawn() -> None:
    both = styles_of(outcomes_of([*RUNS, replace(ONE, method="aim")]))
    assert both["grove"] == styles_of(outcomes_of(RUNS))["grove"] and len(set(both.values())) == 3


def test_the_table_has_a_column_for_what_was_measured_and_no_other() -> None:
    told = html([*RUNS, PRODUCT], TOLD)
    assert "TVD 2-way" in told and "fidelity" not in told and "F1" not in told and "0.0400" in told
    assert "<small>not private" in told and "<small>library" in told


def test_a_library_that_gave_nothing_says_so_in_its_row() -> None:
    failed = replace(
        ONE, method="dpmm-aim", part="peer", figure=FAILED, value=1.0, note="stopped after 60 s & more"
    )
    assert "no table: stopped after 60 s &amp; more" in html([*RUNS, failed], TOLD)


def test_learners_stand_beside_what_they_score_on_real_rows() -> None:
    taught = [
        replace(ONE, figure="f1_forest", value=0.61234),
        replace(ONE, figure="f1_forest_real", value=0.7),
    ]
    told = html([*RUNS, *taught], TOLD)
    assert "F1 random forest</th>" in told and "F1 random forest, real rows</th>" in told and "0.612" in told


def test_a_score_of_learners_is_drawn_and_names_those_that_were_not_there() -> None:
    told = [("macro_f1", 0.7), ("macro_f1_real", 0.8), ("f1_forest", 0.72), ("f1_mlp", 0.68)]
    here = [replace(r, table="adult-steps") for r in RUNS]
    some = [replace(ONE, table="adult-steps", figure=f, value=v) for f, v in told]
    page = html([*here, *some], TOLD)
    lacking = "without CatBoost, XGBoost, not installed or not asked for"
    assert f"Macro-F1 of grove is the mean of random forest, MLP; {lacking}." in page
    assert "MLP were tuned once on the table&#39;s real training rows" in page
    assert "Macro-F1 against time" in page and "real rows (not private)" in page
    whole = [replace(some[0], figure=f"f1_{learner}") for learner in ("catboost", "xgboost")]
    assert "not installed" not in html([*here, *some, *whole], TOLD)
    assert "Macro-F1 of" not in html(here, TOLD)
    elsewhere = html([replace(r, table="strokes") for r in (*here, *some)], TOLD)
    assert "Hyper-parameters of CatBoost, XGBoost, random forest, MLP are as installed." in elsewhere


def test_what_the_page_shows_comes_before_what_it_does_not() -> None:
    page = html(RUNS[:2], TOLD)
    shown, absent = page.index("1 method of ours (grove) on 1 table"), page.index("No library was measured")
    assert shown < absent and "Every figure is of one run" in page and "error bars and numbers" not in page
    twice = html([*RUNS, *(replace(r, run=1) for r in RUNS)], TOLD)
    assert "one standard deviation." in twice and "Every figure is of one run" not in twice


def test_what_is_not_judged_beats_no_printed_figure() -> None:
    measured = replace(ONE, table="bank-split", method="aim", delta=1e-5, value=0.0001)
    measured = replace(measured, figure="fidelity_apart")
    assert ">beaten" in html([measured], TOLD)
    page = html([measured], TOLD, gate=Gate([PASSED]))
    assert ">beaten" not in page and "not counted: not judged" in page


def test_columns_are_explained_and_those_looked_at_most_come_first() -> None:
    runs = [
        replace(ONE, figure=f) for f in ("covered", "loose_measured", "workload_error", "tvd2", "seconds")
    ]
    page = html(runs, TOLD)
    assert "<dt>loose, measured</dt><dd>Median of bound over true error" in page
    assert "<dt>cells of the model</dt>" not in page
    heads = [page.index(f">{head}</th>") for head in ("TVD 2-way", "seconds", "workload error", "covered")]
    assert heads == sorted(heads)
    assert "position: sticky" in page and "body.rows.length >" not in page


def test_of_many_series_the_default_and_the_best_are_in_colour() -> None:
    runs = [
        replace(ONE, method=f"m{i:02d}", epsilon=epsilon, value=0.01 * (i + 1))
        for i in range(20)
        for epsilon in (1.0, 10.0)
    ]
    runs += [replace(ONE, method="blend", epsilon=epsilon, value=0.5) for epsilon in (1.0, 10.0)]
    runs += [replace(r, figure="seconds", value=1 - r.value) for r in runs]
    page = html(runs, TOLD)
    assert "In grey 15 others" in page and "</svg>blend</li>" in page and "</svg>m04</li>" in page
    keys = re.findall(r'<g class="mark (s\d)">[^/]*/></g></svg>m00</li>', page)
    assert len(keys) == page.count("</svg>m00</li>") and len(set(keys)) == 1
    assert "</svg>m05</li>" not in page and '<polyline class="line muted"' in page
    assert "In grey" not in html([r for r in runs if r.method < "m06"], TOLD)


def test_a_grid_and_folded_commands_stand_on_pages_of_many_recipes() -> None:
    names = [f"{s}+{g}" for s in ("aim", "mst", "mwem") for g in ("gum", "network", "copula")]
    runs = [replace(ONE, method=name, value=0.01 * (i + 1)) for i, name in enumerate(names)]
    session = {**TOLD["sessions"][0], "command": "bench --methods " + " ".join(names * 5)}
    page = html(runs, {"sessions": [session]})
    assert page.index("Selections and generators") < page.index("By kind of table")
    assert '<td class="num best">0.0100</td>' in page and "(47 words)</summary>" in page
    assert "Selections and generators" not in html(runs[:8], TOLD)

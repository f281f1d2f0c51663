from __future__ import annotations

from dataclasses import replace

from synth.bench.panels import panel, places_of_names, table
from synth.bench.results import FAILED, Record
from synth.bench.tally import lines_of

ONE = Record(table="adult", method="aim", epsilon=1.0, delta=1e-9, run=0, figure="tvd2", value=0.04)
RUNS = [
    ONE,
    replace(ONE, figure="tvd3", value=0.09),
    replace(ONE, figure="seconds", value=2.0),
    replace(ONE, method="mbi-mst", part="peer", value=0.06),
    replace(ONE, method="mbi-mst", part="peer", figure="seconds", value=90.0),
    replace(ONE, method="product", part="reference", epsilon=None, delta=None, value=0.077),
]
PLACE = ("adult", "all-2way")


def test_one_promise_is_drawn_as_strips_and_several_against_epsilon() -> None:
    lines = lines_of(RUNS)
    single = panel(PLACE, lines, places_of_names(lines))
    assert "against epsilon" not in single and single.count("<figure>") == 4
    lines = lines_of([*RUNS, *(replace(r, epsilon=10.0) for r in RUNS if r.epsilon)])
    assert panel(PLACE, lines, places_of_names(lines)).count("against epsilon</figcaption>") == 3


def test_a_method_keeps_its_colour_whatever_else_is_drawn() -> None:
    both = places_of_names(lines_of([*RUNS, replace(ONE, method="grove")]))
    assert both["aim"] == places_of_names(lines_of(RUNS))["aim"] and len(set(both.values())) == 3


def test_the_table_has_a_column_for_what_was_measured_and_no_other() -> None:
    told = table(lines_of(RUNS))
    assert "TVD 2-way" in told and "fidelity" not in told and "F1" not in told and "0.0400" in told
    assert "not private" in told and "library" in told


def test_a_library_that_gave_nothing_says_so_in_its_row() -> None:
    failed = replace(
        ONE, method="dpmm-aim", part="peer", figure=FAILED, value=1.0, note="stopped after 60 s & more"
    )
    assert "no table: stopped after 60 s &amp; more" in table(lines_of([*RUNS, failed]))


def test_learners_stand_beside_what_they_score_on_real_rows() -> None:
    taught = [
        replace(ONE, figure="f1_forest", value=0.61234),
        replace(ONE, figure="f1_forest_real", value=0.7),
    ]
    told = table(lines_of([*RUNS, *taught]))
    assert "F1 forest</th>" in told and "F1 forest, real rows</th>" in told and "0.612" in told

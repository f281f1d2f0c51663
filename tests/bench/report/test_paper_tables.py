from __future__ import annotations

import json
from dataclasses import replace

import pytest

from synth.bench.metrics import BY_NAME
from synth.bench.report.paper_tables import F1, FIGURES, FILE, HEADINGS, cells, compared, remarks, trials
from synth.bench.report.papers import FIDELITY, MARGNET, PRIVPGD, published
from synth.bench.tables.tables import SETS
from synth.bench.trials.results import Record
from synth.bench.tuning import LEARNERS
from synth.mechanisms import MECHANISMS

BANK = Record(
    table="bank-split", method="aim", epsilon=1.0, delta=1e-5, run=0, figure="fidelity_apart", value=0.06
)


def test_every_figure_names_what_there_is() -> None:
    assert len(cells()) > 150
    for cell in cells():
        assert cell.entry in MECHANISMS and cell.ours in SETS and cell.remark
        assert all(name in BY_NAME for name in FIGURES[cell.figure.quantity][0])
        assert cell.figure.value > 0 and bool(cell.overspent) <= bool(cell.why)
    about = [(c.figure.paper, c.figure.source, c.method, c.place, c.figure.quantity) for c in cells()]
    assert len(about) == len(set(about))


def test_a_block_prints_a_figure_for_every_promise() -> None:
    for block in json.loads(FILE.read_text()):
        for told in block["methods"].values():
            printed = [len(values) for name, values in told.items() if name in FIGURES]
            assert printed and set(printed) == {len(block["epsilons"])}


def test_what_both_lists_hold_is_the_same_figure() -> None:
    shared = 0
    for cell in cells():
        figure = cell.figure
        if (figure.paper, cell.method) in ((MARGNET, "MargNet"), (PRIVPGD, "PrivPGD")):
            other = published(figure.paper, figure.table, figure.epsilon, figure.quantity)
            assert other is None or other.value == figure.value
            shared += other is not None
    assert shared > 20


def test_a_trial_measures_all_figures_of_its_place_once() -> None:
    made = list(trials(1))
    assert len({trial.key for trial in made}) == len(made) == len({cell.place for cell in cells()})
    (one,) = [t for t in made if (t.table, t.method, t.epsilon, t.variant) == ("bank-split", "aim", 1.0, "")]
    assert {"fidelity_apart", "query_error_apart", "f1_forest", "f1_forest_real"} <= set(
        one.metrics.split("+")
    ) and one.delta == 1e-5


@pytest.mark.parametrize(
    ("figure", "value", "verdict"),
    [("fidelity_apart", v, word) for v, word in ((0.06, "beaten"), (0.09, "reproduced"), (0.2, "missed"))],
)
def test_ours_stands_beside_the_printed_one(figure: str, value: float, verdict: str) -> None:
    (one,) = compared([replace(BANK, figure=figure, value=value)])
    assert one.row[-3:] == ("0.09", "- / 0.03", verdict) and len(one.row) == len(HEADINGS)


def test_of_a_score_more_is_better_and_learners_are_averaged() -> None:
    both = [replace(BANK, figure="f1_forest", value=0.9), replace(BANK, figure="f1_mlp", value=0.8)]
    (one,) = compared(both)
    assert one.cell.figure.quantity == F1 and one.value == pytest.approx(0.85) and one.row[-1] == "beaten"
    (less,) = compared([replace(BANK, figure="f1_forest", value=0.5)])
    assert less.row[-1] == "missed"


def test_a_score_stands_beside_that_of_real_rows_and_names_the_learners_it_lacks() -> None:
    told = [replace(BANK, figure=f"f1_forest{real}", value=v) for real, v in (("", 0.7), ("_real", 0.75))]
    (one,) = compared(told)
    assert one.row[-2] == "0.750 / 0.76" and one.taught == ("forest",)
    (line,) = [line for line in remarks([one]) if "macro-F1" in line]
    assert "mean of random forest alone; CatBoost, XGBoost, MLP were not installed" in line
    whole = [replace(BANK, figure=f"f1_{learner}", value=0.7) for learner in LEARNERS]
    assert not [line for line in remarks(compared(whole)) if "alone" in line]


def test_what_is_known_of_a_figure_is_told_once() -> None:
    both = [replace(BANK, method="privsyn", figure=f) for f in ("fidelity_apart", "query_error_apart")]
    told = compared(both)
    assert len(told) == 2 and sum("PrivSyn" in line for line in remarks(told)) == 1


def test_a_figure_of_a_way_stands_beside_runs_of_that_way_alone() -> None:
    ablation = {cell.trial.variant for cell in cells() if cell.method == "MargNet-s"}
    assert {"alpha=0.5 columns_share=0.1 doubling=False rounds=83"} < ablation
    assert any(variant.startswith("privtree ") for variant in ablation)
    with_trees = [replace(BANK, variant="privtree", figure="fidelity_apart", value=0.05)]
    (one,) = compared(with_trees)
    assert one.cell.figure.table == "Higgs-small" and one.row[-1] == "another table"
    assert one.row[2] == "AIM (aim privtree)"


def test_an_overspent_figure_says_by_how_much_where_that_is_known() -> None:
    (known,) = compared([replace(BANK, method="privmrf")])
    assert known.row[-1] == "beaten; published figure overspent by 11"
    assert any("number of records" in line for line in remarks([known]))
    (unknown,) = compared([replace(BANK, method="rap")])
    assert unknown.row[-1].endswith("published figure overspent")


def test_of_codes_the_error_of_pairs_is_the_fidelity() -> None:
    told = compared([replace(BANK, table="adult-steps", method="margnet", figure="tvd2")])
    assert [one.cell.figure.quantity for one in told] == [FIDELITY]


def test_another_delta_or_a_run_with_options_stands_beside_nothing() -> None:
    assert compared([replace(BANK, delta=1e-9), replace(BANK, variant="cells=2")]) == []

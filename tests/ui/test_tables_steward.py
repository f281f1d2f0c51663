from __future__ import annotations

from synth.evaluate.findings import ColumnFinding, Findings, PairFinding, Score
from synth.ui import tables_steward
from synth.ui.text import steward as text


def findings(scale: float) -> Findings:
    return Findings(
        run="r",
        columns=(ColumnFinding(name="a", real=(1.0,), synthetic=(0.9,), tvd=0.1),),
        pairs=tuple(PairFinding(left="a", right="b", tvd=0.01 * i) for i in range(30, 0, -1)),
        mean={1: 0.1 * scale, 2: 0.2 * scale, 3: 0.3 * scale},
        subsample={1: 0.5 / scale, 2: 0.4 / scale},
        queries={"conjunction": 0.01 * scale},
        scores=(Score(target="a", measure="r2", synthetic=0.4, real=0.5, guess=0.0, apart=True),),
    )


def test_the_best_run_is_named_at_every_question_and_nobody_over_all() -> None:
    table = tables_steward.side_by_side({"Run 1: a*b": findings(2.0), "Run 2": findings(1.0)})
    words = text.SIDE_COLUMNS
    assert list(table.columns) == list(words.values())
    assert "a\\*b" in table[words["run"]][0]
    for name in list(words.values())[1:]:
        assert "best" in table[name][1] and "best" not in table[name][0]


def test_a_run_alone_is_not_the_best_of_anything() -> None:
    assert "best" not in tables_steward.side_by_side({"Run 1": findings(1.0)}).to_string()


def test_a_question_that_fits_no_column_is_said_to() -> None:
    told = Findings(**{**findings(1.0).__dict__, "queries": {"conjunction": None}})
    assert text.NOT_ASKED in tables_steward.side_by_side({"Run 1": told}).to_string()


def test_tables_carry_what_their_charts_show() -> None:
    told, titles = findings(1.0), {"a": "Age", "b": "Ward"}
    assert list(tables_steward.columns(told.columns, titles)["Distance"]) == ["10 %"]
    column = tables_steward.column(told.columns[0], ("x",), "Age")
    assert (column["Real"][0], column["Synthetic"][0]) == ("100.0 %", "90.0 %")
    pairs = tables_steward.pairs(told.pairs, titles)
    assert len(pairs) == 20 and pairs["Distance"][0] == "30 %"
    assert tables_steward.scores(told.scores, titles)["Kept"][0] == "80 % of the gain"

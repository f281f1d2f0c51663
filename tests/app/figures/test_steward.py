from synth.app.figures import steward
from synth.evaluate.findings import (
    ColumnFinding,
    FigureFinding,
    Findings,
    GroupFinding,
    PairFinding,
    PredictionFinding,
)

TITLES = {"a": "Age", "b": "Ward", "c": "Work"}


PAIR = PairFinding(left="a", right="b", tvd=0.2, real=(0.1, 0.2, 0.3, 0.4), synthetic=(0.3, 0.2, 0.1, 0.4))
LABELS = {"a": ("young", "old"), "b": ("x", "y")}


def test_a_pair_is_real_beside_synthetic_on_one_scale_and_confidential() -> None:
    figure = steward.pair(PAIR, LABELS, TITLES)
    real, made = figure.marks.data
    assert [[round(of) for of in line] for line in real.z] == [[10, 20], [30, 40]]
    assert [[round(of) for of in line] for line in made.z] == [[30, 20], [10, 40]]
    assert real.zmax == made.zmax == 40 and figure.confidential
    (apart,) = steward.pair(PAIR, LABELS, TITLES, apart=True).marks.data
    assert [[round(of) for of in line] for line in apart.z] == [[20, 0], [-20, 0]]
    assert apart.zmin == -apart.zmax
    assert list(figure.table[steward.REAL])[:2] == ["10.0%", "30.0%"], "the furthest apart first"


def questions(error: float | None) -> tuple[GroupFinding, ...]:
    figure = FigureFinding(name="conjunction", title="Ranges", help="How far off.", value=error)
    return (GroupFinding(title="Questions", note="Mean.", figures=(figure,)),)


def findings(scale: float) -> Findings:
    return Findings(
        run="r",
        columns=(ColumnFinding(name="a", real=(1.0,), synthetic=(0.9,), tvd=0.1),),
        pairs=tuple(PairFinding(left="a", right="b", tvd=0.01 * i) for i in range(30, 0, -1)),
        mean={1: 0.1 * scale, 2: 0.2 * scale, 3: 0.3 * scale},
        subsample={1: 0.5 / scale, 2: 0.4 / scale},
        groups=questions(0.01 * scale),
        scores=(PredictionFinding(target="a", measure="r2", synthetic=0.4, real=0.5, guess=0.0, apart=True),),
    )


def test_the_best_run_is_named_at_every_question_and_nobody_over_all() -> None:
    table = steward.side_by_side({"Run 1: a*b": findings(2.0), "Run 2": findings(1.0)}).table
    assert list(table.columns) == list(steward.SIDE_HEADS)
    assert "a\\*b" in table["Run"][0]
    for name in steward.SIDE_HEADS[1:]:
        assert "best" in table[name][1] and "best" not in table[name][0]


def test_every_figure_is_confidential() -> None:
    stated = findings(1.0)
    titles = {"a": "Age", "b": "Ward"}
    assert all(
        figure.confidential
        for figure in (
            steward.side_by_side({"Run 1": stated}),
            steward.distances(stated.columns, titles),
            steward.overlay(stated.columns[0], ("x",), "Age"),
            steward.pairs(stated.pairs, titles),
            steward.scores(stated.scores, titles),
        )
    )

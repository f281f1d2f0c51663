from synth.app.figures import atlas
from synth.app.maps.atlas import Atlas, Sheet
from tests.app.examples import table_of

DEPTH = ((0.0, 1.0), (0.5, 1.0))
POINTS = tuple((i / 10, -i / 10) for i in range(900))
REAL = Sheet(name="real", depth=DEPTH)
ONE, TWO = (Sheet(name=name, depth=DEPTH, points=POINTS) for name in ("r1", "r2"))
RUNS = [table_of(number, method="MST") for number in (1, 2)]


def map_of(*sheets: Sheet) -> Atlas:
    return Atlas(x=(0.0, 1.0), y=(0.0, 1.0), sheets=sheets, rows=900)


def test_every_run_has_its_own_panel_with_lines_of_the_real_table_and_none_of_its_points() -> None:
    figure = atlas.atlas(map_of(REAL, ONE, TWO), RUNS, real="real").marks
    titles = [run.label.replace(": ", ": <br>") for run in RUNS]
    assert [a.text for a in figure.layout.annotations] == titles
    lines = [t for t in figure.data if t.type == "contour"]
    assert [t.line.dash for t in lines] == ["solid", "dash"] * 2
    dots = [t for t in figure.data if t.type == "scatter" and t.mode == "markers"]
    assert len(dots) == 2
    assert all(len(t.x) == atlas.MOST_POINTS for t in dots)


def test_the_words_name_the_runs_and_a_map_with_real_rows_is_confidential() -> None:
    public = atlas.atlas(map_of(ONE, TWO), RUNS)
    private = atlas.atlas(map_of(REAL, ONE, TWO), RUNS, real="real")
    assert "Run 1, Run 2" in public.words and not public.confidential
    assert "2 runs" in private.words and private.confidential

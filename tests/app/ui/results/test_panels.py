"""The results page shows the chosen run, and leads on only if the run can be published."""

from streamlit.testing.v1 import AppTest

from tests.app.ui.conftest import Draw, Twice


def page() -> None:
    from synth.app.project import runs
    from synth.app.project.results import released
    from synth.app.ui import state
    from synth.app.ui.results import pairs
    from synth.app.ui.results import panels as results

    project = state.current()
    assert project is not None
    shown = results.choose(runs.finished(project))
    release = released.read(shown.folder)
    results.verdict(release)
    results.column(release)
    pairs.errors(release, shown.folder)
    results.residuals(release)
    results.rules(release)
    results.sample(release)
    results.onward(project, release)


def test_rules_rows_and_residuals_are_drawn_when_their_fold_is_opened(twice: Twice, draw: Draw) -> None:
    app = draw(page, twice())
    assert any('rows satisfy the 1 "never blank" column.' in m.value for m in app.markdown)
    assert not app.table and not app.dataframe
    for name in ("sample", "rules", "residuals"):
        app.session_state[f"open-{name}"] = True
    app.run()
    (rules,) = (table.value for table in app.table)
    assert rules["Rule"].tolist() == ["ward is not blank"]
    (rows,) = (frame.value for frame in app.dataframe)
    assert list(rows.columns) == ["age", "ward"] and len(rows) == 20
    assert "residuals" in {chart.key for chart in app.get("plotly_chart")}


def flagged(broken: int, blocking: int, flags: int, advice: tuple[str, ...]) -> None:
    from synth.app.project import declared
    from synth.app.project.results.released import Held, RedFlag
    from synth.app.ui.results import panels as results
    from tests.app.examples import release_of

    words = [(f"Sign*{n}", n == blocking, advice[n % len(advice)]) for n in range(flags)]
    odd = [RedFlag(sentence=sign, blocks=blocks, advice=way) for sign, blocks, way in words]
    held = (Held(sentence="r", rows=broken, stated=True),)
    release = release_of(flags=tuple(odd), rows=5, held=held)
    results.verdict(release)
    results.rules(release)
    results.onward(declared.demo(), release)


def test_warnings_are_grouped_by_advice_folded_and_those_that_block_close_the_way() -> None:
    app = AppTest.from_function(flagged, args=(2, 30, 40, ("",)), default_timeout=600).run()
    assert [box.value for box in app.error] == ["Sign\\*30"] and len(app.warning) == 7
    assert app.expander[0].label == "32 more warnings" and "Sign\\*39" in app.expander[0].markdown[0].value
    assert "cannot be published" in app.markdown[0].value
    assert not any(button.key == "next-results" for button in app.button)
    assert any("2 violations in 5 rows" in m.value for m in app.markdown) and len(app.table) == 1
    app = AppTest.from_function(flagged, args=(0, -1, 3, ("Widen", "Narrow")), default_timeout=600).run()
    assert [box.value for box in app.warning] == ["Sign\\*1 Narrow", "- Sign\\*0\n- Sign\\*2\n\nWiden"]
    assert "Read 3 warnings first" in app.markdown[0].value
    assert any(button.key == "next-results" for button in app.button)

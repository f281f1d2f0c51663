"""The results page shows the run that was picked, and leads on only where nothing is in the way."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest

from synth.app.project.results import released
from synth.app.project.runs import finished
from synth.app.project.store import Project
from synth.app.ui.text.results import RESIDUAL_NOTE

Twice = Callable[[], Project]
Draw = Callable[[Callable[[], None], Project], AppTest]


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
    pairs.bounds(release, shown.folder)
    results.paper_bounds(shown.folder, release)
    results.residuals(release)
    results.rules(release)
    results.sample(release)
    results.onward(project, release)


def test_the_latest_run_is_shown_until_another_is_picked(twice: Twice, draw: Draw) -> None:
    project = twice()
    app = draw(page, project)
    picker = app.selectbox(key="shown-run")
    assert picker.options == [run.label for run in reversed(finished(project))]
    assert {m.label: m.value for m in app.metric}["Epsilon"] == "2"
    picker.set_value(project.runs[0]).run()
    assert {m.label: m.value for m in app.metric}["Epsilon"] == "0.5"


def test_a_pair_without_a_bound_says_why(twice: Twice, draw: Draw) -> None:
    app = draw(page, twice())  # independent columns: no pair is measured, chosen or scored
    said = " ".join(m.value for m in app.markdown)
    assert "Of 1 pair 0 were measured in all their values." in said
    assert "For 1 no answer was bought that a bound could follow from." in said


def test_the_answer_leads_to_every_place(twice: Twice, draw: Draw) -> None:
    app = draw(page, twice())
    (said,) = (m.value for m in app.markdown if "[Pairs](#pairs)" in m.value)
    assert "**1 of 1 pair** is not to be relied on" in said and "**No rule** is broken" in said
    assert "of 2 columns**" in said and "[Columns](#columns)" in said and "[Rules](#rules)" in said
    anchors = {header.proto.anchor for header in app.header}
    assert anchors >= {"columns", "pairs", "rules", "fit"}


def test_the_rules_and_the_first_rows_are_shown(twice: Twice, draw: Draw) -> None:
    app = draw(page, twice())
    table = next(t.value for t in app.table if "Rule" in t.value)
    assert table["Rule"].tolist() == ["ward is not blank"]
    assert table["From"].tolist() == ["a column never blank"]
    assert table["Rows that break it"][0].startswith("0 of ")
    assert not app.dataframe
    app.session_state["open-sample"] = True
    (rows,) = (frame.value for frame in app.run().dataframe)
    assert list(rows.columns) == ["age", "ward"] and len(rows) == 20


def test_a_red_flag_leaves_only_the_way_back() -> None:
    def flagged() -> None:

        import pandas as pd

        from synth.app.project import declared
        from synth.app.project.results.released import Held, RedFlag, ReleaseView, Residuals
        from synth.app.ui.results import panels as results

        release = ReleaseView(
            columns=(),
            pairs=(),
            residuals=Residuals(),
            flags=(RedFlag(sentence="Column 'a*b' is odd.", blocks=True),),
            rows=5,
            held=(Held(sentence="r", rows=2, stated=True),),
            sample=pd.DataFrame(),
            measured=1,
            epsilon=1.0,
            delta=1e-9,
            confidence=0.95,
        )
        results.verdict(release)
        results.onward(declared.demo(), release)

    app = AppTest.from_function(flagged).run()
    assert not app.exception
    assert app.error[0].value == "Column 'a\\*b' is odd\\."
    assert not app.success
    assert not any(button.key == "next-results" for button in app.button)
    assert {m.label: m.value for m in app.metric}["Rules broken"] == "2"


def test_shares_that_were_asked_for_stand_beside_those_that_were_reached() -> None:
    def steered() -> None:

        import pandas as pd

        from synth.app.project.results.released import ReleaseView, Residuals
        from synth.app.ui.results import panels as results
        from synth.release.checks.shares import FoundShare

        found = FoundShare(sentence="s", origin="bought", wanted=0.2, reached=0.25, noisy=0.2, sigma=0.01)
        release = ReleaseView(
            columns=(),
            pairs=(),
            residuals=Residuals(),
            flags=(),
            rows=4,
            held=(),
            shares=(found,),
            sample=pd.DataFrame(),
            measured=1,
            epsilon=1.0,
            delta=1e-9,
            confidence=0.95,
        )
        results.shares(release)

    app = AppTest.from_function(steered).run()
    assert not app.exception and app.header[0].value == "Shares that were asked for"
    table = app.table[0].value.map(lambda cell: cell.replace("\N{NO-BREAK SPACE}", " "))
    assert list(table["Reached"]) == ["25.000 %"]
    assert list(table["Asked for"]) == ["20.000 % (typical noise 1.000 %)"]


def chooser() -> None:
    import streamlit as st

    from synth.app.project.runs import finished
    from synth.app.ui import state
    from synth.app.ui.results import panels as results

    project = state.current()
    assert project is not None
    runs = finished(project)
    if st.toggle("elsewhere", key="elsewhere"):
        st.text(results.shown_last(runs))
    else:
        results.choose(runs)


def test_other_pages_begin_with_the_table_seen_last(twice: Twice, draw: Draw) -> None:
    project = twice()
    app = draw(chooser, project)
    app.selectbox(key="shown-run").set_value("run-1").run()
    app.toggle(key="elsewhere").set_value(True).run()
    assert app.text[0].value == "run-1"
    app.toggle(key="elsewhere").set_value(False).run()
    assert app.selectbox(key="shown-run").value == "run-1"


def test_a_newer_run_takes_the_place_of_the_one_seen_last(twice: Twice, draw: Draw) -> None:
    def held() -> None:
        import streamlit as st

        from synth.app.project.runs import finished
        from synth.app.ui import state
        from synth.app.ui.results import panels as results

        project = state.current()
        assert project is not None
        runs = finished(project)
        if st.toggle("earlier", key="earlier"):
            state.put({results.SHOWN_LAST: ("run-1", "run-1")})
        st.text(results.shown_last(runs))

    app = draw(held, twice())
    app.toggle(key="earlier").set_value(True).run()
    assert app.text[0].value == "run-2"


def test_many_red_flags_are_folded_with_those_that_block_before_the_others() -> None:
    def flagged() -> None:

        import pandas as pd

        from synth.app.project.results.released import RedFlag, ReleaseView, Residuals
        from synth.app.ui.results import panels as results

        odd = tuple(RedFlag(sentence=f"Sign {n}", blocks=n == 30) for n in range(40))
        release = ReleaseView(
            columns=(),
            pairs=(),
            residuals=Residuals(),
            flags=odd,
            rows=5,
            held=(),
            shares=(),
            sample=pd.DataFrame(),
            measured=1,
            epsilon=1.0,
            delta=1e-9,
            confidence=0.95,
        )
        results.verdict(release)

    app = AppTest.from_function(flagged).run()
    assert not app.exception
    assert [box.value for box in app.error] == ["Sign 30"]
    assert len(app.warning) == 7
    assert [fold.label for fold in app.expander] == ["32 more red flags"]
    assert "- Sign 39" in app.expander[0].markdown[0].value


def test_flags_of_one_advice_are_told_together_and_it_once() -> None:
    def flagged() -> None:
        import pandas as pd

        from synth.app.project.results.released import RedFlag, ReleaseView, Residuals
        from synth.app.ui.results import panels as results

        odd = [
            RedFlag(sentence=f"Mean {n}", blocks=False, advice=("Widen", "Narrow")[n % 2]) for n in range(3)
        ]
        release = ReleaseView(
            columns=(),
            pairs=(),
            residuals=Residuals(),
            flags=tuple(odd),
            rows=5,
            held=(),
            shares=(),
            sample=pd.DataFrame(),
            measured=1,
            epsilon=1.0,
            delta=1e-9,
            confidence=0.95,
        )
        results.verdict(release)

    app = AppTest.from_function(flagged).run()
    assert not app.exception
    assert [box.value for box in app.warning] == ["Mean 1 Narrow", "- Mean 0\n- Mean 2\n\nWiden"]


def unfolded() -> None:
    from synth.app.project import runs
    from synth.app.project.results import released
    from synth.app.ui import state
    from synth.app.ui.results import panels as results

    project = state.current()
    assert project is not None
    if "paper-bounds" not in state.st.session_state:
        state.put({"paper-bounds": True})
    shown = runs.finished(project)[1]
    results.paper_bounds(shown.folder, released.read(shown.folder))


def test_the_bounds_of_the_margnet_paper_stand_beside_ours_in_a_fold(twice: Twice, draw: Draw) -> None:
    app = draw(unfolded, twice())
    (fold,) = (e for e in app.expander if e.label == "Bounds of the MargNet paper")
    assert "Of 2 measured tables together Theorem 4" in fold.markdown[0].value
    table = fold.table[0].value
    assert set(table["By"]) == {"Theorem 4"} and len(table) == 2
    assert all(
        cell.endswith("\N{NO-BREAK SPACE}%") for cell in [*table["Ours, at most"], *table["Theirs, at most"]]
    )
    assert not fold.caption and not fold.warning, "nothing was chosen"


def folded() -> None:
    from pathlib import Path

    import streamlit as st

    from synth.app.project.results import released
    from synth.app.project.results.paper_bounds import PaperBound, PaperBounds
    from synth.app.ui import state
    from synth.app.ui.results import panels as results

    class Release:
        confidence = 0.95

    paper = PaperBounds(
        rows=(PaperBound(name="a", ours=None, theirs=1.0, theorem=4),)
        + (PaperBound(name="b", ours=0.1, theirs=0.5, theorem=5),) * st.session_state.get("others", 0),
        measured=1,
        chose=True,
    )
    if "paper-bounds" not in st.session_state:
        state.put({"paper-bounds": True})
    released.paper_of = lambda folder: paper
    results.paper_bounds(Path(), Release())  # type: ignore[arg-type]


def test_theorem_5_comes_with_its_warning_or_with_why_it_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(released, "paper_of", None)  # put back when this is over
    app = AppTest.from_function(folded).run()
    assert not app.exception and not app.warning
    assert "A bundle keeps no private selections" in app.caption[0].value
    assert list(app.table[0].value.iloc[0, 1:3]) == ["no bound", "no bound"]
    app.session_state["others"] = 1
    app.run()
    assert "loose" in app.warning[0].value and not app.caption
    assert list(app.table[0].value["By"]) == ["Theorem 4", "Theorem 5"]


def pictured() -> None:
    from dataclasses import replace

    from synth.app.project import runs
    from synth.app.project.results import released
    from synth.app.project.results.released import Held
    from synth.app.ui import state
    from synth.app.ui.results import panels as results

    project = state.current()
    assert project is not None
    if state.st.session_state.get("open-all"):
        state.put({"open-residuals": True, "open-rules": True})
    release = released.read(runs.finished(project)[1].folder)
    results.residuals(release)
    held = tuple(Held(sentence=f"column {n} is never blank", rows=0, stated=False) for n in range(200))
    results.rules(replace(release, held=held))


def test_residuals_and_rules_nobody_wrote_are_drawn_when_their_fold_is_opened(
    twice: Twice, draw: Draw
) -> None:
    app = draw(pictured, twice())
    assert "further from the table than three times" in app.markdown[0].value
    assert not app.get("plotly_chart") and not app.table
    app.session_state["open-all"] = True
    app.run()
    assert not app.exception and not app.error
    assert [chart.key for chart in app.get("plotly_chart")][:1] == ["residuals"]
    assert RESIDUAL_NOTE in [caption.value for caption in app.caption], "what stands below the first picture"
    assert len(app.table[-1].value) == 200

"""Pairs are narrowed and opened by boxes alone, which keys reach."""

from tests.app.ui.conftest import Draw, Twice


def page() -> None:
    from synth.app.project import runs
    from synth.app.project.results import released
    from synth.app.ui import state
    from synth.app.ui.results import pairs

    project = state.current()
    assert project is not None
    shown = runs.finished(project)[1]
    pairs.errors(released.read(shown.folder), shown.folder)


def test_the_list_and_the_matrix_have_the_pairs_that_match(twice: Twice, draw: Draw) -> None:
    app = draw(page, twice())
    app.session_state["pairs-list-fold"] = True
    assert len(app.run().dataframe[0].value) == 1
    app.text_input(key="pairs-search").set_value("ward, note").run()
    assert any("No pair matches" in box.value for box in app.info)
    app.text_input(key="pairs-search").set_value("ward, age").run()
    assert not app.info
    app.multiselect(key="pairs-kinds").set_value(["measured"]).run()
    assert any("No pair matches" in box.value for box in app.info)

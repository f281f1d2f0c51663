"""Questions to a release on a page: what is chosen is what is asked."""

from streamlit.testing.v1 import AppTest

from tests.app.ui.conftest import Draw, Twice


def page() -> None:
    from synth.app.project import runs
    from synth.app.ui import asking, state

    project = state.current()
    assert project is not None
    asking.section(asking.kit_of(runs.finished(project)[0].folder))


def said(app: AppTest) -> str:
    return "\n".join(m.value.replace("\\", "") for m in app.markdown)


def test_what_is_chosen_is_asked(twice: Twice, draw: Draw) -> None:
    app = draw(page, twice())
    assert said(app).startswith("All records: ") and "95% interval" in said(app)
    app.select_slider(key="ask-level").set_value(0.99).run()
    assert "99% interval" in said(app)
    app.multiselect(key="ask-where").set_value(["ward"]).run()
    assert "Choose at least one value" in app.info[0].value
    (ward, *_) = app.multiselect(key="ask-where-ward").options
    app.multiselect(key="ask-where-ward").set_value([ward]).run()
    assert f"Records where ward is {ward}: " in said(app)
    app.multiselect(key="ask-where").set_value([]).run()
    app.selectbox(key="ask-by").set_value("ward").run()
    assert "ask-answer" in {chart.key for chart in app.get("plotly_chart")}
    assert f"ward is {ward}: " in said(app) and len(app.multiselect(key="ask-where").options) == 1
    app.selectbox(key="ask-kind").set_value("share").run()
    app.multiselect(key="ask-where").set_value(["ward"]).run()
    app.multiselect(key="ask-where-ward").set_value([ward]).run()
    assert f"Share where ward is {ward} " in said(app) or f"ward is {ward}" in said(app)
    app.selectbox(key="ask-kind").set_value("quantile").run()
    app.multiselect(key="ask-where").set_value([]).run()
    app.number_input(key="ask-at").set_value(0.25).run()
    assert "0.25-quantile of age" in said(app)
    app.selectbox(key="ask-kind").set_value("mean").run()
    assert "Mean age of all records" in said(app)
    app.selectbox(key="ask-by").set_value("ward").run()
    assert said(app)


def test_the_map_and_the_rows_are_drawn_when_their_fold_is_opened(twice: Twice, draw: Draw) -> None:
    app = draw(page, twice())
    assert "map" not in {chart.key for chart in app.get("plotly_chart")}
    app.session_state["open-map"] = True
    app.session_state["open-rows"] = True
    app.run()
    assert "map" in {chart.key for chart in app.get("plotly_chart")}
    app.number_input(key="rows-count").set_value(7)
    app.multiselect(key="rows-where").set_value(["age"]).run()
    app.select_slider(key="rows-where-age").set_value((1, 2)).run()
    app.button(key="rows-draw").click().run()
    assert "7 synthetic rows" in said(app)


def test_the_blanks_of_an_uploaded_table_are_filled(twice: Twice, draw: Draw) -> None:
    app = draw(page, twice())
    app.session_state["open-blanks"] = True
    app.run()
    for file, sentence in ((b"age\n\n34\n", "1 blanks filled"), (b"", "not a CSV file")):
        app.file_uploader(key="blanks-file").upload("t.csv", file, "text/csv").run()
        app.button(key="blanks-fill").click().run()
        assert sentence in said(app) + "".join(one.value for one in app.info)

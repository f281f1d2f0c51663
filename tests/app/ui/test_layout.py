"""Every page wears the same frame: a title, a chip about private data, a chart with its table and words."""

import pytest
from streamlit.testing.v1 import AppTest


def test_the_chip_says_whether_private_data_has_been_read() -> None:
    def page(runs: tuple[str, ...]) -> None:
        from dataclasses import replace

        from synth.app.project import declared
        from synth.app.ui import layout

        project = replace(declared.demo(), runs=runs)
        layout.summary(project, declared.read(project).schema)

    unread = AppTest.from_function(page, args=((),)).run()
    read = AppTest.from_function(page, args=(("20240101-00000000",),)).run()
    assert any("not read" in m.value for m in unread.markdown)
    assert any("read by a run" in m.value for m in read.markdown)


def test_the_table_of_a_confidential_figure_is_plain_text() -> None:
    def page() -> None:
        import pandas as pd
        import plotly.graph_objects as go

        from synth.app.figures.figure import Figure
        from synth.app.ui import layout

        frame = pd.DataFrame({"n": ["*4*"]})
        layout.chart(Figure(frame=frame, marks=go.Figure(), words="w", confidential=True), key="c")

    app = AppTest.from_function(page)
    app.session_state["c-fold"] = True
    app.run()
    assert not app.dataframe and app.table[0].value["n"].tolist() == ["\\*4\\*"]


@pytest.mark.parametrize("way", ["pressed", "list_of"])
@pytest.mark.parametrize("confidential", [True, False])
def test_nothing_is_picked_from_a_confidential_figure(way: str, confidential: bool) -> None:
    def page(way: str, confidential: bool) -> None:
        import pandas as pd
        import plotly.graph_objects as go
        import streamlit as st

        from synth.app.figures.figure import Figure
        from synth.app.ui import layout

        frame = pd.DataFrame({"n": [4]})
        figure = Figure(frame=frame, marks=go.Figure(), words="w", confidential=confidential)
        stated = {"pressed": {"on_press": print}, "list_of": {"on_pick": print}}.get(way, {})
        try:
            getattr(layout, way)(figure, key="c", **stated)
        except ValueError as error:
            st.text(str(error))

    app = AppTest.from_function(page, args=(way, confidential))
    app.session_state["c-fold"] = True
    app.run()
    drawn = [*app.get("plotly_chart"), *app.dataframe]
    assert bool(drawn) is not confidential
    assert [("confidential" in said.value) for said in app.text] == [True] * confidential


def test_columns_read_from_the_file_are_marked_on_every_page_of_a_real_release() -> None:
    def page(provenance: str, rehearsal: bool) -> None:
        from dataclasses import replace

        from synth.app.project import declared
        from synth.app.ui import layout

        project = replace(declared.demo(), rehearsal=rehearsal)
        columns = [{**column, "provenance": provenance} for column in project.schema["columns"]]
        layout.summary(replace(project, schema={**project.schema, "columns": columns}))

    def said(*args: object) -> bool:
        return any("No guarantee" in m.value for m in AppTest.from_function(page, args=args).run().markdown)

    assert said("read from file", False)
    assert not said("steward knowledge", False)
    assert not said("read from file", True)

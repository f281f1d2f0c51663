"""The session forgets nothing it should keep and keeps nothing it should forget."""

from dataclasses import replace
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from synth.app.project import store as projects
from synth.app.project.store import Origin, Project

pytestmark = pytest.mark.usefixtures("project_home")


def saved(name: str = "survey") -> Project:
    project = Project(id=projects.fresh_id(), name=name, origin=Origin.DEMO, data="/t.csv", schema={})
    projects.save(project)
    return project


def page() -> None:
    from dataclasses import replace

    import streamlit as st

    from synth.app.ui import state

    project = state.current()
    st.text(project.name if project else "nobody")
    left = state.notice()
    if left:
        st.warning(left[0])
    if project and st.button("rename", key="rename"):
        state.accept(replace(project, name="renamed"))
    if project and st.button("draft", key="draft"):
        state.draft(replace(project, drafting=False))
    st.button("leave", key="leave", on_click=state.leave)


def test_an_address_brings_the_project_back_in_a_new_session() -> None:
    project = saved()
    app = AppTest.from_function(page)
    app.query_params["p"] = project.id
    app.run()
    assert app.text[0].value == "survey"
    app.button(key="rename").click().run()
    assert projects.load(project.id).name == "renamed"
    again = AppTest.from_function(page)
    again.query_params["p"] = project.id
    assert again.run().text[0].value == "renamed"
    assert dict(again.query_params) == {"p": project.id}
    assert AppTest.from_function(page).run().text[0].value == "nobody", "sessions do not see each other"
    again.button(key="leave").click().run()
    assert again.text[0].value == "nobody" and projects.load(project.id).name == "renamed"


def test_the_choices_of_a_run_cannot_be_changed_under_it() -> None:
    def running() -> None:
        from dataclasses import replace

        import streamlit as st

        from synth.app.project.store import Budget
        from synth.app.ui import state
        from synth.core.errors import Mistake

        project = state.current()
        assert project is not None
        if st.button("change", key="change"):
            try:
                state.accept(replace(project, budget=Budget(epsilon=9.0)))
            except Mistake as mistake:
                st.error(str(mistake))
        if st.button("other", key="other"):
            state.accept(replace(project, settled=("results",)))
        if st.button("draft", key="draft"):
            state.draft(project)

    project = replace(saved(), runs=("20240101-00000000",), drafting=False)
    projects.save(project)
    app = AppTest.from_function(running)
    app.query_params["p"] = project.id
    app.run().button(key="change").click().run()
    assert "read-only" in app.error[0].value
    assert projects.load(project.id).budget.epsilon == 1.0
    app.button(key="other").click().run()
    assert projects.load(project.id).settled == ("results",)
    app.button(key="draft").click().run()
    app.button(key="change").click().run()
    assert not app.error
    assert projects.load(project.id).budget.epsilon == 9.0


def test_a_window_left_open_does_not_forget_a_run_that_another_started() -> None:
    project = saved()
    app = AppTest.from_function(page)
    app.query_params["p"] = project.id
    app.run()
    projects.save(replace(project, runs=("20240101-00000000",), drafting=False))
    app.button(key="rename").click().run()
    assert "Another window" in app.warning[0].value
    assert projects.load(project.id).runs == ("20240101-00000000",)
    app.button(key="rename").click().run()
    kept = projects.load(project.id)
    assert (kept.name, kept.runs) == ("renamed", ("20240101-00000000",))


def test_only_state_touches_the_session() -> None:
    root = Path(__file__).parents[3]
    pages = [root / "app.py", *(root / "pages").glob("*.py"), *(root / "synth" / "app" / "ui").rglob("*.py")]
    users = [p.name for p in pages if "session_state" in p.read_text().split('"""', 2)[2]]
    assert users == ["state.py"]

"""The columns page without its file and its frame, for `draw`, and what it keeps."""

from typing import Any

from synth.app.project import store as projects


def page() -> None:
    from synth.app.ui import state
    from synth.app.ui.schema import checks, editor, ways

    project = state.current()
    assert project is not None
    left = state.notice()
    if left:
        import streamlit as st

        st.warning(left[0])
    ways.ways(project)
    project, _ = editor.editor(project)
    checks.checks(project)


def columns(project: Any) -> dict[str, Any]:
    return {entry["name"]: entry for entry in projects.load(project.id).schema["columns"]}

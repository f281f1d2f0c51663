"""Generate files of rows from a published release: start, watch, stop and download."""

from __future__ import annotations

import streamlit as st

from synth.app.project.results import rows
from synth.app.project.results.publication import Published
from synth.app.project.store import Project
from synth.app.ui import guards, layout, login, state, waiting
from synth.app.ui import text as words
from synth.app.ui.text import method as times
from synth.app.ui.text import release as text
from synth.app.ui.text import results as results_text

USUAL_ROWS = 1_000_000


def show(project: Project, done: Published) -> None:
    """Draw the finished files, and either the form for another file or the file in progress."""
    run = done.folder.name
    st.subheader("More rows (free)", anchor=False)
    st.markdown("Generate any number of rows from the same measurements. More rows do not add information.")
    is_owner = login.current().owns(project)
    stop, note = "stop-rows" if is_owner else "", "Deletes the part written so far. No budget was spent."
    state_of = waiting.watch(rows.task_of(project, run), key="rows", stop=stop, stop_help=note)
    if is_owner and (state_of is None or state_of.is_end):
        _form(project, done)
    for file in rows.files(project, run):
        _file(file, is_owner=is_owner)


def _form(project: Project, done: Published) -> None:
    run = done.folder.name
    with st.container(horizontal=True, vertical_alignment="bottom"):
        usual, written = state.kept(_requested(run)) or (USUAL_ROWS, rows.FORMS[0])
        wanted = st.number_input("Rows", 1, rows.MOST_ROWS, usual, key=f"rows-{run}", width=200)
        form = layout.pick("Format", text.ROWS_FORMS, written, key=f"form-{run}", width=140)
        pressed = st.button("Generate rows", icon=":material/table_rows:", key="write-rows")
    expected = rows.outlook(project, run, done.folder, rows=wanted, form=form)
    time = times.seconds(expected.seconds)
    st.caption(f"Takes {time} and {text.at_most(expected.bytes)} on the disk of this server. Uses no budget.")
    if pressed:
        with guards.shown():
            rows.ask(project, run, done.folder, rows=wanted, form=form)
            state.put({_requested(run): (wanted, form)})
            st.rerun()


def _requested(run: str) -> str:
    """Return the key under which the last order is stored, because fields lose their values while they are
    not drawn.
    """
    return f"rows-asked-{run}"


def _file(file: rows.File, *, is_owner: bool) -> None:
    name = file.path.name
    with st.container(border=True, horizontal=True, vertical_alignment="center"):
        st.markdown(f"**{words.plain(name)}**, {text.size(file.bytes)}.")
        if file.is_carried and not file.is_blocked:
            st.download_button(
                "Download",
                data=file.path.read_bytes,
                file_name=name,
                on_click="ignore",
                icon=":material/download:",
                key=f"download-{name}",
            )
        if is_owner and st.button("Delete", icon=":material/delete:", key=f"remove-{name}"):
            rows.remove(file)
            st.rerun()
    if file.flags:
        flags = results_text.flags(file.flags)
        if file.is_blocked:
            st.error(text.ROWS_FLAGGED.format(flags=flags), icon=":material/flag:")
        else:
            st.info(flags, icon=":material/flag:")
    if is_owner and not file.is_carried and not file.is_blocked:
        st.caption("Too large for a browser. The file is on this server:")
        st.code(str(file.path), language=None)

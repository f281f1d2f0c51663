"""Another table from the answers a run has paid for: asked for on a page, made in the background."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from synth.errors import Mistake
from synth.generate.registry import GENERATORS
from synth.jobs import again
from synth.jobs.spec import RunSpec
from synth.jobs.store import Job, Status
from synth.mechanisms import MECHANISMS
from synth.mechanisms.recipe import followers
from synth.ui import decisions, guards, login
from synth.ui import text as words
from synth.ui.finished import Finished
from synth.ui.project import Project
from synth.ui.released import Released
from synth.ui.text import results as text
from synth.ui.text.method import title_of

TICK_SECONDS = 1.0


def another(project: Project, shown: Finished, release: Released) -> None:
    """What the run of the shown table can still be made into, and how far the last wish has come."""
    st.header(text.ANOTHER_TITLE, anchor=False)
    st.markdown(text.ANOTHER_NOTE)
    status = again.seen(_desk(project, shown))
    if status is not None and not status.state.is_end:
        st.fragment(_progress, run_every=TICK_SECONDS, key="another-table")(project, shown)
        return
    if status is not None:
        _end(status)
    names = open_to(Job.find(shown.source).spec())
    if not names:
        st.caption(text.ANOTHER_NONE)
    elif not login.current().owns(project):
        st.info(text.ANOTHER_OWNER, icon=":material/lock:")
    else:
        _form(project, shown, names, rows=release.rows)


def open_to(spec: RunSpec) -> tuple[str, ...]:
    """The generators that suit a run and have made no table of it yet."""
    kind = MECHANISMS[spec.method]
    first = spec.generator or kind.generator
    return tuple(name for name in followers(kind) if name != first and not again.is_made(spec, name))


def ask(project: Project, shown: Finished, *, generator: str, rows: int) -> None:
    """Have the table made; a choice after a look goes into the log. Raises: `Mistake`."""
    again.start(_desk(project, shown), run=shown.source, generator=generator, rows=rows)
    if decisions.has_looked(project):
        name = f"run {shown.number}"
        decisions.choose(project, text.another_chosen(name, title_of(generator), rows))


def _form(project: Project, shown: Finished, names: tuple[str, ...], *, rows: int) -> None:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        chosen = st.selectbox(
            text.ANOTHER_LABEL, names, format_func=title_of, key=f"another-by-{shown.source}", width=320
        )
        wanted = st.number_input(
            text.ANOTHER_ROWS,
            1,
            10**8,
            max(rows, 1),
            help=text.ANOTHER_HELP,
            key=f"another-rows-{shown.source}",
            width=160,
        )
        pressed = st.button(text.ANOTHER_BUTTON, icon=":material/add_chart:", key="make-another")
    st.caption(GENERATORS[chosen].summary)
    if not pressed:
        return
    try:
        ask(project, shown, generator=chosen, rows=wanted)
    except Mistake as mistake:
        st.error(words.plain(str(mistake)), icon=":material/error:")
    else:
        st.rerun()


def _progress(project: Project, shown: Finished) -> None:
    with guards.neutral():
        status = again.seen(_desk(project, shown))
        if status is None or status.state.is_end:
            st.rerun()
            return
        st.progress(min(max(status.done, 0.0), 1.0), text=words.plain(status.fact) or text.ANOTHER_STARTING)


def _end(status: Status) -> None:
    if status.sentence:
        st.warning(words.plain(status.sentence), icon=":material/warning:")


def _desk(project: Project, shown: Finished) -> Path:
    return project.folder / "again" / shown.source

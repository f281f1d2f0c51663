"""Another table from the answers a run has paid for: asked for on a page, made in the background."""

from __future__ import annotations

from functools import partial

import streamlit as st

from synth.generate.registry import GENERATORS
from synth.jobs import runner
from synth.jobs.kinds import further
from synth.jobs.spec import RunSpec, is_made
from synth.jobs.store import Job, Task
from synth.mechanisms import MECHANISMS
from synth.mechanisms.recipe import followers
from synth.project import decisions
from synth.project.released import ReleaseView
from synth.project.runs import SyntheticTable, generator_title
from synth.project.store import Project
from synth.ui import guards, login, waiting
from synth.ui import text as words
from synth.ui.text import results as text


def another(project: Project, shown: SyntheticTable, release: ReleaseView) -> None:
    """What the run of the shown table can still be made into, and how far the last wish has come."""
    st.header(text.ANOTHER_TITLE, anchor=False)
    st.markdown(text.ANOTHER_NOTE)
    task = _task(project, shown)
    status = runner.seen(task)
    if status is not None and not status.state.is_end:
        waiting.bar(partial(runner.seen, task), starting=text.ANOTHER_STARTING, key="another-table")
        return
    if status is not None and status.sentence:
        st.warning(words.plain(status.sentence), icon=":material/warning:")
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
    return tuple(name for name in followers(kind) if name != first and not is_made(spec, name))


def ask(project: Project, shown: SyntheticTable, *, generator: str, rows: int) -> None:
    """Have the table made; a choice after a look goes into the log. Raises: `Mistake`."""
    order = further.order(run=shown.source, generator=generator, rows=rows)
    runner.begin(_task(project, shown), order)
    if decisions.has_looked(project):
        decisions.record_choice(
            project, decisions.further_table(shown.number, generator_title(generator), rows)
        )


def _form(project: Project, shown: SyntheticTable, names: tuple[str, ...], *, rows: int) -> None:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        chosen = st.selectbox(
            text.ANOTHER_LABEL,
            names,
            format_func=generator_title,
            key=f"another-by-{shown.source}",
            width=320,
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
    with guards.shown():
        ask(project, shown, generator=chosen, rows=wanted)
        st.rerun()


def _task(project: Project, shown: SyntheticTable) -> Task:
    return Task(project.folder / "again" / shown.source, "further")

"""Panels of the project page: the demo, the form that begins a project, the list, the overview."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace

import pandas as pd
import streamlit as st

from synth.app.figures.figure import Figure
from synth.app.project import declared, journey, opening, portable, removal
from synth.app.project.journey import Mark
from synth.app.project.opening import Beginning
from synth.app.project.store import Limits, Origin, Project
from synth.app.ui import guards, layout, login, state
from synth.app.ui import text as words
from synth.app.ui.text import frame as login_words
from synth.app.ui.text import project as text
from synth.core.errors import Mistake
from synth.dictionaries import load_schema


def demo() -> None:
    """The invented town, one click away."""
    st.subheader(text.DEMO_TITLE, anchor=False)
    st.markdown(text.DEMO_BODY)
    st.markdown(text.DEMO_STEPS)
    if st.button(text.DEMO_BUTTON, type="primary", icon=":material/play_arrow:", key="open-demo"):
        state.accept(replace(declared.demo(), owner=login.current().name))
        st.rerun()


def new() -> None:
    """A name, a purpose, practice run or real, and the limits that others have set."""
    st.subheader(text.NEW_TITLE, anchor=False)
    st.markdown(text.NEW_BODY)
    name = st.text_input(text.NAME_LABEL, help=text.NAME_HELP, max_chars=opening.LONGEST_NAME, key="new-name")
    purpose = st.text_area(
        text.PURPOSE_LABEL, placeholder=text.PURPOSE_PLACEHOLDER, height=80, key="new-purpose"
    )
    rehearsal = layout.one_of(text.KIND_LABEL, text.KINDS, True, key="new-kind")
    st.caption(text.KIND_NOTES[rehearsal])
    public = rehearsal and st.checkbox(text.PUBLIC_LABEL, key="new-public")
    with st.expander(text.LIMITS_TITLE, icon=":material/policy:"):
        limits = _limit_boxes(Limits(), key="new")
    given = Beginning(name=name, purpose=purpose, rehearsal=rehearsal, public=public, limits=limits)
    if st.button(text.START_BUTTON, icon=":material/add:", key="start-project"):
        with guards.shown():
            project = state.accept(opening.begin(given, owner=login.current().name))
            step = journey.next_open(journey.facts_of(project))
            if step is not None:
                layout.visit(project, step.name)


def _limit_boxes(now: Limits, *, key: str) -> Limits:
    """Boxes for what the organisation allows; an empty number is no limit."""
    st.caption(text.LIMITS_NOTE)
    boxes = ((text.RELEASE_LIMIT, now.release, "release"), (text.LIFETIME_LIMIT, now.lifetime, "lifetime"))
    release, lifetime = (
        column.number_input(
            label, value=value, step=0.5, placeholder=text.LIMIT_EMPTY, key=f"{key}-{name}"
        )  # without bounds: a box that has some drops what is typed beyond them, without a word
        for column, (label, value, name) in zip(st.columns(2), boxes, strict=True)
    )
    approvers = layout.one_of(text.APPROVERS_LABEL, text.APPROVERS, now.approvers, key=f"{key}-approvers")
    return Limits(release=release, lifetime=lifetime, approvers=approvers)


def listing(owner: str) -> None:
    """The projects on disk, the latest first, each with a button that opens it; found by words."""
    st.header(text.LIST_TITLE, anchor=False)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        sought = st.text_input(text.SEARCH_LABEL, placeholder=text.SEARCH_PLACEHOLDER, key="search-projects")
        archived = st.toggle(text.ARCHIVE_LABEL, key="archived-projects")
    entries = opening.listing(owner=owner, most=opening.RECENT, words=sought, archived=archived)
    if len(entries) == opening.RECENT and st.toggle(text.ALL_LABEL, key="all-projects"):
        entries = opening.listing(owner=owner, words=sought, archived=archived)
    if not entries:
        none = text.ARCHIVE_EMPTY if archived else text.LIST_NONE
        st.info(text.LIST_NOT_FOUND if sought.strip() else none, icon=":material/info:")
    for entry in entries:
        with st.container(border=True, horizontal=True, vertical_alignment="center"):
            standing = text.standing(entry.done, entry.all, entry.next_step)
            when = text.changed(entry.changed)
            st.markdown(
                f"**{words.plain(entry.project.name)}** {_badges(entry.project)}  \n{standing} · {when}",
                width="stretch",
            )
            if st.button(text.OPEN_BUTTON, help=entry.project.name, key=f"open-{entry.project.id}"):
                state.open_project(entry.project.id)
                st.rerun()


def taking_in() -> None:
    """Begin from a project file."""
    with st.expander(text.IMPORT_TITLE, icon=":material/upload_file:"):
        st.caption(text.IMPORT_NOTE)
        given = st.file_uploader(text.IMPORT_LABEL, type="json", key=state.generation("project-file"))
        if given is None:
            return
        with guards.shown():
            found = portable.read(given.getvalue())
            st.markdown(text.contents(found))
            real = not found.project.rehearsal
            public = real or st.checkbox(text.PUBLIC_LABEL, key="import-public")
            if st.button(text.IMPORT_BUTTON, icon=":material/add:", key="import-project"):
                project = portable.take_in(found, public=public, owner=login.current().name)
                state.renew("project-file")
                state.open_project(project.id)
                st.rerun()


def _badges(project: Project) -> str:
    """What kind of project it is, as a coloured word, and whether it is put away."""
    demo = project.origin is Origin.DEMO
    kind = text.REHEARSAL_BADGE if project.rehearsal else text.DEMO_BADGE if demo else text.REAL_BADGE
    return f"{kind} {text.ARCHIVED_BADGE}" if project.archived else kind


def overview(project: Project) -> None:
    """How far the project has come, the way on, and what is decided."""
    st.subheader(f"{words.plain(project.name)} {_badges(project)}", anchor=False)
    if limited := text.limits(project.limits):
        st.markdown(limited)
    met = journey.facts_of(project)
    done, total = journey.progress(met)
    step = journey.next_open(met)
    st.progress(done / total, text=text.standing(done, total, step.title if step else ""))
    owned = login.current().owns(project)
    with st.container(horizontal=True):
        if not owned:
            st.info(login_words.READ_ONLY, icon=":material/visibility:")
        elif step is None:
            st.success(text.ALL_DONE, icon=":material/task_alt:")
        elif st.button(
            text.GO_ON.format(title=step.title), type="primary", icon=":material/arrow_forward:", key="go-on"
        ):
            layout.visit(project, step.name)
        st.button(text.CLOSE_BUTTON, on_click=state.leave, key="close")
    if owned:
        _revise(project)
        _take_away(project)
        _put_away(project)
    st.header(text.DECIDED_TITLE, anchor=False)
    alt = text.standing(done, total, step.title if step else "")
    layout.table(Figure(frame=_decided(project, met), words=alt))


def _revise(project: Project) -> None:
    """Another purpose, other limits; the name stays, because releases carry it."""
    with st.expander(text.REVISE_TITLE, icon=":material/edit:"):
        purpose = st.text_area(
            text.PURPOSE_LABEL,
            project.purpose,
            placeholder=text.PURPOSE_PLACEHOLDER,
            height=80,
            key="purpose",
        )
        given = _limit_boxes(project.limits, key="now")
        if st.button(text.SAVE_BUTTON, icon=":material/save:", key="save-project"):
            with guards.shown():
                state.accept(opening.revise(project, purpose=purpose, limits=given))
                st.rerun()


def _take_away(project: Project) -> None:
    """The project as one file without data."""
    with st.expander(text.EXPORT_TITLE, icon=":material/output:"), guards.shown():
        st.markdown(text.EXPORT_NOTE)
        st.download_button(
            text.EXPORT_BUTTON,
            portable.exported(project),
            file_name=text.file_name(project.name),
            mime="application/json",
            icon=":material/download:",
            on_click="ignore",
            key="export-project",
        )


def _put_away(project: Project) -> None:
    """Out of the list, or off the disk: what goes and what stays is said before."""
    with st.expander(text.PUT_AWAY_TITLE, icon=":material/inventory:"), guards.shown():
        st.caption(text.ARCHIVE_NOTE)
        label = text.RESTORE_BUTTON if project.archived else text.ARCHIVE_BUTTON
        if st.button(label, icon=":material/inventory:", key="archive-project"):
            state.accept(replace(project, archived=not project.archived))
            st.rerun()
        st.divider()
        st.markdown(text.DELETE_GOES)
        stays = "\n".join(f"- {sentence}" for sentence in text.stays(removal.remains_of(project)))
        st.markdown(f"{text.DELETE_STAYS}\n{stays}")
        typed = st.text_input(text.DELETE_LABEL, key="delete-name")
        if st.button(text.DELETE_BUTTON, icon=":material/delete_forever:", key="delete-project"):
            if typed.strip() != project.name:
                raise Mistake(text.DELETE_WRONG.format(name=project.name))
            removal.delete(project)
            state.leave()
            state.note(text.DELETED.format(name=words.plain(project.name)))
            st.rerun()


def _decided(project: Project, met: frozenset[str]) -> pd.DataFrame:
    """One row per step: its name, its mark in a word, and what was decided there."""
    schema = None
    with suppress(Mistake):
        schema = load_schema(project.schema)
    stations = [station for station in journey.stations(met) if not station.step.aside]
    return pd.DataFrame(
        {
            "Step": [f"{station.step.icon} {station.step.title}" for station in stations],
            "State": [station.mark.value for station in stations],
            "Decided": [
                text.decided(station.step.name, project, schema) if station.mark is Mark.DONE else ""
                for station in stations
            ],
        }
    )

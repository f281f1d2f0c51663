"""Panels of the Project page for the starting table, the next release, and the people in its table."""

from __future__ import annotations

import streamlit as st

from synth.app.project import decisions, declared, journey, runs, starting
from synth.app.project.describe import sources
from synth.app.project.results import publication
from synth.app.project.runs import SyntheticTable
from synth.app.project.store import Project
from synth.app.ui import guards, layout, state
from synth.app.ui import text as words
from synth.app.ui.text import project as text
from synth.app.ui.text.schema import file as file_words
from synth.core.request import People


def choose(project: Project) -> None:
    """Show the starting table and how well it fits, or fields to choose one. It is fixed once a run has used
    it.
    """
    st.header("Starting table", anchor=False, help=text.START_HELP)
    if "schema" not in journey.facts_of(project):
        st.caption(text.START_LATER)
        return
    is_frozen = declared.is_frozen(project)
    if project.start.path:
        _chosen(project, is_frozen=is_frozen)
    elif is_frozen:
        st.caption(text.NONE_OF_RUN)
    elif not starting.can_start(project.method):
        st.info(text.NO_START, icon=":material/info:")
    else:
        st.markdown(text.START_ASK)
        with st.expander("Choose a starting table", icon=":material/flag:"), guards.shown():
            _choose(project)


def _chosen(project: Project, *, is_frozen: bool) -> None:
    st.markdown(f"The run starts from **{words.plain(project.start.source)}** (public).")
    with guards.shown():
        st.markdown(text.match(starting.match_of(project)))
    if not starting.can_start(project.method):
        st.warning(text.NO_START, icon=":material/info:")
    if not is_frozen and st.button("Remove starting table", icon=":material/close:", key="start-remove"):
        state.accept(starting.without(project))
        st.rerun()


def _choose(project: Project) -> None:
    st.warning(text.START_PUBLIC, icon=":material/public:")
    tables, key = runs.finished(project), state.generation("start-form")
    places = {place: place for place in (*[text.START_RUN] * bool(tables), text.START_FILE)}
    place = layout.one_of(text.START_WHERE, places, next(iter(places)), key=f"{key}-place")
    if place == text.START_RUN:
        table = _pick(project, tables, key=f"{key}-run")
    else:
        typed = st.text_input(text.START_PATH, help=text.START_PATH_HELP, key=f"{key}-path")
        source = st.text_input(starting.SOURCE, help=text.START_SOURCE_HELP, key=f"{key}-source")
    if st.button("Use this table", icon=":material/check:", key="use-start"):
        is_own = place == text.START_RUN
        chosen = (
            starting.with_run(project, table) if is_own else starting.with_file(project, typed, source=source)
        )
        state.accept(chosen)
        state.renew("start-form")
        st.rerun()


def people(project: Project) -> None:
    """Show who is declared to be in the table, and the consequences."""
    if not project.people:
        return
    st.header("People in the table", anchor=False)
    st.markdown(text.people(project.people, project.new_to))
    if not declared.is_frozen(project) and st.button(
        "Remove declaration", icon=":material/close:", key="people-remove"
    ):
        state.accept(starting.without_people(project))
        st.rerun()


def release_again(project: Project) -> None:
    """Draw the form that prepares the release of the next table, once a run has finished."""
    tables = runs.finished(project)
    if not tables or not (project.drafting or tables[-1].run == project.runs[-1]):
        return
    with st.expander("Release again", icon=":material/event_repeat:", key="again"), guards.shown():
        st.markdown(text.AGAIN_NOTE)
        key = state.generation("again-form")
        names = (*[text.AGAIN_DEMO] * starting.has_second_year(project), text.AGAIN_FOLDER, text.AGAIN_UPLOAD)
        place = layout.one_of("Next table", {name: name for name in names}, names[0], key=f"{key}-place")
        path, upload = "", None
        if place == text.AGAIN_FOLDER:
            path = st.text_input(file_words.PATH_LABEL, help=file_words.PATH_HELP, key=f"{key}-path")
        elif place == text.AGAIN_UPLOAD:
            kinds = sources.ENDINGS
            upload = st.file_uploader(
                file_words.UPLOAD_LABEL, kinds, help=file_words.UPLOAD_HELP, key=f"{key}-upload"
            )
        who = st.radio(
            text.PEOPLE_LABEL,
            list(text.PEOPLE),
            index=None,
            format_func=lambda one: one.words.capitalize(),
            captions=list(text.PEOPLE.values()),
            key=f"{key}-people",
        )
        population = ""
        if who is People.NEW:
            population = st.text_input(
                text.NEW_POPULATION, help=text.NEW_POPULATION_HELP, key=f"{key}-population"
            )
        shift = ""
        if starting.has_dates(project):
            shift = layout.pick(text.SHIFT_LABEL, text.SHIFTS, key=f"{key}-shift", help=text.SHIFT_HELP)
        name = st.text_input(
            text.AGAIN_NAME,
            starting.next_name(project.name, shift),
            help=text.NAME_HELP,
            key=f"{key}-name-{shift}",
        )
        start: SyntheticTable | None = None
        if shift:
            st.caption(text.SHIFT_START)
        elif starting.can_start(project.method):
            if st.checkbox(text.AGAIN_START, True, help=text.START_HELP, key=f"{key}-start"):
                start = _pick(project, tables, key=f"{key}-run")
        else:
            st.caption(text.NO_START)
        if st.button(
            "Prepare next release",
            type="primary",
            icon=":material/arrow_forward:",
            disabled=who is None,
            help=text.PEOPLE_MISSING if who is None else None,
            key="again-go",
        ):
            prepared = starting.next_release(
                project,
                path=path,
                upload=upload,
                second_year=place == text.AGAIN_DEMO,
                start=start,
                people=who or People.UNDECLARED,
                population=population,
                shift=shift,
                name=name,
            )
            chosen = state.accept(prepared)
            decisions.record_table(project, chosen, is_next=True)
            sources.delete_uploads(chosen)
            state.renew("again-form")
            layout.visit(project, "run")


def _pick(project: Project, tables: tuple[SyntheticTable, ...], *, key: str) -> SyntheticTable:
    """Let the user choose a finished run from a list with the latest first. The default is the latest
    published run, if there is one.
    """
    published = [one.run for one in tables if publication.is_published(project, one.run)]
    labels = {
        one.run: f"{one.label}, finished {one.day}{', published' if one.run in published else ''}"
        for one in reversed(tables)
    }
    chosen = layout.pick("Release", labels, published[-1] if published else None, key=key)
    return next(one for one in tables if one.run == chosen)

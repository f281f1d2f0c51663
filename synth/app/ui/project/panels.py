"""Panels of the Project page: the demo, the form for a new project, the list and the overview."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from synth.app.project import declared, journey, opening, portable, removal
from synth.app.project.store import Limits, Origin, Project
from synth.app.ui import guards, layout, login, state
from synth.app.ui import text as words
from synth.app.ui.project import starting
from synth.app.ui.text import frame as login_words
from synth.app.ui.text import project as text
from synth.core.errors import Mistake


def demo() -> None:
    """Offer the demo project."""
    st.subheader("Try the demo", anchor=False)
    st.markdown(text.DEMO_BODY)
    if st.button("Open the demo", type="primary", icon=":material/play_arrow:", key="open-demo"):
        state.accept(replace(declared.demo(), owner=login.current().name))
        st.rerun()


def new() -> None:
    """Ask for the name, the purpose, a practice run or a real release, and the organisation's limits."""
    st.subheader("Start a project", anchor=False)
    name = st.text_input("Project name", help=text.NAME_HELP, max_chars=opening.LONGEST_NAME, key="new-name")
    rehearsal = layout.one_of("Type", text.KINDS, True, help=text.KIND_HELP, key="new-kind")
    public = rehearsal and st.checkbox(text.PUBLIC_LABEL, key="new-public")
    with st.expander("Purpose and limits (optional)", icon=":material/policy:"):
        purpose, limits = _options("", Limits(), key="new")
    if st.button("Create project", icon=":material/add:", key="start-project"):
        with guards.shown():
            begun = opening.begin(
                name,
                purpose=purpose,
                rehearsal=rehearsal,
                public=public,
                limits=limits,
                owner=login.current().name,
            )
            project = state.accept(begun)
            step = journey.next_open(journey.facts_of(project))
            if step is not None:
                layout.visit(project, step.name)


def _options(purpose: str, now: Limits, *, key: str) -> tuple[str, Limits]:
    """Draw fields for the purpose and the organisation's limits. An empty number means no limit."""
    purpose = st.text_area(
        "Purpose", purpose, placeholder="Teaching material on commuting", height=80, key=f"{key}-purpose"
    )
    st.caption(text.LIMITS_NOTE)
    boxes = ((text.RELEASE_LIMIT, now.release, "release"), (text.LIFETIME_LIMIT, now.lifetime, "lifetime"))
    release, lifetime = (
        column.number_input(
            label, value=value, step=0.5, placeholder="no limit", key=f"{key}-{name}"
        )  # without bounds: a field with bounds silently drops input beyond them
        for column, (label, value, name) in zip(st.columns(2), boxes, strict=True)
    )
    approvers = layout.one_of(text.APPROVERS_LABEL, text.APPROVERS, now.approvers, key=f"{key}-approvers")
    return purpose, Limits(release=release, lifetime=lifetime, approvers=approvers)


def listing(owner: str) -> None:
    """List the projects on disk, latest first, with a search field and a button to open each."""
    st.header("Your projects", anchor=False)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        sought = st.text_input("Search", placeholder="name, purpose or population", key="search-projects")
        archived = st.toggle("Archived", key="archived-projects")
    entries = opening.listing(owner=owner, most=opening.RECENT, words=sought, archived=archived)
    if len(entries) == opening.RECENT and st.toggle("Show older projects", key="all-projects"):
        entries = opening.listing(owner=owner, words=sought, archived=archived)
    if not entries:
        none = "No project is archived." if archived else "No projects yet."
        st.info(text.LIST_NOT_FOUND if sought.strip() else none, icon=":material/info:")
    for project, changed in entries:
        with st.container(border=True, horizontal=True, vertical_alignment="center"):
            standing = text.standing(*journey.progress(journey.facts_of(project)))
            st.markdown(
                f"**{words.plain(project.name)}** {_badges(project)}  \n{standing} · {text.changed(changed)}",
                width="stretch",
            )
            if st.button("Open", help=project.name, key=f"open-{project.id}"):
                state.open_project(project.id)
                st.rerun()


def taking_in() -> None:
    """Create a project from a project file."""
    with st.expander("Import a project", icon=":material/upload_file:"):
        st.caption(text.IMPORT_NOTE)
        given = st.file_uploader("Project file (.json)", type="json", key=state.generation("project-file"))
        if given is None:
            return
        with guards.shown():
            found = portable.read(given.getvalue())
            st.markdown(text.contents(found))
            real = not found.project.rehearsal
            public = real or st.checkbox(text.PUBLIC_LABEL, key="import-public")
            if st.button("Import this file", icon=":material/add:", key="import-project"):
                project = portable.take_in(found, public=public, owner=login.current().name)
                state.renew("project-file")
                state.open_project(project.id)
                st.rerun()


def _badges(project: Project) -> str:
    """Return the kind of a project as a coloured badge, with another badge if it is archived."""
    demo = project.origin is Origin.DEMO
    kind = text.REHEARSAL_BADGE if project.rehearsal else text.DEMO_BADGE if demo else text.REAL_BADGE
    return f"{kind} {text.ARCHIVED_BADGE}" if project.archived else kind


def overview(project: Project) -> None:
    """Show the progress of the project, the next step, and actions for the whole project."""
    st.markdown(_badges(project))
    if project.purpose:
        st.caption(words.plain(project.purpose))
    if limited := text.limits(project.limits):
        st.markdown(limited)
    done, total, step = journey.progress(journey.facts_of(project))
    st.progress(done / total, text=text.standing(done, total, step))
    owned = login.current().owns(project)
    with st.container(horizontal=True):
        if not owned:
            st.info(login_words.READ_ONLY, icon=":material/visibility:")
        elif step is None:
            st.success("All steps are done. Results and release stay available.", icon=":material/task_alt:")
        elif st.button(
            f"Continue: {step.title}", type="primary", icon=":material/arrow_forward:", key="go-on"
        ):
            layout.visit(project, step.name)
        st.button("Close project", on_click=state.leave, key="close")
    if owned:
        starting.choose(project)
        starting.people(project)
        starting.release_again(project)
        tasks = {
            "Purpose and limits": _revise,
            "Export": _take_away,
            "Archive or delete": _put_away,
        }
        with st.expander("Manage project", icon=":material/more_horiz:"):
            for tab, task in zip(st.tabs(list(tasks)), tasks.values(), strict=True):
                with tab, guards.shown():
                    task(project)


def _revise(project: Project) -> None:
    """Draw fields for the purpose and the limits. The name cannot change, because releases contain it."""
    purpose, limits = _options(project.purpose, project.limits, key="now")
    if st.button("Save", icon=":material/save:", key="save-project"):
        state.accept(opening.revise(project, purpose=purpose, limits=limits))
        st.rerun()


def _take_away(project: Project) -> None:
    """Draw the button that exports the project to one file without data."""
    st.markdown(text.EXPORT_NOTE)
    st.download_button(
        "Export project",
        portable.exported(project),
        file_name=text.file_name(project.name),
        mime="application/json",
        icon=":material/download:",
        on_click="ignore",
        key="export-project",
    )


def _put_away(project: Project) -> None:
    """Draw the buttons that archive or delete the project, and state what is deleted and what is kept."""
    st.caption("An archived project is hidden from the list. You can restore it at any time.")
    label = text.RESTORE_BUTTON if project.archived else text.ARCHIVE_BUTTON
    if st.button(label, icon=":material/inventory:", key="archive-project"):
        state.accept(replace(project, archived=not project.archived))
        st.rerun()
    st.divider()
    st.markdown(text.DELETE_GOES)
    stays = "\n".join(f"- {sentence}" for sentence in text.stays(removal.remains_of(project)))
    st.markdown(f"{text.DELETE_STAYS}\n{stays}")
    typed = st.text_input("Type the project name to delete it", key="delete-name")
    if st.button("Delete project", icon=":material/delete_forever:", key="delete-project"):
        if typed.strip() != project.name:
            raise Mistake(f"This is not the project name. Type: {project.name}.")
        removal.delete(project)
        state.leave()
        state.note(f"Project {words.plain(project.name)} is deleted.")
        st.rerun()

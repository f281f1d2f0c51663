"""Panels of the Release page: the form, the checks, the choices, the report, and the published release."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import pandas as pd
import streamlit as st

from synth.app.figures.figure import Figure
from synth.app.jobs.store import Status
from synth.app.project import decisions
from synth.app.project.results import publication
from synth.app.project.results.publication import ChecklistPoint, Published, Topic
from synth.app.project.runs import SyntheticTable
from synth.app.project.store import Project
from synth.app.ui import guards, layout, login, state, waiting
from synth.app.ui import text as words
from synth.app.ui.login import Person
from synth.app.ui.release import rows as rows_panel
from synth.app.ui.results import panels as results_panels
from synth.app.ui.text import release as text
from synth.core.errors import Mistake
from synth.release.documents.statement import Imprint
from synth.release.formats.forms import FORMS, check_forms

_PREVIEW_HEIGHT = 720
_IN_THE_FORM = {Topic.RUN, Topic.USE, Topic.LICENCE, Topic.CONTACT, Topic.APPROVAL}
"""The points that the page shows outside the checklist."""


def choose(runs: Sequence[SyntheticTable]) -> SyntheticTable:
    """Let the user choose the run to publish."""
    return results_panels.choose(runs, label="Run to publish", note=text.RUN_HELP, key="publish-run")


def checklist(project: Project, points: Sequence[ChecklistPoint]) -> None:
    """Show the checks of the run. The form itself shows its missing fields."""
    st.header("Checks", anchor=False)
    points = [point for point in points if point.topic not in _IN_THE_FORM]
    frame = pd.DataFrame(
        {
            "State": [text.SIGNS[point.settled] for point in points],
            "Check": [f"**{words.plain(point.topic)}**" for point in points],
            "Result": [words.plain(text.describe(point)) for point in points],
        }
    )
    alt = f"{sum(not point.locks for point in points)} of {len(points)} checks are done."
    layout.table(Figure(frame=frame, words=alt), header=False)
    flags = next(point.facts["flags"] for point in points if point.topic is Topic.FLAGS)
    if flags:
        with st.expander("Warnings", icon=":material/flag:", expanded=any(f.blocks for f in flags)):
            st.markdown(text.flags(flags))
            if st.button("Show on Results", icon=":material/monitoring:", key="see-flags"):
                layout.visit(project, "results")


def imprint(project: Project, run: SyntheticTable) -> Project:
    """Draw the form of publication details. Input is saved immediately, and only the owner can change it."""
    st.header("Publication details", anchor=False, help=text.WORDS_HELP)
    who, kept = login.current(), publication.words_of(project, run.run)
    if not who.owns(project):
        _printed(kept)
        _approval(project, run, who)
        return project
    purpose = st.text_area(
        text.field("Intended use", kept.purpose),
        kept.purpose,
        placeholder="Teaching and exploratory analysis of commuting. Not for decisions about individuals.",
        height=90,
        key="use",
    )
    left, right = st.columns(2)
    licences = [*text.LICENCES, *([kept.licence] if kept.licence not in (*text.LICENCES, "") else [])]
    licence = left.selectbox(
        text.field("Licence", kept.licence),
        licences,
        index=licences.index(kept.licence) if kept.licence else None,
        placeholder="Choose one, or type another",
        help="What others may do with the table. CC0 and CC BY are usual for open data.",
        accept_new_options=True,
        key="licence",
    )
    contact = right.text_input(
        text.field("Contact", kept.contact),
        kept.contact,
        placeholder="Statistics office, data@example.org",
        help="Prefer an office or a shared address. It stays public.",
        key="contact",
    )
    given = replace(
        project.imprint,
        purpose=purpose.strip(),
        licence=(licence or "").strip(),
        contact=contact.strip(),
        approvers=_typed_approvers(project) if who.is_local else (),
    )
    if given != project.imprint:
        project = state.accept(replace(project, imprint=given))
        st.rerun()  # the labels say which fields are filled in
    if not who.is_local:
        _approval(project, run, who)
    return project


def _typed_approvers(project: Project) -> tuple[str, ...]:
    """Draw fields for the names of the approvers, if there is no login."""
    kept = (*project.imprint.approvers, "", "")
    two = project.limits.approvers > 1
    left, right = st.columns(2)
    first = left.text_input(text.field("Approved by", kept[0]), kept[0], key="approver")
    second_label = text.field("Second approval", kept[1]) if two else "Second approval (optional)"
    second = right.text_input(second_label, kept[1], key="approver-two")
    names = tuple(name.strip() for name in (first, second) if name.strip())
    if len({name.lower() for name in names}) < len(names):
        st.warning(text.SAME_NAME, icon=":material/warning:")
    return names


def _approval(project: Project, run: SyntheticTable, who: Person) -> None:
    """If there is a login, let approvers approve the release here by name."""
    if not who.may_approve:
        st.info(text.APPROVERS_ASK.format(names=words.plain(login.approvers())), icon=":material/how_to_reg:")
    elif who.name in publication.approvals(project, run.run):
        st.success("You have approved this release with these details.", icon=":material/how_to_reg:")
    elif st.button("Approve release", icon=":material/how_to_reg:", help=text.APPROVE_HELP, key="approve"):
        publication.approve(project, run.run, name=who.name)
        st.rerun()


def _printed(imprint: Imprint) -> None:
    """Draw the publication details as a table."""
    lines = {
        Topic.USE: imprint.purpose,
        Topic.LICENCE: imprint.licence,
        Topic.CONTACT: imprint.contact,
        Topic.APPROVAL: ", ".join(imprint.approvers),
    }
    frame = pd.DataFrame(
        {
            "what": [f"**{name}**" for name in lines],
            "said": [words.plain(word) or "missing" for word in lines.values()],
        }
    )
    layout.table(Figure(frame=frame, words="The details of the publisher, as printed."), header=False)


def choices(project: Project, *, late: bool) -> None:
    """Show the decision log, with a field for choices that the app cannot detect. With `late`, new choices go
    into the next release.
    """
    st.header("Choices after viewing private data", anchor=False, help=text.CHOICES_HELP)
    lines = decisions.printed(project)
    if lines:
        st.markdown("\n".join(f"- {words.plain(line)}" for line in lines))
    else:
        st.markdown(f":material/check: {text.CHOICES_NONE}")
    if not login.current().owns(project):
        return
    with st.form("choice-form", clear_on_submit=True, border=False):
        typed = st.text_input(
            "Another choice", placeholder=text.CHOICE_PLACEHOLDER, help=text.CHOICE_HELP, key="choice"
        )
        label = "Add to next report" if late else "Add to report"
        if st.form_submit_button(label, icon=":material/add:", key="add-choice"):
            decisions.record_choice(project, typed)
            st.rerun()


def preview(project: Project, run: SyntheticTable, *, finished: int) -> None:
    """Show the report on request, in a frame without an origin, which cannot read other pages or run
    scripts.
    """
    st.header("Report", anchor=False)
    if st.toggle("Show the report", key="preview"):
        page = publication.preview(project, run, finished=finished).encode()
        source = f"data:text/html;charset=utf-8;base64,{base64.b64encode(page).decode()}"
        st.iframe(source, height=_PREVIEW_HEIGHT, alt="The privacy report of this release.")


def publish(
    project: Project, run: SyntheticTable, points: Sequence[ChecklistPoint], *, finished: int
) -> None:
    """Draw the publish button, which is disabled until every point is done and the box is ticked."""
    st.header("Publish", anchor=False)
    st.markdown("A published release cannot be recalled or changed. Publishing uses no budget.")
    still_open = tuple(point.topic for point in points if point.locks)
    if still_open:
        st.info(text.locked(still_open), icon=":material/lock:")
    if not login.current().owns(project):
        st.info("The owner of this project publishes it.", icon=":material/lock:")
        return
    state.follow("agreed", False, of=run.run)
    agreed = st.checkbox("I have read the report and take responsibility for publishing it.", key="agreed")
    if not st.button(
        "Publish release",
        type="primary",
        icon=":material/publish:",
        disabled=bool(still_open) or not agreed,
        key="publish",
    ):
        return
    with guards.shown():
        publication.start(project, run, finished=finished)
        st.rerun()


def watch(project: Project, run: SyntheticTable) -> None:
    """Show the progress of a publication, updated once a second."""
    st.header("Publishing", anchor=False)
    st.markdown("The release is being written and checked. You can leave this page.")
    waiting.watch(publication.task_of(project, run.run), key="publishing")


def failed(status: Status) -> None:
    """Show why the last attempt to publish the run failed."""
    st.error(words.plain(status.sentence), icon=":material/error:")


def _other_formats(done: Published) -> None:
    """Draw a download button for each other format of the table, which is written when it is pressed."""
    with st.expander("Other formats", icon=":material/table_view:"):
        st.markdown(text.FORMATS_NOTE)
        with st.container(horizontal=True):
            for form in FORMS.values():
                try:
                    check_forms([form.name])
                except Mistake as mistake:
                    st.caption(words.plain(str(mistake)))
                    continue
                st.download_button(
                    form.title,
                    data=partial(done.table, form),
                    file_name=done.file_name(form),
                    mime=form.media,
                    on_click="ignore",
                    icon=":material/download:",
                    key=f"download-{form.name}",
                )


def after(project: Project, done: Published) -> None:
    """Show a published release: its download, more rows, its details, and a button for the next release."""
    sentence = text.PUBLISHED.format(release=words.plain(done.release), day=done.day)
    st.success(sentence, icon=":material/task_alt:")
    with st.container(border=True, horizontal=True, vertical_alignment="center"):
        st.markdown(text.DOWNLOAD_NOTE, width="stretch")
        st.download_button(
            "Download release (zip)",
            data=done.archive,
            file_name=done.archive_name,
            mime="application/zip",
            on_click="ignore",
            type="primary",
            icon=":material/download:",
            key="download",
        )
    _other_formats(done)
    st.markdown(f":material/lock: {text.FROZEN}")
    if login.current().owns(project) and st.button(
        "Start new release", icon=":material/content_copy:", help=text.NEW_HELP, key="new-release"
    ):
        state.draft(project)
        layout.visit(project, "run")
    rows_panel.show(project, done)
    st.subheader("Publication details", anchor=False)
    _printed(done.imprint)
    st.subheader("Verification", anchor=False)
    st.markdown("Anyone can check that the release is complete and consistent:")
    st.code(text.VERIFY_CODE, language="sh")

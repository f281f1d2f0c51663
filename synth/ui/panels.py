"""The larger parts of the pages: the confirmation, the running job, and the pieces of the results."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from synth.jobs.budget import LIFETIME_DELTA
from synth.jobs.store import Event, State, Status
from synth.ui import alts, charts, desk, guards, layout, released, state, tables, text
from synth.ui.declared import Declared
from synth.ui.project import Budget, Project

TICK_SECONDS = 1.0


def odds(budget: Budget) -> None:
    """What the promise means for one attacker, as icons and in words."""
    posterior, power = desk.ceiling(budget.epsilon, budget.delta)
    st.subheader(text.ODDS_TITLE, anchor=False)
    figure = charts.odds(posterior)
    st.plotly_chart(figure, config=layout.PLOT, key="odds", alt=alts.odds(posterior))
    st.markdown(text.odds(posterior, power, budget.epsilon))
    st.caption(text.ODDS_NOTE)


def ledger(sheet: desk.Sheet, project: Project, *, key: str) -> None:
    """The population's budget line with the next run in it."""
    if sheet.opens:
        limit = text.limit(project.budget.lifetime, LIFETIME_DELTA)
        st.caption(text.LEDGER_NEW.format(limit=limit))
    parts = sheet.parts()
    figure = charts.ledger(parts)
    st.plotly_chart(figure, config=layout.PLOT, key=key, alt=alts.ledger(parts))
    st.caption(text.LEDGER_NOTE)
    if not sheet.covers:
        st.error(
            text.TOO_MUCH.format(left=sheet.largest_epsilon(project.budget.delta)), icon=":material/error:"
        )


@st.dialog(text.REVIEW_TITLE, width="medium")
def confirm(project: Project, table: Declared, sheet: desk.Sheet) -> None:
    """The last sheet before spending: what it costs, what is left, and the table's name typed."""
    with guards.neutral():
        st.markdown(text.cost(project.budget, table.schema.population, sheet.cost))
        ledger(sheet, project, key="ledger-after")
        typed = st.text_input(
            text.CONFIRM_LABEL.format(name=f"**{text.plain(project.name)}**"), key="confirm-name"
        )
        if not st.button(
            text.CONFIRM_BUTTON,
            type="primary",
            icon=":material/rocket_launch:",
            disabled=not sheet.covers,
            key="spend",
        ):
            return
        if typed.strip() != project.name:
            st.error(text.CONFIRM_WRONG, icon=":material/error:")
            return
        state.accept(desk.start(project))
        st.rerun()


def watch(project: Project) -> None:
    """The run as it goes: a fragment asks once a second, and only while there is something to wait for."""
    st.header(text.PROGRESS_TITLE, anchor=False)
    run = project.runs[-1]
    status, _ = desk.seen(run)
    st.fragment(_progress, run_every=None if status.state.is_end else TICK_SECONDS, key="job")(
        run, ended=status.state.is_end
    )
    if not status.state.is_end:
        st.caption(text.STAY)
    else:
        _ended(project, status)


def _progress(run: str, *, ended: bool) -> None:
    with guards.neutral():
        status, events = desk.seen(run)
        if status.state.is_end and not ended:
            st.rerun()
        if status.state is State.QUEUED and status.place:
            st.info(text.QUEUED.format(place=status.place), icon=":material/hourglass:")
        share = 1.0 if status.state is State.DONE else min(max(status.done, 0.0), 1.0)
        st.progress(share, text=text.plain(text.stage(status)))
        st.markdown(_timeline(events, ended=ended))
        if not ended and st.button(
            text.CANCEL_BUTTON, icon=":material/stop:", help=text.CANCEL_HELP, key="stop"
        ):
            desk.stop(run)
            st.warning(text.CANCEL_ASKED, icon=":material/info:")


def _timeline(events: Sequence[Event], *, ended: bool) -> str:
    """One line per stage with its latest public fact; the last one is still going."""
    latest: dict[str, Event] = {}
    counts: dict[str, int] = {}
    for event in events:
        latest[event.stage] = event
        counts[event.stage] = counts.get(event.stage, 0) + 1
    lines = []
    for place, (stage, event) in enumerate(latest.items()):
        going = not ended and place == len(latest) - 1
        icon = ":material/pending:" if going else ":material/check_circle:"
        times = f" ({counts[stage]} so far)" if counts[stage] > 1 and going else ""
        times = f" ({counts[stage]})" if counts[stage] > 1 and not going else times
        name = text.stage_name(stage)
        fact = "" if event.fact.lower() == name.lower() else f": {text.plain(event.fact)}"
        lines.append(f"{icon} **{name}**{times}{fact}")
    return "  \n".join(lines)


def _ended(project: Project, status: Status) -> None:
    """What became of the run, what it cost, and what can be done next."""
    run = project.runs[-1]
    if status.state is State.DONE:
        st.success(text.DONE, icon=":material/task_alt:")
    else:
        st.warning(text.ended(status), icon=":material/warning:")
    if status.spent is not None:
        st.markdown(text.spent(status.spent, project.budget, status.reserved))
    with st.container(horizontal=True):
        if status.state is State.DONE:
            if st.button(text.SEE_RESULTS, type="primary", icon=":material/monitoring:", key="see-results"):
                st.switch_page("pages/results.py", query_params={"p": project.id})
        elif st.button(text.RESUME_BUTTON, type="primary", help=text.RESUME_NOTE, key="resume"):
            desk.resume(run)
            st.rerun()
        if st.button(text.ANOTHER_BUTTON, key="another"):
            if status.state is not State.DONE:
                desk.discard(run)
            state.draft(project)
            st.rerun()


def verdict(release: released.Released) -> None:
    """Red flags and broken rules first; the promise and the size beside them."""
    for flag in release.flags:
        say = st.error if flag.blocks else st.warning
        say(text.plain(flag.sentence), icon=":material/flag:")
    if not release.flags:
        st.success(text.FLAGS_NONE, icon=":material/verified:")
    with st.container(horizontal=True):
        st.metric("Synthetic rows", f"{release.rows:,}", border=True)
        st.metric("Epsilon", f"{release.epsilon:g}", border=True, help=text.delta_help(release.delta))
        st.metric("Rules broken", f"{release.broken:,}", border=True, help=text.rules_help(release.rules))
        st.metric("Noisy tables", f"{release.measured:,}", border=True, help=text.MEASURED_HELP)


def column(release: released.Released) -> None:
    """One column at a time: bars, diamonds, whiskers."""
    names = [view.name for view in release.columns]
    titles = {view.name: view.title for view in release.columns}
    chosen = st.selectbox(
        text.COLUMN_LABEL, names, format_func=titles.__getitem__, key="shown-column", width=320
    )
    view = next(v for v in release.columns if v.name == chosen)
    figure = charts.marginal(view)
    layout.chart(figure, alt=alts.marginal(view), table=tables.marginal(view), key="marginal")
    st.caption(text.WHISKER_NOTE.format(confidence=text.share(release.confidence)))
    if view.noisy is None:
        st.caption(text.NOT_MEASURED)


def bounds(release: released.Released) -> None:
    """The triangle of pairs."""
    titles = [view.title for view in release.columns]
    figure = charts.bounds(release.pairs, titles)
    layout.chart(figure, alt=alts.bounds(release.pairs), table=tables.bounds(release.pairs), key="bounds")
    st.caption(text.BOUNDS_NOTE.format(confidence=text.share(release.confidence)))


def residuals(release: released.Released) -> None:
    """The strip of residuals."""
    figure = charts.residuals(release.residuals)
    layout.chart(
        figure,
        alt=alts.residuals(release.residuals),
        table=tables.residuals(release.residuals),
        key="residuals",
    )
    st.caption(text.RESIDUAL_NOTE)


def download(release: released.Released) -> None:
    """The bundle as one zip, made when it is asked for."""
    with st.container(border=True, horizontal=True, vertical_alignment="center"):
        st.markdown(f"**{text.DOWNLOAD_TITLE}.** {text.DOWNLOAD_NOTE}", width="stretch")
        st.download_button(
            text.DOWNLOAD_BUTTON,
            data=release.archive,
            file_name=release.archive_name,
            mime="application/zip",
            on_click="ignore",
            type="primary",
            icon=":material/download:",
            key="download",
        )

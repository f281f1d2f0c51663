"""Panels of the Results page: verdict, columns, residuals, rules, first rows and further tables."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import groupby

import streamlit as st

from synth.app.figures import results as figures
from synth.app.jobs.store import Job
from synth.app.project import journey
from synth.app.project.results import further, pairs
from synth.app.project.results.bundles import evidence_of
from synth.app.project.results.released import RedFlag, ReleaseView, Residuals
from synth.app.project.results.uses import uses
from synth.app.project.runs import SyntheticTable, generator_title
from synth.app.project.store import Project
from synth.app.ui import guards, layout, login, state, waiting
from synth.app.ui import text as words
from synth.app.ui.results.pairs import CAREFUL_KEY
from synth.app.ui.text import results as text
from synth.app.ui.text.method import fit_time
from synth.models.registry import GENERATORS
from synth.release.layout import json_text
from synth.release.verdict.figures import Verdict
from synth.release.verdict.sentences import CAREFUL

SHOWN_LAST = "seen-table"

_FLAGS_SHOWN = 8
"""Maximum number of warnings that are shown outside the expander. Warnings that block a release come
first.
"""


def shown_last(runs: Sequence[SyntheticTable]) -> str:
    """Return the run that was chosen last, or the newest run if it has finished since."""
    newest = _newest(runs)
    before, chosen = state.kept(SHOWN_LAST) or ("", "")
    return chosen if before == newest and any(run.run == chosen for run in runs) else newest


def _newest(runs: Sequence[SyntheticTable]) -> str:
    return next(run.run for run in reversed(runs) if not run.generator)


def choose(
    runs: Sequence[SyntheticTable],
    *,
    label: str = "Run",
    note: str | None = None,
    key: str = "shown-run",
) -> SyntheticTable:
    """Let the user choose a finished run or further table. The default is the last choice."""
    if len(runs) == 1:
        return runs[0]
    labels = {run.run: run.label for run in reversed(runs)}
    chosen = layout.pick(label, labels, shown_last(runs), help=note, key=key, width=420)
    state.put({SHOWN_LAST: (_newest(runs), chosen)})
    return next(run for run in runs if run.run == chosen)


def verdict(release: ReleaseView) -> None:
    """Draw a card that shows whether the run can be published, a grade for each use, the warnings and the
    size.
    """
    with st.container(border=True, key="verdict"):
        st.markdown(text.verdict(release))
        st.markdown(text.uses(uses(release)), help=text.USES_HELP)
        if release.verdict is None:
            bounds = [view.bound for view in release.columns if view.bound is not None]
            st.markdown(text.grades(pairs.answer(release), bounds))
        else:
            _accuracy(release, release.verdict)
        ordered = sorted(release.flags, key=lambda flag: (not flag.blocks, flag.advice))
        for (blocks, _), alike in groupby(ordered[:_FLAGS_SHOWN], key=_advised):
            say = st.error if blocks else st.warning
            say(text.flags(list(alike)), icon=":material/flag:")
        if rest := ordered[_FLAGS_SHOWN:]:
            with st.expander(f"{len(rest)} more warnings", icon=":material/flag:"):
                st.markdown("\n".join(f"- {text.flags([flag])}" for flag in rest))
    with st.container(horizontal=True):
        st.metric(text.ROWS_LABEL, f"{release.rows:,}", border=True)
        st.metric(
            text.EPSILON_LABEL, f"{release.epsilon:g}", border=True, help=text.delta_help(release.delta)
        )
        st.metric(text.MEASURED_LABEL, f"{release.measured:,}", border=True, help=text.MEASURED_HELP)


def _accuracy(release: ReleaseView, verdict: Verdict) -> None:
    """Draw the measured accuracy for each use as a chart and in words, and name the pairs that need care."""
    layout.picture(figures.accuracy(verdict, release.confidence), key="accuracy")
    st.markdown(text.accuracy(verdict, release), help=text.accuracy_help(verdict, release))
    st.markdown(text.soundness(pairs.answer(release)))
    if release.judgement is not None:
        st.download_button(
            text.JUDGE_DOWNLOAD,
            data=json_text(release.judgement),
            file_name="accuracy.json",
            mime="application/json",
            on_click="ignore",
            icon=":material/download:",
            key="download-accuracy",
        )
    if not release.is_judged or not release.pairs:
        return
    box, said = st.columns([1, 3], vertical_alignment="bottom")
    percent = box.number_input(
        text.CAREFUL_LABEL, 1.0, 100.0, 100 * CAREFUL, 1.0, format="%g", key=CAREFUL_KEY
    )
    said.markdown(text.careful(release.pairs, percent / 100))


def _advised(flag: RedFlag) -> tuple[bool, str]:
    """Return the key by which warnings are grouped. A warning without advice is shown alone."""
    return flag.blocks, flag.advice or flag.sentence


def column(release: ReleaseView) -> None:
    """Draw one column at a time, with bars, diamonds and whiskers."""
    st.header("Single columns", anchor="columns")
    titles = {view.name: view.title for view in release.columns}
    chosen = layout.pick("Column", titles, key="shown-column", width=320)
    view = next(v for v in release.columns if v.name == chosen)
    layout.chart(figures.marginal(view), key="marginal")
    note, help_ = "This column was not measured, so there are no diamonds.", None
    if view.noisy is not None:
        note = f"Diamonds: noisy measurements. Whiskers: {words.share(release.confidence)} confidence."
        help_ = text.WHISKER_HELP
    st.caption(note, help=help_)


def residuals(release: ReleaseView) -> None:
    """Show the residuals of the measurements in an expander."""
    found = release.residuals
    if found.worst:
        st.header("Model fit", anchor="fit")
        _fold(text.RESIDUAL_FOLD, "residuals", ":material/scatter_plot:", partial(_residuals, found))


def _residuals(found: Residuals) -> None:
    layout.chart(figures.residuals(found), key="residuals")
    st.caption(text.RESIDUAL_NOTE)


def _fold(label: str, name: str, icon: str, draw: Callable[[], None]) -> None:
    """Draw a part of the page as a fragment once its expander is open."""

    def drawn() -> None:
        with guards.neutral():
            fold = st.expander(label, icon=icon, on_change="rerun", key=f"open-{name}")
            if fold.open:
                with fold:
                    draw()

    st.fragment(drawn, key=f"{name}-section")()


def rules(release: ReleaseView) -> None:
    """Show whether the rows satisfy the rules, list the broken rules, and list all rules in an expander."""
    st.header("Rules", anchor="rules")
    if not release.held:
        st.markdown("No rule was declared.")
        return
    st.markdown(text.rules(release))
    broken = [rule for rule in release.held if rule.rows]
    if broken:
        layout.table(figures.rules(broken, rows=release.rows))
    listed = figures.rules(release.held, rows=release.rows)
    _fold("All rules", "rules", ":material/rule:", partial(layout.table, listed))


def shares(release: ReleaseView) -> None:
    """Show each target proportion next to the proportion in the synthetic rows."""
    if release.shares:
        st.header("Target proportions", anchor=False)
        layout.table(figures.shares(release.shares))
        st.caption(text.SHARES_NOTE)


def sample(release: ReleaseView) -> None:
    """Show the first synthetic rows in an expander."""
    rows, label = release.sample, f"First {len(release.sample)} synthetic rows"
    right = {v.name: st.column_config.TextColumn(alignment="right") for v in release.columns if v.is_number}

    def draw() -> None:
        alt = f"The first {len(rows)} synthetic rows."
        st.dataframe(rows, hide_index=True, alt=alt, key="sample", placeholder="", column_config=right)
        st.caption(text.SAMPLE_NOTE)

    st.header("First rows", anchor=False)
    _fold(label, "sample", ":material/table_rows:", draw)


def another(project: Project, shown: SyntheticTable, release: ReleaseView) -> None:
    """Offer further generators for the run shown, or show the progress of the table that is being made."""
    st.header("Generate more tables (free)", anchor=False, help=text.ANOTHER_NOTE)
    task = further.task_of(project, shown)
    is_owner = login.current().owns(project)

    def more() -> None:
        waiting.runs_on(task)
        waiting.loss(task.events(), key="another-fit")

    stop, note = "stop-another" if is_owner else "", "Stops the table in progress. Finished tables are kept."
    state_of = waiting.watch(task, key="another-table", stop=stop, stop_help=note, more=more)
    if state_of is not None and not state_of.is_end:
        return
    names = further.open_to(Job.find(shown.source).spec())
    if not names:
        st.caption("Every suitable generator has already made its table.")
    elif not is_owner:
        st.info("Only the owner of the project can generate another table.", icon=":material/lock:")
    else:
        _further_form(project, shown, names, rows=release.rows)


def _further_form(project: Project, shown: SyntheticTable, names: tuple[str, ...], *, rows: int) -> None:
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
            help="Number of rows. The default is the number of rows of the table shown.",
            key=f"another-rows-{shown.source}",
            width=160,
        )
        pressed = st.button(text.ANOTHER_BUTTON, icon=":material/add_chart:", key="make-another")
    domain = evidence_of(shown.folder).codebook.domain
    st.caption(fit_time(GENERATORS[chosen]().seconds(domain)), help=GENERATORS[chosen].summary)
    every = len(names) > 1 and st.button(
        text.every(len(names)), icon=":material/library_add:", help=text.EVERY_HELP, key="make-every"
    )
    waiting.runs_on()
    if pressed or every:
        with guards.shown():
            requested = further.quick_first(names, domain) if every else [chosen]
            further.ask(project, shown, generators=requested, rows=wanted)
            st.rerun()


def onward(project: Project, release: ReleaseView) -> None:
    """Draw buttons that lead to the release and to a new draft. For a blocked run, only the second is
    drawn.
    """
    with st.container(horizontal=True):
        if not release.blocked and st.button(
            "Next: release", type="primary", icon=":material/arrow_forward:", key="next-results"
        ):
            state.accept(journey.settle(project, "results"))
            layout.visit(project, "release")
        if not project.drafting and st.button(text.AGAIN, icon=":material/content_copy:", key="again"):
            state.draft(project)
            layout.visit(project, "run")

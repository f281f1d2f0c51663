"""Measure the accuracy of the table shown. The panel shows the cost, the progress, and how to continue after
an early end.
"""

from __future__ import annotations

import streamlit as st

from synth.app.jobs import released_files, runner
from synth.app.jobs.store import State, Task
from synth.app.project import runs, store
from synth.app.project.results import judging
from synth.app.project.results.released import ReleaseView
from synth.app.project.runs import SyntheticTable
from synth.app.project.spend import ledger
from synth.app.project.store import Project
from synth.app.ui import guards, layout, login, waiting
from synth.app.ui import text as words
from synth.app.ui.budget.promise import LARGEST, SMALLEST
from synth.app.ui.run.panels import other_people
from synth.app.ui.text import results as text
from synth.app.ui.text.budget import check_buys, over_lifetime
from synth.app.ui.text.run import after, too_much


def measure(project: Project, shown: SyntheticTable, release: ReleaseView) -> None:
    """Offer to measure the accuracy of a table that has no measurement of its own, or show the
    measurement.
    """
    if release.is_judged or project.rehearsal:
        return
    st.header("Measure accuracy", anchor="accuracy", help=text.JUDGE_NOTE)
    task, is_owner = judging.task_of(project, shown), login.current().owns(project)
    stop = "stop-judging" if is_owner else ""
    state = waiting.watch(task, key="judging", stop=stop, stop_help=text.JUDGE_STOP)
    if not is_owner:
        st.info("Only the owner of the project can measure the accuracy.", icon=":material/lock:")
    elif state in (None, State.DONE):
        with guards.shown():
            _offer(project, shown, release)
    elif state.is_end:
        _ended(project, task)


def _offer(project: Project, shown: SyntheticTable, release: ReleaseView) -> None:
    """Show what the measurement costs and what it will show, and draw the button that starts it."""
    most = project.limits.release or LARGEST
    names = {None: text.JUDGE_NOTHING} | {name: release.titles[name] for name in judging.targets(shown)}
    with st.container(horizontal=True, vertical_alignment="bottom"):
        epsilon = st.number_input(
            "Privacy loss (epsilon)",
            SMALLEST,
            most,
            min(max(judging.usual_epsilon(shown), SMALLEST), most),
            format="%g",
            help=text.JUDGE_EPSILON_HELP,
            key=f"judge-epsilon-{shown.run}",
            width=200,
        )
        target = None
        if len(names) > 1:
            key = f"judge-target-{shown.run}"
            target = layout.pick(text.JUDGE_TARGET, names, help=text.JUDGE_TARGET_HELP, key=key, width=320)
    plan = judging.planned(shown, epsilon=epsilon, target=target)
    offer = judging.quote(project, plan)
    st.markdown(f"{after(offer)} It measures the {check_buys(plan.promise)}.")
    beyond, limit = runs.beyond_lifetime(project, offer), project.limits.lifetime
    if not offer.covers:
        st.error(too_much(offer), icon=":material/error:")
    elif beyond is not None and limit is not None:
        st.error(over_lifetime(beyond, limit, offer), icon=":material/error:")
    if st.button(
        f"Measure accuracy (spends {words.share(offer.share)})",
        icon=":material/straighten:",
        disabled=not offer.covers or beyond is not None,
        key="judge",
    ):
        with store.spending(project.id):
            judging.ask(project, shown, plan)
        st.rerun()


def _ended(project: Project, task: Task) -> None:
    """Show the cost of a measurement that ended early, and draw buttons to resume or discard it."""
    status = runner.status(task)
    st.markdown(text.judge_cost(status, ledger.line_of(project).whole or 1))
    with st.container(horizontal=True), guards.shown():
        if status.code == released_files.CODE:
            other_people(task)
        elif st.button("Resume measurement", icon=":material/resume:", key="resume-judging"):
            runner.again(task)
            st.rerun()
        if st.button("Discard", icon=":material/delete:", help=text.JUDGE_DISCARD, key="discard-judging"):
            judging.discard(task)
            st.rerun()

"""Panels of the Run page: the review before a run spends budget, its progress, and its end."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pandas as pd
import streamlit as st

from synth.app.figures import budget as figures
from synth.app.figures.figure import Figure
from synth.app.figures.ledger import runs as runs_table
from synth.app.jobs import released_files, runner
from synth.app.jobs.budget import charged
from synth.app.jobs.store import Event, Job, State, Status, Task
from synth.app.project import decisions, journey, runs, starting, store
from synth.app.project.declared import Declared
from synth.app.project.describe import sources
from synth.app.project.merging import FROZEN
from synth.app.project.spend import ledger
from synth.app.project.spend.accuracy import too_small
from synth.app.project.spend.allocation import is_settled, trouble
from synth.app.project.store import Project
from synth.app.ui import guards, layout, login, state, waiting
from synth.app.ui import text as words
from synth.app.ui.schema import fit as fit_panel
from synth.app.ui.text import budget as budget_text
from synth.app.ui.text import run as text
from synth.app.ui.text.budget import over_lifetime
from synth.core.errors import NothingFound, Unfit
from synth.private.ledger.quote import Quote


def sheet(project: Project, table: Declared) -> None:
    """Let the user review what a run would do and cost, and confirm it by typing the project name."""
    hindrance = ledger.misfit(project)
    if hindrance is not None:
        _hindered(project, words.plain(hindrance), by="unit", label="Change who is protected")
        return
    if (known := ledger.not_new(project)) is not None:
        _hindered(project, words.plain(known), by="project", label=text.TO_PEOPLE)
        return
    quote = runs.quote(project)
    st.header("Review", anchor=False)
    _choices(project, table, epsilon=quote.epsilon, alt="The settings of this run.")
    if not ledger.is_practice(project):
        if sources.COMPARED not in project.settled:
            st.info(text.FIT_OFFER, icon=":material/compare_arrows:")
        fit_panel.fit(project, ready=bool(project.data))
    if small := too_small(table.schema, project.budget, project.method):
        st.warning(words.plain(small), icon=":material/group:")
    _before_after(project, quote, table.schema.population)
    _looked_at(project)
    settled = is_settled(project.budget, table.schema, limit=project.limits.release)
    if not settled:
        st.error(text.UNSETTLED, icon=":material/error:")
    beyond, most = runs.beyond_lifetime(project, quote), project.limits.lifetime
    if beyond is not None and most is not None:
        _hindered(project, over_lifetime(beyond, most, quote), by="budget", label=text.TO_BUDGET)
    sentence = trouble(table.schema, project.budget, project.method)
    if sentence is not None:
        _hindered(project, words.plain(sentence), by="method", label="Change the method")
    if (unusable := starting.trouble(project)) is not None:
        _hindered(project, words.plain(unusable), by="project", label=text.TO_START)
    st.header("Start the run", anchor=False)
    if quote.opens:
        st.markdown(words.plain(text.opening(quote.line)))
    st.warning(text.UNDONE_REHEARSAL if project.rehearsal else text.UNDONE, icon=":material/warning:")
    _confirm(project, quote, ready=quote.covers and settled and beyond is None and not (sentence or unusable))


def frozen(project: Project, table: Declared) -> None:
    """Show the settings of the last run as read-only, with a button that copies them to a new run."""
    st.info(FROZEN, icon=":material/lock:")
    st.header("Settings of the last run", anchor=False)
    ((spec, last),) = runs.started(project.runs[-1:])
    _choices(project, table, epsilon=spec.epsilon, alt="The settings of the last run.")
    if last.state is not State.DONE:
        if st.button("Go to the run", icon=":material/arrow_forward:", key="to-run"):
            layout.visit(project, "run")
    elif st.button(text.ANOTHER_BUTTON, icon=":material/content_copy:", help=text.ANOTHER_HELP, key="thaw"):
        state.draft(project)
        st.rerun()


def _choices(project: Project, table: Declared, *, epsilon: float, alt: str) -> None:
    title = runs.method_title(project.method.name)
    stated = [rule for rule in table.rules.rules if rule.stated]
    shares = sum(rule.share is not None for rule in stated)
    rows = text.sheet_rows(
        project,
        table.schema,
        epsilon=epsilon,
        rules=len(stated) - shares,
        shares=shares,
        method=title,
        read=runs.is_read(project),
        compared=decisions.LOOKED_AT_FIT in decisions.looks(project),
        named=login.current().owns(project),
    )
    frame = pd.DataFrame({"what": [f"**{name}**" for name in rows], "is": list(rows.values())})
    layout.table(Figure(frame=frame, words=alt), header=False)


def _before_after(project: Project, quote: Quote, population: str) -> None:
    st.header(f"Lifetime budget: {words.plain(population)}", anchor=False)
    lines = {text.BEFORE: quote.before(), text.AFTER: quote.after()}
    layout.chart(figures.before_after(lines), key="before-after")
    st.markdown(text.after(quote, opens=False), help=text.SQUARES)
    st.markdown(budget_text.odds(quote.odds, quote.epsilon))
    if not quote.covers:
        _hindered(project, text.too_much(quote), by="budget", label=text.TO_BUDGET)


def _hindered(project: Project, why: str, *, by: str, label: str) -> None:
    """Show why no run can start, with a button that opens the step where the user can fix this."""
    step = journey.BY_NAME[by]
    st.error(why, icon=":material/error:")
    if st.button(label, icon=step.icon, key=f"to-{by}"):
        layout.visit(project, step.name)


def _looked_at(project: Project) -> None:
    """Show what the decision log will state about this run."""
    changed = decisions.changes_since(project)
    if changed is None:
        return
    st.header("Choices after viewing private data", anchor=False)
    views = decisions.looks(project)
    st.info(
        text.looked(views=views, changed=bool(changed), again=decisions.has_started(project)),
        icon=":material/visibility:",
    )
    st.markdown("\n".join(f"- {words.plain(phrase)}" for phrase in changed))


def _confirm(project: Project, quote: Quote, *, ready: bool) -> None:
    name = f"**{words.plain(project.name)}**"
    with st.form("confirm", border=False, enter_to_submit=False):
        st.markdown(f"To confirm, type the name of this project: {name}")
        typed = st.text_input("Project name", key="confirm-name", width=420)
        requested = st.form_submit_button(
            f"Start run (spends {words.share(quote.share)})",
            type="primary",
            icon=":material/rocket_launch:",
            disabled=not ready,
            key="spend",
        )
    if not requested:
        return
    if not _is_same(typed, project.name):
        st.error(f"That is not the name of this project. It is {name}.", icon=":material/error:")
        return
    with store.spending(project.id):
        state.check_fresh(project)  # another window may have been faster
        state.accept(runs.start(project))
    st.rerun()


def _is_same(typed: str, name: str) -> bool:
    """Return whether two names are equal except for case and spaces."""
    return "".join(typed.split()).casefold() == "".join(name.split()).casefold()


def watch(project: Project) -> None:
    """Show how the last run ended, what the user can do next, and the run's steps, updated every second."""
    job = Job.find(project.runs[-1])
    status = runner.status(job)
    if status.state.is_end:
        _ended(project, job, status)
    st.header("Progress", anchor=False)
    st.fragment(_progress, run_every=None if status.state.is_end else waiting.TICK_SECONDS, key="job")(
        job, ended=status.state.is_end
    )
    if not status.state.is_end:
        st.caption("The run continues if you close this tab. Its address brings you back.")


def _progress(job: Job, *, ended: bool) -> None:
    with guards.neutral():
        status, events = runner.status(job), tuple(job.events())
        if status.state.is_end and not ended:
            st.rerun()
        spent, reserved = charged(Path(job.spec().ledger), job.run)
        share = 1.0 if status.state is State.DONE else min(max(status.done, 0.0), 1.0)
        st.progress(share, text=words.plain(text.stage(status)))
        if status.state is State.QUEUED and status.place:
            st.info(text.queued(status.place), icon=":material/hourglass:")
        _timeline(events, status)
        waiting.loss(events, key="fit")
        if ended:
            return
        st.markdown(text.so_far(spent, reserved))
        if st.button(
            "Stop run",
            icon=":material/stop:",
            help=text.cancel_help(spent, reserved),
            disabled=job.is_asked_to_stop(),
            key="stop",
        ):
            runner.cancel(job)
        if job.is_asked_to_stop():
            st.warning(text.CANCEL_REQUESTED, icon=":material/info:")


def _timeline(events: Sequence[Event], status: Status) -> None:
    """Draw one step per stage with its latest public facts. The stage of the last event is the current stage,
    or the stage at which the run ended.

    Methods can return to an earlier stage. A resumed run repeats its events, but each event is counted once.
    """
    stages: dict[str, dict[str, None]] = {}
    for event in events:
        stages.setdefault(event.stage, {})[event.fact] = None
    for stage, known_facts in stages.items():
        facts = list(known_facts)
        sign, last = text.STEP_DONE, stage == events[-1].stage
        if last and status.state is not State.DONE:
            sign = text.STEP_BROKEN if status.state.is_end else text.STEP_GOING
        label = words.plain(text.step_label(text.stage_name(stage), len(facts)))
        # `st.status` looks the same but sleeps 50 ms per call (Streamlit 1.67)
        with st.expander(label, expanded=last and not status.state.is_end, icon=sign, type="step"):
            st.caption("  \n".join(words.plain(fact) for fact in facts[-text.LATEST :]))


def _ended(project: Project, job: Job, status: Status) -> None:
    """Show how the run ended, what it cost, and what the user can do next."""
    done, given_back = status.state is State.DONE, status.code == runner.DISCARDED
    lifetime = ledger.line_of(project).whole or 1
    if done:
        st.success("Finished. The synthetic table and its report are ready.", icon=":material/task_alt:")
    else:
        st.warning(text.ended(status), icon=":material/warning:")
    st.markdown(text.cost(status, lifetime))
    if not done:
        st.markdown(text.next_after(status, given_back=given_back))
    with st.container(horizontal=True):
        if done and st.button("See results", type="primary", icon=":material/monitoring:", key="see-results"):
            layout.visit(project, "results")
        if status.code == released_files.CODE:
            other_people(job)
        elif status.code == Unfit.code:
            _continue_or_stop(job, status)
        elif not (done or given_back or status.code == NothingFound.code) and st.button(
            text.RESUME_BUTTON,
            type="primary",
            icon=":material/resume:",
            help=text.resume_help(status, lifetime),
            key="resume",
        ):
            runner.resume(job)
            st.rerun()
        help_ = text.ANOTHER_HELP if done else text.ANOTHER_HELP_ENDED
        if st.button(text.ANOTHER_BUTTON, icon=":material/content_copy:", help=help_, key="another"):
            if not (done or given_back):
                runner.discard(job)
            state.draft(project)
            st.rerun()


def _continue_or_stop(job: Job, status: Status) -> None:
    """Offer to continue a run whose table does not fit its declaration, or to release its unused budget."""
    if st.button(text.CONTINUE_BUTTON, type="primary", icon=":material/resume:", key="continue-unfit"):
        runner.resume(job, continue_unfit=True)
        st.rerun()
    if st.button(text.stop_button(status), icon=":material/stop:", key="stop-unfit"):
        runner.discard(job)
        st.rerun()


def other_people(task: Task) -> None:
    """Ask the steward to confirm that a file released under another population is about other people, and
    continue the task.

    The answer is stored only in the task's folder, not in the published decision log, because it reveals that
    two files are equal.
    """
    agreed = st.checkbox(text.OTHER_PEOPLE_LABEL, help=text.OTHER_PEOPLE_HELP, key="other-people")
    if st.button("Continue run", icon=":material/resume:", disabled=not agreed, key="go-on"):
        runner.again(task, other_people=True)
        st.rerun()


def earlier(project: Project) -> None:
    """Show the earlier runs of this project."""
    before = project.runs if project.drafting else project.runs[:-1]
    if not before:
        return
    lifetime = ledger.line_of(project).whole or 1
    with st.expander("Earlier runs", icon=":material/history:"):
        layout.table(runs_table(runs.started(before), lifetime=lifetime))

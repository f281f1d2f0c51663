"""Measure the accuracy of a finished table in a separate run: quote its cost, start it, or discard it."""

from __future__ import annotations

from pathlib import Path

from synth.app.jobs import budget, runner
from synth.app.jobs import judging as measuring
from synth.app.jobs.kinds import judging
from synth.app.jobs.store import Job, Task
from synth.app.project import decisions
from synth.app.project.results.bundles import opened
from synth.app.project.runs import SyntheticTable
from synth.app.project.spend import ledger
from synth.app.project.store import Project
from synth.core.accounting import rho_of
from synth.core.errors import Mistake
from synth.core.system.address import address_of
from synth.private.ledger.quote import Quote, epsilon_of_rho
from synth.release.verdict.judgement import JudgePlan
from synth.release.verdict.share import LARGEST, usual_share


def usual_epsilon(shown: SyntheticTable) -> float:
    """Return the epsilon, rounded to two digits, with which a measurement is as precise as a run's accuracy
    check.
    """
    bundle = opened(shown.folder)
    evidence, rho = bundle.evidence, rho_of(bundle.privacy.units)
    share = usual_share(evidence.codebook.schema, rho=rho, rows=max(1, round(evidence.total)))
    return float(f"{epsilon_of_rho(rho * (share or LARGEST), shown.delta, law=JudgePlan.law):.2g}")


def planned(shown: SyntheticTable, *, epsilon: float, target: str | None) -> JudgePlan:
    """Return the plan of a measurement. Raises: as in `JudgePlan`."""
    return JudgePlan(release=opened(shown.folder), epsilon=epsilon, delta=shown.delta, target=target)


def quote(project: Project, plan: JudgePlan) -> Quote:
    """Return the cost and its effect on the lifetime budget."""
    return measuring.quote(plan, ledger=ledger.of(project))


def targets(shown: SyntheticTable) -> tuple[str, ...]:
    """Return the columns whose prediction can be measured. There are none for a database, which returns only
    counts.
    """
    evidence = opened(shown.folder).evidence
    return () if address_of(_data(shown)).connection else evidence.domain.names


def ask(project: Project, shown: SyntheticTable, plan: JudgePlan) -> None:
    """Start the measurement. If private results were viewed before, the choice is recorded. Raises: `Mistake`
    while a measurement is running.
    """
    order = judging.order(
        package=shown.folder,
        data=_data(shown),
        ledger=ledger.of(project),
        epsilon=plan.epsilon,
        delta=plan.delta,
        target=plan.target,
    )
    runner.begin(task_of(project, shown), order)
    if decisions.has_looked(project):
        decisions.record_choice(project, decisions.accuracy_check(shown.name, plan.epsilon))


def discard(task: Task) -> None:
    """Close the run of a measurement that has ended, which releases its unused budget, and forget the
    measurement.

    Raises: `Mistake` if it is running.
    """
    if not runner.status(task).state.is_end:
        raise Mistake("The accuracy is being measured. Stop that first.")
    order = task.order()
    budget.close(Path(order["ledger"]), order["run"])
    task.forget()


def tasks(project: Project) -> tuple[Task, ...]:
    """Return the measurements of a project that were started but not discarded."""
    found = (Task(folder, "judging") for folder in project.folder.glob("judging/*"))
    return tuple(task for task in found if task.exists)


def task_of(project: Project, shown: SyntheticTable) -> Task:
    return Task(project.folder / "judging" / shown.run, "judging")


def _data(shown: SyntheticTable) -> str:
    return Job.find(shown.source).spec().data

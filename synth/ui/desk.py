"""Where the pages meet the engine: the ledger's balance, the job runner, the finished bundle."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from pathlib import Path

from synth import places
from synth.errors import Mistake
from synth.jobs import budget as gate
from synth.jobs import known, runner
from synth.jobs.spec import RunSpec, fresh_run, fresh_seed
from synth.jobs.store import Event, Job, State, Status
from synth.laws import attack_ceiling
from synth.measure.ledger import Balance, Ledger
from synth.quote import Quote
from synth.schema_io import load_schema
from synth.ui import books, decisions
from synth.ui.allocation import allocate, weighted
from synth.ui.project import Project
from synth.ui.suitability import Answers
from synth.ui.text import budget as text


def ledger_of(project: Project) -> Path:
    """Where this project's charges are written."""
    return books.place(rehearsal=project.rehearsal)


def line_of(project: Project) -> Balance:
    """The budget line of a project's population, in the ledger this project is charged to."""
    return balance(project.schema["population"], ledger=ledger_of(project))


def balance(population: str, *, ledger: Path | None = None) -> Balance:
    """The budget line of a population as a ledger has it (this installation's); nothing is created."""
    return gate.balance(population, ledger=places.ledger() if ledger is None else ledger)


def quote(project: Project) -> Quote:
    """What starting this project's next run would cost and do to its budget line."""
    return gate.quote(spec_of(replace(project, data=project.data or "/")))  # a price needs no file


def misfit(project: Project) -> str | None:
    """Why the population's budget line takes no run of this project; None if nothing is in the way."""
    schema = load_schema(project.schema)
    return gate.misfit(schema.population, schema.protects, ledger=ledger_of(project))


def declare(project: Project, answers: Answers, reason: str) -> None:
    """Say what the population's line protects, as answered. Raises: `Mistake` if that is settled already."""
    with closing(Ledger(ledger_of(project))) as book:
        book.declare(answers.population, answers.protects, reason)


def ceiling(epsilon: float, delta: float) -> tuple[float, float]:
    """How right an attacker can get from even odds, and how many he catches at 5 % false alarms."""
    return attack_ceiling(epsilon, delta)


def spec_of(project: Project) -> RunSpec:
    """The frozen order for a new run of this project."""
    run, budget, method = fresh_run(), project.budget, project.method
    divided = allocate(load_schema(project.schema), budget, method)
    return RunSpec(
        run=run,
        data=project.data,
        schema=weighted(project.schema, budget.importance),
        rules=list(project.rules),
        population=project.schema["population"],
        epsilon=divided.epsilon,
        delta=budget.delta,
        method=method.name,
        options=divided.options,
        generator=method.generator,
        generator_options=method.generator_options,
        compress=method.compress,
        rows=method.rows,
        workload=method.workload,
        preprocess_share=divided.preprocess_share,
        held_back=divided.held_back,
        extras=method.extras,
        lifetime_epsilon=budget.lifetime,
        seed=fresh_seed(),
        out=str(project.folder / "releases" / run),
        ledger=str(ledger_of(project)),
        rehearsal=fresh_seed() if project.rehearsal else None,
    )


def differences(project: Project, run: str) -> tuple[str, ...]:
    """In what the next run of a project would be asked otherwise; none while nobody prepares it."""
    if not project.drafting:
        return ()
    before = Job.find(run).spec()
    try:
        after = spec_of(project)
    except Mistake:
        return (text.COLUMNS_WORD,)  # they are being changed, and no run could be started with them
    differing = [name for name, value in before.terms().items() if value != after.terms()[name]]
    differing += [name for name in ("schema", "rules") if getattr(before, name) != getattr(after, name)]
    return tuple(dict.fromkeys(text.ASKED.get(name, text.SETTINGS_WORD) for name in differing))


def start(project: Project) -> Project:
    """Start a run and put it on the project's list. Raises: `Mistake` for an order no run could have."""
    spec = spec_of(project)
    runner.start(spec)
    decisions.begin(project, spec.run)
    reasons = {**project.reasons, spec.run: _reason(project)} if project.budget.reason else project.reasons
    return replace(project, runs=(*project.runs, spec.run), drafting=False, reasons=reasons)


def _reason(project: Project) -> str:
    """The written reason with what it is for, as the report prints it."""
    budget, limit = project.budget, project.limits.release
    return text.BEYOND.format(limit=limit or 0.0, epsilon=budget.epsilon, reason=budget.reason)


def seen(run: str) -> tuple[Status, tuple[Event, ...]]:
    """Where a run is, and the public facts it has told so far."""
    job = Job.find(run)
    return runner.status(job), tuple(job.events())


def charged(run: str) -> tuple[int, int]:
    """What a run has spent so far and what it holds in all, in ledger units; (0, 0) before it reserved."""
    return gate.charged(Job.find(run).spec())


def is_given_back(status: Status) -> bool:
    """Whether an ended run gave back what it never asked; it cannot be resumed then."""
    return status.code == runner.DISCARDED


def stop(run: str) -> None:
    """Ask a run to stop between two steps."""
    runner.cancel(Job.find(run))


def resume(run: str) -> None:
    """Continue an ended run from its stored answers."""
    runner.resume(Job.find(run))


def is_of_a_known_file(status: Status) -> bool:
    """Whether a run ended because its file had been released from under another population."""
    return status.code == known.CODE


def resume_with_others(run: str) -> None:
    """Continue such a run on the steward's word that these are other people.

    The word stays in the run's folder: that two files are equal is a fact about rows, and the decision log is
    printed.
    """
    runner.resume(Job.find(run), other_people=True)


def discard(run: str) -> None:
    """Give back what an ended run had reserved and never asked."""
    runner.discard(Job.find(run))


def bundle(project: Project) -> Path | None:
    """The newest finished bundle of the project, or None."""
    for run in reversed(project.runs):
        job = Job.find(run)
        if runner.status(job).state is State.DONE:
            return Path(job.spec().out)
    return None

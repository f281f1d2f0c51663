"""A project's runs: the order for the next one and its price, those that were started, and their tables."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from synth.app.jobs import budget, runner
from synth.app.jobs.spec import RunSpec, fresh_run, fresh_seed, is_made, place_of
from synth.app.jobs.store import Job, State
from synth.app.project import decisions
from synth.app.project.describe import rules
from synth.app.project.spend import ledger
from synth.app.project.spend.allocation import allocate, weighted
from synth.app.project.store import Project
from synth.core.errors import Mistake
from synth.dictionaries import load_schema
from synth.mechanisms.recipe import generator_title as generator_title
from synth.mechanisms.recipe import method_title as method_title
from synth.models.registry import GENERATORS
from synth.private.ledger.quote import Quote

_PUBLIC_STAGES = frozenset({"fit", "sample"})
"""Stages that work on noisy answers and read no row."""

_IN_ROUNDS = frozenset({"rounds", "steps"})
"""Stages in which fits and questions take turns, so that no clock tells one from the other."""

_ASKING = frozenset({"domain", "columns", "score", "graph", "select", "measure"})
"""Stages after which a mechanism still asks; a fit before one of them is followed by questions."""

_ROUNDING = 1e-6
"""By how much, relatively, a claim that is worked out from units may pass the epsilon they came from."""


@dataclass(frozen=True, kw_only=True)
class StartedRun:
    """A run as it stands. `spent` is in ledger units, None while it is under way; `at` is UTC."""

    run: str
    method: str
    epsilon: float
    state: State
    spent: int | None
    at: str


@dataclass(frozen=True, kw_only=True)
class SyntheticTable:
    """A table whose bundle is there. `number` counts the project's runs from 1, the unfinished ones too.

    `columns` counts those in the table, `day` is the UTC day the run ended. `generator` names what made a
    further table from the run's answers; "" for the table of the run itself.
    Its `run` then is a name of its own and no id of the job store; `source` always is one: the run whose
    answers the table was made from.
    """

    run: str
    source: str
    number: int
    method: str
    epsilon: float
    delta: float
    columns: int
    day: str
    folder: Path
    generator: str = ""

    @property
    def name(self) -> str:
        """Short: for axes and legends."""
        return f"Run {self.number}, again by {self.generator}" if self.generator else f"Run {self.number}"

    @property
    def label(self) -> str:
        """The name with what tells the run from others."""
        return f"{self.name}: {self.method}, epsilon {self.epsilon:g}"


def spec_of(project: Project) -> RunSpec:
    """The frozen order for a new run of this project."""
    run, chosen, method = fresh_run(), project.budget, project.method
    schema = load_schema(project.schema)
    bought = rules.bought_shares(schema, project.rules)
    divided = allocate(schema, chosen, method, bought=bought)
    return RunSpec(
        run=run,
        data=project.data,
        schema=weighted(project.schema, chosen.importance),
        rules=list(project.rules),
        population=project.schema["population"],
        epsilon=divided.epsilon,
        delta=chosen.delta,
        method=method.name,
        options=divided.options,
        generator=method.generator,
        generator_options=method.generator_options,
        compress=method.compress,
        rows=method.rows,
        workload=method.workload,
        preprocess_share=divided.preprocess_share,
        held_back=divided.held_back,
        shares_part=divided.shares_part,
        extras=method.extras,
        lifetime_epsilon=chosen.lifetime,
        seed=fresh_seed(),
        out=str(project.folder / "releases" / run),
        ledger=str(ledger.of(project)),
        rehearsal=fresh_seed() if project.rehearsal else None,
    )


def quote(project: Project) -> Quote:
    """What starting this project's next run would cost and do to its budget line."""
    return budget.quote(spec_of(replace(project, data=project.data or "/")))  # a price needs no file


def beyond_lifetime(project: Project, price: Quote) -> str | None:
    """How the next run goes beyond the organisation's limit for a lifetime; None if it does not.

    By the "limit" with which it opens the line, or by what all releases come to, "in all".
    """
    most = project.limits.lifetime
    if most is None:
        return None
    if price.opens and project.budget.lifetime > most:
        return "limit"
    return "in all" if price.claim_after > most * (1 + _ROUNDING) else None


def differences(project: Project, run: str) -> tuple[str, ...]:
    """Fields of the order in which the next run of a project differs from one that was started.

    Empty while nobody prepares it; `schema` alone while no run could be started with the columns.
    """
    if not project.drafting:
        return ()
    before = Job.find(run).spec()
    try:
        after = spec_of(project)
    except Mistake:
        return ("schema",)
    asked = after.terms()
    differing = [name for name, value in before.terms().items() if value != asked[name]]
    differing += [name for name in ("schema", "rules") if getattr(before, name) != getattr(after, name)]
    return tuple(differing)


def start(project: Project) -> Project:
    """Start a run and put it on the project's list. Raises: `Mistake` for an order no run could have."""
    spec = spec_of(project)
    runner.start(spec)
    decisions.record_start(project, spec.run)
    reasons = {**project.reasons, spec.run: _reason(project)} if project.budget.reason else project.reasons
    return replace(project, runs=(*project.runs, spec.run), drafting=False, reasons=reasons)


def _reason(project: Project) -> str:
    """The written reason with what it is for, as the report prints it."""
    asked, limit = project.budget, project.limits.release
    return (
        f"The organisation allows epsilon {limit or 0.0:g} for one release; epsilon {asked.epsilon:g} was "
        f"asked for. Reason given: {asked.reason}"
    )


def started(runs: Sequence[str]) -> tuple[StartedRun, ...]:
    """These runs of the job store, the latest first."""
    return tuple(_started(Job.find(run)) for run in reversed(runs))


def _started(job: Job) -> StartedRun:
    spec, status = job.spec(), runner.status(job)
    return StartedRun(
        run=job.run,
        method=method_title(spec.method),
        epsilon=spec.epsilon,
        state=status.state,
        spent=status.spent,
        at=status.at,
    )


def is_any_finished(project: Project) -> bool:
    """Whether a run of the project has ended with its bundle."""
    return any(runner.status(Job.find(run)).state is State.DONE for run in reversed(project.runs))


def finished(project: Project) -> tuple[SyntheticTable, ...]:
    """The tables of all finished runs, oldest first. Public facts only."""
    tables = []
    for number, run in enumerate(project.runs, start=1):
        job = Job.find(run)
        status = runner.status(job)
        if status.state is State.DONE:
            spec = job.spec()
            tables.append(
                SyntheticTable(
                    run=run,
                    source=run,
                    number=number,
                    method=method_title(spec.method),
                    epsilon=spec.epsilon,
                    delta=spec.delta,
                    columns=len(load_schema(spec.schema).modelled),
                    day=status.at[:10],
                    folder=Path(spec.out),
                )
            )
    return tuple(tables)


def seconds_of(one: SyntheticTable) -> float | None:
    """How long the last model of a run's own table was fitted and its rows were drawn, to the second; None
    where nobody was told, for a further table, and for a method that asks in rounds.

    Reading, counting and asking are left out: their time tells of the private file. So a clock runs from the
    last word of the mechanism before its questions ended, and stands still while held back counts are asked.
    """
    if one.generator:
        return None
    events = list(Job.find(one.run).events())
    if any(event.stage in _IN_ROUNDS for event in events):
        return None
    asked = max((place for place, event in enumerate(events) if event.stage in _ASKING), default=-1)
    told = events[asked + 1 :]
    times = [dt.datetime.fromisoformat(event.at) for event in told]
    spans = zip(told, times, times[1:], strict=False)
    public = [(end - start).total_seconds() for event, start, end in spans if event.stage in _PUBLIC_STAGES]
    return sum(public) if public else None


def tables(project: Project) -> tuple[SyntheticTable, ...]:
    """All finished runs, each followed by the further tables made from its answers for free."""
    all_tables = []
    for one in finished(project):
        spec = Job.find(one.run).spec()
        all_tables.append(one)
        all_tables += [
            replace(
                one,
                run=f"{one.run}-{name}",
                generator=generator_title(name),
                folder=place_of(spec, name),
            )
            for name in GENERATORS
            if is_made(spec, name)
        ]
    return tuple(all_tables)

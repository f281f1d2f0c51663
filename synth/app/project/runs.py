"""The runs of a project: the order and the cost of the next run, the started runs, and their tables."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from synth.app.jobs import budget, released_files, runner
from synth.app.jobs.spec import RunSpec, fresh_run, fresh_seed, is_made, place_of
from synth.app.jobs.store import Job, State, Status
from synth.app.project import decisions
from synth.app.project.describe import rules
from synth.app.project.spend import ledger
from synth.app.project.spend.accuracy import expected_accuracy
from synth.app.project.spend.allocation import allocate, weighted
from synth.app.project.store import Project
from synth.core.errors import Mistake, unspent
from synth.dictionaries import explicit, load_schema, stored
from synth.mechanisms.shared.recipe import generator_title as generator_title
from synth.mechanisms.shared.recipe import method_title as method_title
from synth.models.registry import GENERATORS
from synth.private.ledger.quote import Quote

_PUBLIC_STAGES = frozenset({"fit", "sample"})
"""Stages that use only noisy measurements and read no rows."""

_IN_ROUNDS = frozenset({"rounds", "steps"})
"""Stages in which fits and queries alternate, so that their times cannot be separated."""

_ASKING = frozenset({"domain", "columns", "score", "graph", "select", "measure"})
"""Stages after which a mechanism may make more queries."""

_ROUNDING = 1e-6
"""Relative rounding error of an epsilon that is computed from ledger units."""


@dataclass(frozen=True, kw_only=True)
class SyntheticTable:
    """A finished table. `number` is the number of its run in the project, counted from 1 and including
    unfinished runs.

    `columns` is the number of columns, and `day` is the day on which the run ended, in UTC. `generator` names
    the generator of a further table, or is "" for the table of the run itself. `source` is the ID of the run
    whose measurements were used. `run` is that ID, or the name of a further table.
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
        """Return a short name for axes and legends."""
        return f"Run {self.number}, again by {self.generator}" if self.generator else f"Run {self.number}"

    @property
    def label(self) -> str:
        """Return the name with the method and epsilon."""
        return f"{self.name}: {self.method}, epsilon {self.epsilon:g}"


def spec_of(project: Project) -> RunSpec:
    """Return the complete order for a new run of this project."""
    run, chosen, method = fresh_run(), project.budget, project.method
    schema = load_schema(project.schema)
    share_count = rules.measured_shares(schema, project.rules)
    divided = allocate(schema, chosen, method, share_count=share_count)
    return RunSpec(
        run=run,
        data=project.data,
        schema=explicit(weighted(project.schema, chosen.importance)),
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
        verdict=divided.verdict,
        shares_part=divided.shares_part,
        means=chosen.means,
        means_share=divided.means_share,
        forecast=expected_accuracy(schema, chosen, method, divided).errors,
        extras=method.extras,
        lifetime_epsilon=chosen.lifetime,
        seed=fresh_seed(),
        out=str(project.folder / "releases" / run),
        ledger=str(ledger.of(project)),
        rehearsal=fresh_seed() if project.rehearsal else None,
        start=project.start.path,
        start_source=project.start.source,
        start_digest=project.start.digest,
        since=_since(project),
        people=project.people,
        new_to=project.new_to,
    )


def _since(project: Project) -> str:
    """Return the release package with which the next release is compared: the starting table, or else the
    last release if the project declares who is in the next table.
    """
    start = Path(project.start.path)
    if project.start.path and (start.is_dir() or start.suffix == ".zip"):
        return str(start)
    earlier = finished(project) if project.people else ()
    return str(earlier[-1].folder) if earlier else ""


def quote(project: Project) -> Quote:
    """Return the cost of the next run and its effect on the lifetime budget."""
    return budget.quote(spec_of(replace(project, data=project.data or "/")))  # a quote needs no file


def beyond_lifetime(project: Project, price: Quote) -> str | None:
    """Return how the next run exceeds the organisation's lifetime limit, or None if it does not.

    "limit" means that the limit of the budget that it opens is too high, and "in all" means that the total of
    all releases is too high.
    """
    most = project.limits.lifetime
    if most is None:
        return None
    if price.opens and project.budget.lifetime > most:
        return "limit"
    return "in all" if price.claim_after > most * (1 + _ROUNDING) else None


def differences(project: Project, run: str) -> tuple[str, ...]:
    """Return the fields of the order in which the next run differs from a run that was started.

    The result is empty if no run is being prepared, and only `schema` while the columns are not valid.
    """
    if not project.drafting:
        return ()
    before = Job.find(run).spec()
    try:
        after = spec_of(project)
    except Mistake:
        return ("schema",)
    requested = after.terms()
    differing = [n for n, value in before.terms().items() if value != requested[n] and n != "forecast"]
    differing += [
        name for name in ("schema", "rules", "start_digest") if getattr(before, name) != getattr(after, name)
    ]
    return tuple(differing)


def start(project: Project) -> Project:
    """Start a run and add it to the project.

    Raises: `Mistake` for an invalid order, or for a starting table that is unusable or has changed.
    """
    with unspent():
        spec = spec_of(project)
        check_start(spec)
    runner.start(spec)
    decisions.record_start(project, spec.run)
    reasons = {**project.reasons, spec.run: _reason(project)} if project.budget.reason else project.reasons
    return replace(project, runs=(*project.runs, spec.run), drafting=False, reasons=reasons)


def check_start(spec: RunSpec) -> None:
    """Check the starting table of an order, if it has one.

    Raises: `Mistake` for a method that cannot use it, or for a table that is private, unreadable or changed.
    """
    if spec.start:
        spec.plan().check_starting_table()
        released_files.check_public(Path(spec.start))
        spec.started()


def _reason(project: Project) -> str:
    """Return the written reason as printed in the report."""
    requested, limit = project.budget, project.limits.release
    return (
        f"The organisation allows epsilon {limit or 0.0:g} for one release, but epsilon "
        f"{requested.epsilon:g} was requested. Reason given: {requested.reason}"
    )


def started(runs: Sequence[str]) -> list[tuple[RunSpec, Status]]:
    """Return the order and status of these runs, latest first."""
    jobs = [Job.find(run) for run in reversed(runs)]
    return [(job.spec(), runner.status(job)) for job in jobs]


def of_present_table(project: Project) -> tuple[str, ...]:
    """Return the runs of the present table, oldest first. A run whose order cannot be read counts as one."""
    later = project.runs[decisions.runs_of_earlier_tables(project) :]
    return tuple(run for run in later if _data_of(run) in (project.data, None))


def _data_of(run: str) -> str | None:
    with suppress(Mistake):
        return Job.find(run).spec().data
    return None


def is_read(project: Project) -> bool:
    """Return whether a run of the project has used its present table."""
    return bool(of_present_table(project))


def is_any_finished(project: Project) -> bool:
    """Return whether any run of the project has finished."""
    return any(runner.status(Job.find(run)).state is State.DONE for run in reversed(project.runs))


def finished(project: Project) -> tuple[SyntheticTable, ...]:
    """Return the tables of all finished runs, oldest first. They contain public facts only."""
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
                    columns=len(load_schema(stored(spec.schema)).modelled),
                    day=status.at[:10],
                    folder=Path(spec.out),
                )
            )
    return tuple(tables)


def seconds_of(one: SyntheticTable) -> float | None:
    """Return the seconds of the last fit and of sampling.

    The result is None if they are unknown, for a further table, or for a method that makes queries in rounds.
    The time for reading, counting and answering queries is excluded, because it depends on the private file.
    """
    if one.generator:
        return None
    events = list(Job.find(one.run).events())
    if any(event.stage in _IN_ROUNDS for event in events):
        return None
    requested = max((place for place, event in enumerate(events) if event.stage in _ASKING), default=-1)
    later = events[requested + 1 :]
    times = [dt.datetime.fromisoformat(event.at) for event in later]
    spans = zip(later, times, times[1:], strict=False)
    public = [(end - start).total_seconds() for event, start, end in spans if event.stage in _PUBLIC_STAGES]
    return sum(public) if public else None


def tables(project: Project) -> tuple[SyntheticTable, ...]:
    """Return all finished runs, each followed by its further tables."""
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

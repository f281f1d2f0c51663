"""Where the pages meet the engine: the ledger's balance, the job runner, the finished bundle."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from pathlib import Path

from synth.jobs import runner
from synth.jobs.budget import LIFETIME_DELTA
from synth.jobs.spec import RunSpec, fresh_run, fresh_seed
from synth.jobs.store import Event, Job, State, Status
from synth.measure.accounting import attack_ceiling, epsilon_from, rho_from, rho_of, units_of
from synth.measure.ledger import Ledger, default_path
from synth.ui.project import Budget, Project


@dataclass(frozen=True, kw_only=True)
class Line:
    """A population's budget line in ledger units; `limit` is None while nobody has opened one."""

    limit: int | None
    spent: int = 0
    reserved: int = 0

    def within(self, budget: Budget) -> int:
        """The limit in force: the ledger's, or the one this run would open the line with."""
        return self.limit or units_of(rho_from(budget.lifetime, LIFETIME_DELTA))

    def after(self, budget: Budget) -> dict[str, float]:
        """The line as shares of its limit, with this run in it; more than one in all if it does not fit."""
        limit = self.within(budget)
        cost = price(budget)
        left = max(limit - self.spent - self.reserved - cost, 0)
        parts = {"spent": self.spent, "reserved": self.reserved, "this run": cost, "left": left}
        return {name: units / limit for name, units in parts.items() if units or name in ("this run", "left")}

    def covers(self, budget: Budget) -> bool:
        """Whether this run fits into what is left."""
        return self.spent + self.reserved + price(budget) <= self.within(budget)


def price(budget: Budget) -> int:
    """What a run reserves, in ledger units."""
    return units_of(rho_from(budget.epsilon, budget.delta))


def largest_epsilon(line: Line, budget: Budget) -> float:
    """The largest epsilon that still fits at this delta, rounded down to hundredths."""
    left = max(line.within(budget) - line.spent - line.reserved, 0)
    return math.floor(epsilon_from(rho_of(left), budget.delta) * 100) / 100 if left else 0.0


def ceiling(epsilon: float, delta: float) -> tuple[float, float]:
    """How right an attacker can get from even odds, and how many he catches at 5 % false alarms."""
    return attack_ceiling(epsilon, delta)


def spec_of(project: Project) -> RunSpec:
    """The frozen order for a new run of this project."""
    run = fresh_run()
    return RunSpec(
        run=run,
        data=project.data,
        schema=project.schema,
        rules=list(project.rules),
        population=project.schema["population"],
        epsilon=project.budget.epsilon,
        delta=project.budget.delta,
        method=project.method.name,
        options=project.method.options,
        rows=project.method.rows,
        workload=project.method.workload,
        lifetime_epsilon=max(project.budget.lifetime, project.budget.epsilon),
        seed=fresh_seed(),
        out=str(project.folder / "releases" / run),
        ledger=str(default_path()),
    )


def start(project: Project) -> Project:
    """Start a run and put it on the project's list. Raises: `Mistake` for an order no run could have."""
    spec = spec_of(project)
    runner.start(spec)
    return replace(project, runs=(*project.runs, spec.run), drafting=False)


def seen(run: str) -> tuple[Status, tuple[Event, ...]]:
    """Where a run is, and the public facts it has told so far."""
    job = Job.find(run)
    return runner.status(job), tuple(job.events())


def stop(run: str) -> None:
    """Ask a run to stop between two steps."""
    runner.cancel(Job.find(run))


def resume(run: str) -> None:
    """Continue an ended run from its stored answers."""
    runner.resume(Job.find(run))


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


def line(population: str) -> Line:
    """The budget line of a population as the ledger has it."""
    ledger = Ledger(default_path())
    try:
        balance = ledger.balance(population)
    finally:
        ledger.close()
    return Line(limit=balance.limit, spent=balance.spent, reserved=balance.reserved)

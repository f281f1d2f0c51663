"""Read the ledger of a project, export it, and raise limits. All of it is public."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, fields
from pathlib import Path

from synth.app.jobs import budget
from synth.app.project import store as projects
from synth.app.project.describe.suitability import UnitAnswers
from synth.app.project.store import Origin, Project
from synth.core.accounting import rho_of
from synth.core.errors import Code, Mistake, Refusal
from synth.core.request import People
from synth.core.system import places
from synth.dictionaries import load_schema
from synth.private.ledger import Balance, Ledger, Run
from synth.private.ledger.population import fold
from synth.release.csv_text import guard


@dataclass(frozen=True, kw_only=True)
class BudgetLine:
    """The lifetime budget of a population. `reasons` contains the dated reasons for its limits, oldest
    first.
    """

    balance: Balance
    reasons: tuple[str, ...]

    @property
    def population(self) -> str:
        return self.balance.population

    def parts(self) -> dict[str, float]:
        """Return the parts as shares of the limit, which add up to 1."""
        line = self.balance
        parts = {"spent": line.spent, "reserved": line.reserved, "given up": line.lost, "left": line.left}
        return {name: line.share(units) for name, units in parts.items() if units or name != "given up"}


@dataclass(frozen=True, kw_only=True)
class BookedRun:
    """A run in the ledger. `table` is the name of the run's project, or of its schema if no project has the
    run. `epsilon` covers only the charges of this run, at the delta of the lifetime budget. `law` is the
    accounting rule: GDP if every query is Gaussian, and otherwise zCDP.
    """

    opened: str
    population: str
    table: str
    run: str
    state: str
    epsilon: float
    rho_spent: float
    rho_reserved: float
    share: float
    law: str = "zCDP"


def place(*, rehearsal: bool) -> Path:
    """Return the path of the ledger file. Practice runs have a separate one, which protects no one."""
    return places.rehearsal_ledger() if rehearsal else places.ledger()


def is_practice(project: Project) -> bool:
    """Return whether a project is charged to the practice ledger, because it is a practice run or the
    invented demo.
    """
    return project.rehearsal or project.origin is Origin.DEMO


def of(project: Project) -> Path:
    """Return the path of the ledger file that records the charges of this project."""
    return place(rehearsal=is_practice(project))


def line_of(project: Project) -> Balance:
    """Return the lifetime budget of a project's population in the ledger of this project."""
    return budget.balance(project.schema["population"], ledger=of(project))


def misfit(project: Project) -> str | None:
    """Return why the population's budget does not allow a run of this project, or None if it does."""
    schema = load_schema(project.schema)
    return budget.misfit(schema.population, schema.protects, ledger=of(project))


def not_new(project: Project) -> str | None:
    """Return why the declaration that all people are new cannot be true, or None if it can be true or was not
    made.
    """
    if project.people is People.NEW:
        try:
            line_of(project).check_unused()
        except Mistake as mistake:
            return str(mistake)
    return None


def declare(project: Project, answers: UnitAnswers, reason: str) -> None:
    """Declare what the population's budget protects. Raises: `Mistake` if that was declared before."""
    with closing(Ledger(of(project))) as book:
        book.declare(answers.population, answers.protects, reason)


def populations(path: Path) -> tuple[str, ...]:
    """Return the populations with a lifetime budget, without creating a ledger."""
    if not path.exists():
        return ()
    with closing(Ledger(path)) as ledger:
        return ledger.populations()


def read(path: Path) -> tuple[tuple[BudgetLine, ...], tuple[BookedRun, ...]]:
    """Return all lifetime budgets, oldest first, and all runs, latest first, without creating a ledger."""
    if not path.exists():
        return (), ()
    lines, entries = [], []
    names = _project_names()
    with closing(Ledger(path)) as ledger:
        for line in ledger.listing():
            balance = ledger.balance(line["population"])
            reasons = tuple(f"{limit['date'][:10]}: {limit['reason']}" for limit in line["limits"])
            lines.append(BudgetLine(balance=balance, reasons=reasons))
            runs = ledger.runs(balance.population)
            entries += [_booked(run, balance, table=names.get(run.run, run.label)) for run in runs]
    return tuple(lines), tuple(sorted(entries, key=lambda entry: entry.opened, reverse=True))


def _project_names() -> dict[str, str]:
    """Return the name of the project of each run. The ledger itself contains only the names of schemas."""
    found = (projects.find(identity) for identity, _ in projects.on_disk())
    return {run: project.name for project in found if project is not None for run in project.runs}


def _booked(run: Run, line: Balance, *, table: str) -> BookedRun:
    return BookedRun(
        opened=run.opened[:16].replace("T", " "),
        population=run.population,
        table=table,
        run=run.run,
        state="closed" if run.closed else "open",
        epsilon=line.claim(run.spent, run.law),
        rho_spent=rho_of(run.spent),
        rho_reserved=rho_of(run.units),
        share=line.share(run.spent),
        law=run.law.title,
    )


def chosen(
    entries: Sequence[BookedRun], *, population: str | None, state: str | None
) -> tuple[BookedRun, ...]:
    """Return the entries with this population and state. None matches any value."""
    return tuple(
        entry for entry in entries if population in (None, entry.population) and state in (None, entry.state)
    )


def as_csv(entries: Sequence[BookedRun]) -> str:
    """Return the entries as CSV that is safe to open in spreadsheets, which would otherwise run formulas."""
    out = io.StringIO()
    names = [field.name for field in fields(BookedRun)]
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(names)
    cells = ([getattr(entry, name) for name in names] for entry in entries)
    writer.writerows([guard(cell) if isinstance(cell, str) else cell for cell in line] for line in cells)
    return out.getvalue()


def raise_limit(
    path: Path, *, population: str, epsilon: float, reason: str, delta: float | None = None
) -> None:
    """Set a higher lifetime limit. By default, delta is unchanged. Raises: `Mistake` without a reason, if the
    limit is lower, or if it exceeds the organisation's limit.
    """
    if not reason.strip():
        raise Mistake("State why the limit is raised. The reason stays on record.")
    allowed = _allowed_lifetime(population)
    if allowed is not None and epsilon > allowed:
        raise Mistake(
            f"Epsilon {epsilon:g} exceeds the organisation's lifetime limit of {allowed:g} for {population}. "
            "Change this limit first, in the project that sets it."
        )
    with closing(Ledger(path)) as ledger:
        limit = ledger.balance(population).raised(epsilon, delta)
        ledger.raise_limit(population, limit, reason.strip())


def _allowed_lifetime(population: str) -> float | None:
    """Return the lowest lifetime limit in any project about these people."""
    limits = [
        project.limits.lifetime
        for project in (projects.find(identity) for identity, _ in projects.on_disk())
        if project is not None and fold(str(project.schema.get("population", ""))) == fold(population)
    ]
    return min((limit for limit in limits if limit is not None), default=None)


def is_whole(path: Path) -> bool:
    """Return whether every entry and the hash chain are valid.

    A ledger that does not exist yet is valid. Raises: `Refusal` if the ledger cannot be read.
    """
    if not path.exists():
        return True
    try:
        with closing(Ledger(path)) as ledger:
            return ledger.verify()
    except Refusal as refusal:
        if refusal.code is not Code.LEDGER_BROKEN:
            raise
        return False

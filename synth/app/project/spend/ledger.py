"""A project's ledger as facts: budget lines, runs, both as a file, limits raised. All of it is public."""

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
from synth.core.system import places
from synth.dictionaries import load_schema
from synth.private.ledger import Balance, Ledger, Run
from synth.private.ledger.population import fold

_DANGEROUS = ("=", "+", "-", "@", "\t", "\r")
"""First characters that make a spreadsheet take a text for a formula."""


@dataclass(frozen=True, kw_only=True)
class BudgetLine:
    """The budget line of a population; `reasons` for its limit are dated, the opening first."""

    balance: Balance
    reasons: tuple[str, ...]

    @property
    def population(self) -> str:
        return self.balance.population

    def parts(self) -> dict[str, float]:
        """Shares of the limit; they add up to one."""
        line, limit = self.balance, self.balance.limit or 1
        return {"spent": line.spent / limit, "reserved": line.reserved / limit, "left": line.left / limit}


@dataclass(frozen=True, kw_only=True)
class BookedRun:
    """A run in the ledger. `epsilon` is what its charges amount to alone, at the delta of its line; `law` is
    how they are added up: zCDP, or GDP where every answer is Gaussian."""

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
    """Return the ledger file: practice runs have one of their own, which protects no one."""
    return places.rehearsal_ledger() if rehearsal else places.ledger()


def is_practice(project: Project) -> bool:
    """Return whether a project is charged to the practice ledger: a practice run, or the invented demo."""
    return project.rehearsal or project.origin is Origin.DEMO


def of(project: Project) -> Path:
    """Return the ledger file that this project's charges are written to."""
    return place(rehearsal=is_practice(project))


def line_of(project: Project) -> Balance:
    """The budget line of a project's population, in the ledger this project is charged to."""
    return budget.balance(project.schema["population"], ledger=of(project))


def spent_of(project: Project) -> float | None:
    """What releases about a project's population have spent of their lifetime limit, as a share; None where
    no run has opened their line."""
    line = line_of(project)
    return line.spent / line.limit if line.limit else None


def misfit(project: Project) -> str | None:
    """Why the population's budget line takes no run of this project; None if nothing is in the way."""
    schema = load_schema(project.schema)
    return budget.misfit(schema.population, schema.protects, ledger=of(project))


def declare(project: Project, answers: UnitAnswers, reason: str) -> None:
    """Say what the population's line protects, as answered. Raises: `Mistake` if that is settled already."""
    with closing(Ledger(of(project))) as book:
        book.declare(answers.population, answers.protects, reason)


def populations(path: Path) -> tuple[str, ...]:
    """The names of all budget lines; nothing is created."""
    if not path.exists():
        return ()
    with closing(Ledger(path)) as ledger:
        return ledger.populations()


def read(path: Path) -> tuple[tuple[BudgetLine, ...], tuple[BookedRun, ...]]:
    """Every budget line in the order opened, and every run, the latest first; nothing is created."""
    if not path.exists():
        return (), ()
    lines, entries = [], []
    with closing(Ledger(path)) as ledger:
        for line in ledger.listing():
            balance = ledger.balance(line["population"])
            reasons = tuple(f"{limit['date'][:10]}: {limit['reason']}" for limit in line["limits"])
            lines.append(BudgetLine(balance=balance, reasons=reasons))
            entries += [_booked(run, balance) for run in ledger.runs(balance.population)]
    return tuple(lines), tuple(sorted(entries, key=lambda entry: entry.opened, reverse=True))


def _booked(run: Run, line: Balance) -> BookedRun:
    return BookedRun(
        opened=run.opened[:16].replace("T", " "),
        population=run.population,
        table=run.label,
        run=run.run,
        state="closed" if run.closed else "open",
        epsilon=line.claim_of_run(run.spent, run.law),
        rho_spent=rho_of(run.spent),
        rho_reserved=rho_of(run.units),
        share=run.spent / (line.limit or 1),
        law=run.law.title,
    )


def chosen(
    entries: Sequence[BookedRun], *, population: str | None, state: str | None
) -> tuple[BookedRun, ...]:
    """The entries of a population, of a state; None for all."""
    return tuple(
        entry for entry in entries if population in (None, entry.population) and state in (None, entry.state)
    )


def as_csv(entries: Sequence[BookedRun]) -> str:
    """The entries as a file for spreadsheets, guarded against formulas."""
    out = io.StringIO()
    names = [field.name for field in fields(BookedRun)]
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(names)
    writer.writerows([_guarded(getattr(entry, name)) for name in names] for entry in entries)
    return out.getvalue()


def _guarded(value: object) -> object:
    return f"'{value}" if isinstance(value, str) and value.startswith(_DANGEROUS) else value


def raise_limit(
    path: Path, *, population: str, epsilon: float, reason: str, delta: float | None = None
) -> None:
    """Set a higher lifetime limit; without `delta` at the line's own. Raises: `Mistake` without a reason, if
    lower, or beyond what the organisation allows."""
    if not reason.strip():
        raise Mistake("Write down why the limit is raised. The reason stays on record.")
    allowed = _allowed_lifetime(population)
    if allowed is not None and epsilon > allowed:
        raise Mistake(
            f"The organisation allows epsilon {allowed:g} for a lifetime of {population}, as the project "
            f"about them says; epsilon {epsilon:g} is beyond that. If that changed, change it there first."
        )
    with closing(Ledger(path)) as ledger:
        limit = ledger.balance(population).raised(epsilon, delta)
        ledger.raise_limit(population, limit, reason.strip())


def _allowed_lifetime(population: str) -> float | None:
    """The lowest limit for a lifetime that a project about these people states for its organisation."""
    limits = [
        project.limits.lifetime
        for project in (projects.find(identity) for identity, _ in projects.on_disk())
        if project is not None and fold(str(project.schema.get("population", ""))) == fold(population)
    ]
    return min((limit for limit in limits if limit is not None), default=None)


def is_whole(path: Path) -> bool:
    """Check every entry against the rules and the chain; True for a ledger that does not exist yet.

    Raises: `Refusal` if the ledger cannot be read at all.
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

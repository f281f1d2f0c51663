"""The ledger as its page shows it: budget lines, releases, and both as a file. All of it is public."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields
from functools import lru_cache
from pathlib import Path

from synth import places
from synth.errors import Code, Mistake, Refusal
from synth.jobs.budget import LIFETIME_DELTA
from synth.measure.accounting import claim_of, limit_for, rho_of
from synth.measure.ledger import Ledger, default_path

DANGEROUS = ("=", "+", "-", "@", "\t", "\r")
"""First characters that make a spreadsheet take a text for a formula."""


@dataclass(frozen=True, kw_only=True)
class Line:
    """The budget line of a population. Units of 1e-12 rho; `reasons` are dated, the opening first;
    `is_gaussian` if all that is committed is, so that it may be read by the exact Gaussian curve."""

    population: str
    limit: int
    spent: int
    reserved: int
    left: int
    reasons: tuple[str, ...]
    is_gaussian: bool = False

    @property
    def limit_epsilon(self) -> float:
        """The limit as an epsilon at the delta of lifetimes, to hundredths."""
        return round(alone(self.limit, is_gaussian=self.is_gaussian), 2)

    @property
    def left_epsilon(self) -> float:
        """What is left as an epsilon, for one more run like the earlier ones."""
        return round(alone(self.left, is_gaussian=self.is_gaussian), 2)

    def parts(self) -> dict[str, float]:
        """Shares of the limit; they add up to one."""
        return {
            "spent": self.spent / self.limit,
            "reserved": self.reserved / self.limit,
            "left": self.left / self.limit,
        }


@dataclass(frozen=True, kw_only=True)
class Entry:
    """A run on the books. `epsilon` is what its charges amount to alone, at delta 1e-9; `law` is how they are
    added up: zCDP, or GDP where every answer is Gaussian."""

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
    """Where charges are written: rehearsals have a ledger of their own, worth nothing."""
    return places.rehearsal_ledger() if rehearsal else default_path()


def populations(path: Path) -> tuple[str, ...]:
    """The names of all budget lines; nothing is created."""
    if not path.exists():
        return ()
    with _open(path) as ledger:
        return ledger.populations()


def read(path: Path) -> tuple[tuple[Line, ...], tuple[Entry, ...]]:
    """Every budget line in the order opened, and every run, the latest first; nothing is created."""
    if not path.exists():
        return (), ()
    with _open(path) as ledger:
        listing = ledger.listing()
    lines = []
    entries = []
    for line in listing:
        reasons = tuple(f"{limit['date'][:10]}: {limit['reason']}" for limit in line["limits"])
        lines.append(
            Line(
                population=line["population"],
                limit=line["limit"],
                spent=line["spent"],
                reserved=line["reserved"],
                left=line["left"],
                reasons=reasons,
                is_gaussian=line["is_gaussian"],
            )
        )
        entries += [
            Entry(
                opened=run["opened"][:16].replace("T", " "),
                population=run["population"],
                table=run["label"],
                run=run["run"],
                state="closed" if run["closed"] else "open",
                epsilon=alone(run["spent"], is_gaussian=run["is_gaussian"]),
                rho_spent=rho_of(run["spent"]),
                rho_reserved=rho_of(run["units"]),
                share=run["spent"] / line["limit"],
                law="GDP" if run["is_gaussian"] else "zCDP",
            )
            for run in line["runs"]
        ]
    return tuple(lines), tuple(sorted(entries, key=lambda entry: entry.opened, reverse=True))


@lru_cache(maxsize=1024)
def alone(units: int, *, is_gaussian: bool = False) -> float:
    """Units as an epsilon at the delta of lifetimes."""
    return claim_of(units, LIFETIME_DELTA, is_gaussian=is_gaussian)


def chosen(entries: Sequence[Entry], *, population: str | None, state: str | None) -> tuple[Entry, ...]:
    """The entries of a population, of a state; None for all."""
    return tuple(
        entry for entry in entries if population in (None, entry.population) and state in (None, entry.state)
    )


def as_csv(entries: Sequence[Entry]) -> str:
    """The entries as a file for spreadsheets, guarded against formulas."""
    out = io.StringIO()
    names = [field.name for field in fields(Entry)]
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(names)
    writer.writerows([_guarded(getattr(entry, name)) for name in names] for entry in entries)
    return out.getvalue()


def _guarded(value: object) -> object:
    return f"'{value}" if isinstance(value, str) and value.startswith(DANGEROUS) else value


def raise_limit(path: Path, *, population: str, epsilon: float, reason: str) -> None:
    """Set a higher lifetime limit (epsilon at delta 1e-9). Raises: `Mistake` without a reason or if lower."""
    if not reason.strip():
        raise Mistake("Write down why the limit is raised. The reason stays on record.")
    with _open(path) as ledger:
        ledger.raise_limit(population, limit_for(epsilon, LIFETIME_DELTA), reason.strip())


def is_whole(path: Path) -> bool:
    """Check every entry against the rules and the chain; True for a ledger that does not exist yet."""
    if not path.exists():
        return True
    with _open(path) as ledger:
        try:
            return ledger.verify()
        except Refusal as refusal:
            if refusal.code is not Code.LEDGER_BROKEN:
                raise
            return False


@contextmanager
def _open(path: Path) -> Iterator[Ledger]:
    ledger = Ledger(path)
    try:
        yield ledger
    finally:
        ledger.close()

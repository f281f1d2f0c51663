"""Determine the guarantee of a lifetime budget: its population, its protected change, and its start.

Every function that takes a connection works inside the caller's transaction.

Raising a limit after results were seen has the following effect. Adaptive queries stay within rho if they
stop at a rho that was fixed in advance (a privacy filter: Rogers et al. 2016; for zCDP Whitehouse et al.
2023, for GDP Smith and Thakurta 2022). A limit that is raised after results were seen was not fixed in
advance: with some results the queries stop at the old limit, with others they continue. So the old guarantee
no longer holds for all releases together, including the earlier ones, and it ends. As long as the limit is
not raised further, the new limit bounds all queries. So from then on, the guarantee for all of them together
is stated with the new limit. It is as valid as a guarantee from the start if no other results would have led
to an even higher limit. A maximum that the organisation fixes in advance ensures this.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass, replace
from shlex import quote

from synth.core.accounting import exact, lifetime_delta, rho_of
from synth.core.errors import Mistake
from synth.core.schema import Neighbours, ProtectedChange
from synth.private.ledger.population import fold, looks_like
from synth.private.ledger.rules import CHANGE, LARGEST


@dataclass(frozen=True, kw_only=True)
class Claim:
    """The guarantee of a limit: `units` of 1e-12 rho, and (epsilon, delta) if the limit was set in this form.

    The delta includes the part for value lists.
    """

    units: int
    epsilon: float | None
    delta: float | None

    def __str__(self) -> str:
        if self.epsilon is None or self.delta is None:
            return f"rho {rho_of(self.units):.4g}"
        return f"epsilon {self.epsilon:.12g} at delta {exact(self.delta)}"


def lapse_sentence(lapsed: Sequence[Claim], lifetime: tuple[float, float]) -> str:
    """Return a paragraph about earlier guarantees that ended, which is empty if none has ended."""
    if not lapsed:
        return ""
    earlier = " and then ".join(str(claim) for claim in lapsed)
    return (
        f"The lifetime limit was raised after measurements had been seen. The guarantee of {earlier} no "
        "longer holds, also for releases made under it, because the new limit may depend on those "
        f"measurements. From then on, all releases together have epsilon {lifetime[0]:.12g} at delta "
        f"{exact(lifetime[1])}, but only if other measurements would not have led to a higher limit."
    )


def known_as(db: sqlite3.Connection, population: str) -> str:
    """Return the name under which the budget of a population was opened, for any spelling of the name.

    If there is no budget, return the given name. Raises: `Mistake` if two budgets of an older ledger differ
    only in spelling.
    """
    names = _names(db)
    if population in names:
        return population
    found = [name for name in names if fold(name) == fold(population)]
    if len(found) > 1:
        raise Mistake(
            f"The name {population!r} matches {found[0]!r} and {found[1]!r}. Write the name exactly."
        )
    return found[0] if found else population


def check_fresh(db: sqlite3.Connection, population: str) -> None:
    """Check the name of a new population. Raises: `Mistake` if it looks like an existing name."""
    for name in _names(db):
        if looks_like(name, population):
            raise Mistake(
                f"The name {population!r} looks like {name!r}, which has a lifetime budget. Use that name "
                "if these are the same people. If not, choose a clearly different one."
            )


def _names(db: sqlite3.Connection) -> list[str]:
    return [
        row[0] for row in db.execute("SELECT population FROM entry WHERE kind = 'population' ORDER BY seq")
    ]


def folded(protects: ProtectedChange) -> ProtectedChange:
    """Return the same change, with the name of the unit in the form that is stored and compared."""
    return replace(protects, unit=fold(protects.unit))


def as_columns(protects: ProtectedChange | None) -> Sequence[str | int | None]:
    """Return the values of an entry in the columns `rules.CHANGE`."""
    if protects is None:
        return (None,) * len(CHANGE)
    return (protects.unit, protects.max_rows, protects.neighbours.value, int(protects.is_capped))


def change_of(row: sqlite3.Row | None) -> ProtectedChange | None:
    """Return the protected change of an entry (the inverse of `as_columns`)."""
    if row is None or row["unit"] is None:
        return None
    return ProtectedChange(
        unit=row["unit"],
        max_rows=row["max_rows"],
        neighbours=Neighbours(row["neighbours"]),
        is_capped=bool(row["is_capped"]),
    )


def protected_by(db: sqlite3.Connection, population: str, *, until: int = LARGEST) -> ProtectedChange | None:
    """Return the protected change of a budget after entry number `until`, or None if it was not declared."""
    row = db.execute(
        f"SELECT {', '.join(CHANGE)} FROM entry WHERE population = ? AND seq <= ? "
        "AND kind IN ('population', 'declare') ORDER BY seq DESC LIMIT 1",
        (population, until),
    ).fetchone()
    return change_of(row)


def no_line(population: str, release: ProtectedChange | None = None) -> Mistake:
    """Return the error for a population without a lifetime budget.

    It contains the command that opens a budget for a release.
    """
    command = "ledger open"
    if release is not None:
        public = " --rows-public" if release.neighbours is Neighbours.REPLACE else ""
        command = (
            f"marginalia ledger open {quote(population)} --unit {quote(release.unit)} --max-rows "
            f"{release.max_rows}{public} --epsilon 10 --reason 'first release'"
        )
    return Mistake(
        f"Population {population!r} has no lifetime budget in this ledger. Check the spelling, or open one "
        f"with a limit and a reason: {command} (from Python: synth.open_budget). No budget was spent."
    )


def check_covers(population: str, line: ProtectedChange | None, release: ProtectedChange) -> None:
    """Raise `Mistake` if a release does not protect the same change as its budget.

    The database enforces the same rule.
    """
    requested = folded(release)
    if line is None:
        raise Mistake(
            f"The lifetime budget of population {population!r} comes from an older version and does not "
            f"state its privacy unit. If the privacy unit of all its releases was {requested}, declare that "
            "with a reason (ledger declare). Otherwise open another lifetime budget."
        )
    if line.covers(requested):
        return
    fewer = replace(requested, max_rows=line.max_rows) == replace(line, is_capped=requested.is_capped)
    capped = (
        " A table with fewer rows per unit is accepted if its schema names the ID column that caps them."
        if fewer and requested.max_rows < line.max_rows
        else ""
    )
    raise Mistake(
        f"The lifetime budget of population {population!r} protects {line}, but this release protects "
        f"{requested}. Their privacy costs cannot be added. Declare the same unit in the schema, "
        f"or use another population name if these are other people. No budget was spent.{capped}"
    )


def lapsed_of(db: sqlite3.Connection, population: str, *, until: int = LARGEST) -> tuple[Claim, ...]:
    """Return the guarantees that ended when the limit was raised after a query, oldest first."""
    rows = db.execute(
        "SELECT units, delta_units, epsilon, delta, EXISTS (SELECT 1 FROM entry AS earlier "
        "WHERE earlier.kind = 'charge' AND earlier.population = entry.population "
        "AND earlier.seq < entry.seq) AS is_late FROM entry "
        "WHERE population = ? AND kind IN ('population', 'raise') AND seq <= ? ORDER BY seq",
        (population, until),
    ).fetchall()
    lapsed: list[Claim] = []
    claim, lists = Claim(units=0, epsilon=None, delta=None), 0
    for row in rows:
        if row["is_late"]:
            lapsed.append(claim)
        lists += row["delta_units"]
        delta = None if row["delta"] is None else lifetime_delta(row["delta"], lists)
        claim = Claim(units=claim.units + row["units"], epsilon=row["epsilon"], delta=delta)
    return tuple(lapsed)

"""Budget lines: their limits, what is left of them, and for whom. The rules are told in `ledger.rules`.

Every function that takes a connection works inside a transaction that somebody else holds.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from dataclasses import dataclass

from synth.errors import Mistake
from synth.measure.accounting import Limit, limit_for
from synth.measure.ledger.rules import LARGEST

Terms = tuple[int | None, int | None, float | None, float | None]
"""What an entry says of a limit beside its `units`: `rules.TERMS` without the law."""


@dataclass(frozen=True, kw_only=True)
class Balance:
    """A budget line. `limit` is None while nobody has opened it; `reserved` is what open runs may yet ask.

    `limit` holds for what the line is now; a Gaussian run may have another one, and so may a run of another
    kind: `gaussian_limit` and `other_limit`, None if they are the same. `is_gaussian`: all that is committed
    is Gaussian and nothing else was at the first question, so the line's spending may be read by the exact
    curve of GDP.
    """

    population: str
    limit: int | None
    reserved: int
    spent: int
    delta_limit: int
    delta_reserved: int
    delta_spent: int
    gaussian_limit: int | None = None
    other_limit: int | None = None
    is_gaussian: bool = False

    @property
    def left(self) -> int:
        """What a new run like the earlier ones may reserve."""
        return self._left_of(self.limit)

    @property
    def delta_left(self) -> int:
        """What a new run may reserve for bought lists."""
        return self.delta_limit - self.delta_reserved - self.delta_spent

    def limit_of(self, *, is_gaussian: bool) -> int | None:
        """The limit for a new run of a kind."""
        special = self.gaussian_limit if is_gaussian else self.other_limit
        return self.limit if special is None else special

    def left_of(self, *, is_gaussian: bool) -> int:
        """What a new run of a kind may reserve."""
        return self._left_of(self.limit_of(is_gaussian=is_gaussian))

    def _left_of(self, limit: int | None) -> int:
        return max(0, (limit or 0) - self.reserved - self.spent)


def terms_of(limit: int | Limit, *, more_than: Limit | None = None) -> tuple[int, Terms]:
    """The units of a limit, and the terms of its entry: the rest, or what it has `more_than` another."""
    if not isinstance(limit, Limit):
        return limit, (None,) * 4
    if limit.promise is None:
        return limit.units, (None,) * 4
    gaussian, mixed = limit.gaussian_units, limit.mixed_units
    if more_than is not None:
        gaussian, mixed = gaussian - more_than.gaussian_units, mixed - more_than.mixed_units
    return limit.units, (gaussian, mixed, float(limit.promise[0]), float(limit.promise[1]))


def check_limit(population: str, units: int, delta_units: int, reason: str) -> None:
    if not population.strip():
        raise Mistake("A budget line needs the name of its population. Type one.")
    if not 0 < units <= LARGEST or not 0 <= delta_units <= LARGEST:
        raise Mistake(f"The limit of population {population!r} must lie above rho 0 and at most at rho 1e6.")
    if not reason.strip():
        raise Mistake(
            f"The limit of population {population!r} needs a reason, which stays on record. Give one."
        )


def limit_of(db: sqlite3.Connection, population: str, *, until: int = LARGEST) -> Limit | None:
    """The limits of a population after entry number `until`, None if it has no line."""
    row = db.execute(
        "SELECT count(*) AS entries, sum(units) AS units, sum(coalesce(gaussian_units, units)) AS gaussian, "
        "sum(coalesce(mixed_units, units)) AS mixed FROM entry "
        "WHERE population = ? AND seq <= ? AND kind IN ('population', 'raise')",
        (population, until),
    ).fetchone()
    if not row["entries"]:
        return None
    return Limit(units=row["units"], gaussian_units=row["gaussian"], mixed_units=row["mixed"])


def balance_of(db: sqlite3.Connection, population: str, *, until: int = LARGEST) -> Balance:
    """The budget line of a population after entry number `until`."""
    rows = db.execute(
        "SELECT kind, law, sum(units) AS units, sum(delta_units) AS delta_units FROM entry "
        "WHERE population = ? AND seq <= ? GROUP BY kind, law",
        (population, until),
    ).fetchall()
    units: Counter[str] = Counter()
    delta: Counter[str] = Counter()
    for row in rows:
        units[row["kind"]] += row["units"]
        delta[row["kind"]] += row["delta_units"]
    others = sum(
        row["units"] if row["kind"] == "run" else -row["units"]
        for row in rows
        if row["law"] is None and row["kind"] in ("run", "close")
    )
    spent, delta_spent = units["charge"], delta["charge"]
    committed = units["run"] - units["close"]
    other_limit, gaussian_limit = _in_force(db, population, until, others)
    limit = gaussian_limit if committed else other_limit
    return Balance(
        population=population,
        limit=limit,
        reserved=committed - spent,
        spent=spent,
        delta_limit=delta["population"] + delta["raise"],
        delta_reserved=delta["run"] - delta["close"] - delta_spent,
        delta_spent=delta_spent,
        gaussian_limit=None if gaussian_limit == limit else gaussian_limit,
        other_limit=None if other_limit == limit else other_limit,
        is_gaussian=committed > 0 and others == 0 and not _others_first(db, population, until),
    )


def _in_force(
    db: sqlite3.Connection, population: str, until: int, others: int
) -> tuple[int | None, int | None]:
    """The limits for a new run of another kind and for a Gaussian one; as `rules` tells it."""
    limit = limit_of(db, population, until=until)
    if limit is None:
        return None, None
    first = _first_charge(db, population, until)
    is_zcdp = _others_first(db, population, until)
    other = limit.units if first is None or is_zcdp else limit.mixed_units
    return other, limit.gaussian_units if not others and not is_zcdp else other


def _first_charge(db: sqlite3.Connection, population: str, until: int) -> int | None:
    row = db.execute(
        "SELECT min(seq) AS first FROM entry WHERE population = ? AND kind = 'charge' AND seq <= ?",
        (population, until),
    ).fetchone()
    return None if row["first"] is None else int(row["first"])


def _others_first(db: sqlite3.Connection, population: str, until: int) -> bool:
    """Whether something else than Gaussian runs was committed when the first question was asked."""
    row = db.execute(
        "SELECT coalesce(sum(CASE kind WHEN 'run' THEN units ELSE -units END), 0) AS others FROM entry "
        "WHERE population = ? AND kind IN ('run', 'close') AND law IS NULL AND seq < ?",
        (population, _first_charge(db, population, until) or 0),
    ).fetchone()
    return bool(row["others"] > 0)


def keeps_promise(db: sqlite3.Connection, row: sqlite3.Row) -> bool:
    """Whether the limits after an entry follow from the promise it tells, but for the last digit."""
    if row["epsilon"] is None:
        return True
    limit = limit_of(db, row["population"], until=row["seq"])
    promised = limit_for(row["epsilon"], row["delta"])
    kinds = ("units", "gaussian_units", "mixed_units")
    return limit is not None and all(
        getattr(limit, kind) <= getattr(promised, kind) * (1 + 1e-9) + 1 for kind in kinds
    )

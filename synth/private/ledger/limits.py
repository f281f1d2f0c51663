"""Compute the limits, the remaining budget and the privacy unit of a population, by the rules of
`ledger.rules`.

Every function that takes a connection works inside the caller's transaction.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from typing import Any

from synth.core.accounting import (
    GAUSSIAN,
    MIXED,
    RUN_LAWS,
    ZCDP,
    Law,
    Limit,
    law_named,
    lifetime_delta,
    limit_beside_lists,
    line_law,
)
from synth.core.errors import Mistake
from synth.private.ledger.balance import Balance
from synth.private.ledger.guarantees import lapsed_of, protected_by
from synth.private.ledger.population import check_name
from synth.private.ledger.rules import LARGEST

ADDED_EXACTLY = tuple(law.written for law in RUN_LAWS if line_law(law) == GAUSSIAN)
"""The names of the accounting rules under which a budget has the Gaussian limit."""

Terms = tuple[int | None, int | None, float | None, float | None]
"""The terms of a limit in an entry, except its `units`. They are `rules.TERMS` without the law."""


def terms_of(limit: int | Limit, *, more_than: Limit | None = None) -> tuple[int, Terms]:
    """Return the units of a limit and the terms of its entry, or the differences from `more_than`."""
    if not isinstance(limit, Limit):
        return limit, (None,) * 4
    if limit.promise is None:
        return limit.units, (None,) * 4
    gaussian, mixed = limit.gaussian_units, limit.mixed_units
    if more_than is not None:
        gaussian, mixed = gaussian - more_than.gaussian_units, mixed - more_than.mixed_units
    return limit.units, (gaussian, mixed, float(limit.promise[0]), float(limit.promise[1]))


def check_limit(population: str, units: int, delta_units: int, reason: str) -> None:
    check_name(population)
    if not 0 < units <= LARGEST or not 0 <= delta_units <= LARGEST:
        raise Mistake(f"The limit of population {population!r} must be above rho 0 and at most rho 1e6.")
    if not reason.strip():
        raise Mistake(f"The limit of population {population!r} needs a reason, which is stored. Enter one.")


def limit_of(db: sqlite3.Connection, population: str, *, until: int = LARGEST) -> Limit | None:
    """Return the limits of a population after entry number `until`, or None if it has no lifetime budget."""
    row = db.execute(
        "SELECT count(*) AS entries, sum(units) AS units, sum(coalesce(gaussian_units, units)) AS gaussian, "
        "sum(coalesce(mixed_units, units)) AS mixed, sum(delta_units) AS lists FROM entry "
        "WHERE population = ? AND seq <= ? AND kind IN ('population', 'raise')",
        (population, until),
    ).fetchone()
    if not row["entries"]:
        return None
    return Limit(
        units=row["units"],
        gaussian_units=row["gaussian"],
        mixed_units=row["mixed"],
        delta_units=row["lists"],
    )


def laws_of(db: sqlite3.Connection, population: str) -> tuple[Law, ...]:
    """Return the accounting rules of all runs of a population so far."""
    rows = db.execute(
        "SELECT DISTINCT law FROM entry WHERE population = ? AND kind = 'run'", (population,)
    ).fetchall()
    return tuple(law_named(row["law"]) for row in rows)


def limit_entries(db: sqlite3.Connection, population: str) -> list[dict[str, Any]]:
    """Return the entries with reasons as plain JSON; `delta` includes the part for value lists."""
    fields, lists = [], 0
    for row in db.execute(
        "SELECT * FROM entry WHERE population = ? AND kind IN ('population', 'raise', 'declare') "
        "ORDER BY seq",
        (population,),
    ):
        lists += row["delta_units"]
        fields.append(
            {
                "kind": row["kind"],
                "date": row["at"],
                "units": row["units"],
                "delta_units": row["delta_units"],
                "epsilon": row["epsilon"],
                "delta": None if row["delta"] is None else lifetime_delta(row["delta"], lists),
                "reason": row["text"],
            }
        )
    return fields


def balance_of(db: sqlite3.Connection, population: str, *, until: int = LARGEST) -> Balance:
    """Return the lifetime budget of a population after entry number `until`."""
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
        if row["law"] not in ADDED_EXACTLY and row["kind"] in ("run", "close")
    )
    spent, delta_spent = units["charge"], delta["charge"]
    committed = units["run"] - units["close"]
    return Balance(
        population=population,
        limits=limit_of(db, population, until=until),
        reserved=committed - spent,
        spent=spent,
        delta_limit=delta["population"] + delta["raise"],
        delta_reserved=delta["run"] - delta["close"] - delta_spent,
        delta_spent=delta_spent,
        law=_law(db, population, until, committed=committed, others=others),
        promise=_promise(db, population, until),
        protects=protected_by(db, population, until=until),
        lapsed=lapsed_of(db, population, until=until),
    )


def _law(db: sqlite3.Connection, population: str, until: int, *, committed: int, others: int) -> Law:
    """Return the accounting rule for all queries (see `rules`), which is GDP if nothing is committed."""
    if _others_first(db, population, until):
        return ZCDP
    if not others or not committed:
        return GAUSSIAN
    return ZCDP if _first_charge(db, population, until) is None else MIXED


def _promise(db: sqlite3.Connection, population: str, until: int) -> tuple[float, float] | None:
    """Return the guarantee from which the limits follow, or None if the last entry states them in rho."""
    row = db.execute(
        "SELECT epsilon, delta FROM entry WHERE population = ? AND seq <= ? "
        "AND kind IN ('population', 'raise') ORDER BY seq DESC LIMIT 1",
        (population, until),
    ).fetchone()
    return None if row is None or row["epsilon"] is None else (row["epsilon"], row["delta"])


def _first_charge(db: sqlite3.Connection, population: str, until: int) -> int | None:
    row = db.execute(
        "SELECT min(seq) AS first FROM entry WHERE population = ? AND kind = 'charge' AND seq <= ?",
        (population, until),
    ).fetchone()
    return None if row["first"] is None else int(row["first"])


def _others_first(db: sqlite3.Connection, population: str, until: int) -> bool:
    """Whether runs under another rule than GDP were committed when the first query was made."""
    row = db.execute(
        "SELECT coalesce(sum(CASE kind WHEN 'run' THEN units ELSE -units END), 0) AS others FROM entry "
        "WHERE population = ? AND kind IN ('run', 'close') AND seq < ? "
        f"AND coalesce(law, '') NOT IN ({', '.join('?' * len(ADDED_EXACTLY))})",
        (population, _first_charge(db, population, until) or 0, *ADDED_EXACTLY),
    ).fetchone()
    return bool(row["others"] > 0)


def follows_from_guarantee(db: sqlite3.Connection, row: sqlite3.Row) -> bool:
    """Whether the limits after an entry follow from its guarantee, up to rounding of the last digit."""
    if row["epsilon"] is None:
        return True
    limit = limit_of(db, row["population"], until=row["seq"])
    promised = limit_beside_lists(row["epsilon"], row["delta"], delta_units=0)
    kinds = ("units", "gaussian_units", "mixed_units")
    return limit is not None and all(
        getattr(limit, kind) <= getattr(promised, kind) * (1 + 1e-9) + 1 for kind in kinds
    )

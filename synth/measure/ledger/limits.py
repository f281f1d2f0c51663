"""Budget lines: their limits, what is left of them, and for whom. The rules are told in `ledger.rules`.

Every function that takes a connection works inside a transaction that somebody else holds.
"""

from __future__ import annotations

import math
import sqlite3
from collections import Counter
from dataclasses import dataclass
from typing import Any

from synth.errors import BudgetRefused, Mistake
from synth.measure.accounting import (
    LISTS,
    UNITS_PER_DELTA,
    Law,
    Limit,
    Price,
    lifetime_delta,
    limit_beside_lists,
    limit_for,
)
from synth.measure.ledger.rules import LARGEST

DEFAULT_LIFETIME = (10.0, 1e-9)
"""(epsilon, delta) offered as the lifetime limit of a population that has no line yet."""
USUAL_DELTA = DEFAULT_LIFETIME[1]

Terms = tuple[int | None, int | None, float | None, float | None]
"""What an entry says of a limit beside its `units`: `rules.TERMS` without the law."""


@dataclass(frozen=True, kw_only=True)
class Balance:
    """A budget line. `limits` is None while nobody has opened it; `reserved` is what open runs may yet ask.

    `law` is how its answers add up. `promise` is the (epsilon, delta) that the three limits follow from;
    `delta_limit`, what bought lists may use, comes on top of that delta. Lines in rho have no promise: they
    are read as zCDP at `USUAL_DELTA`.
    """

    population: str
    limits: Limit | None
    reserved: int
    spent: int
    delta_limit: int
    delta_reserved: int
    delta_spent: int
    law: Law = Law.ZCDP
    promise: tuple[float, float] | None = None

    @staticmethod
    def unopened(population: str) -> Balance:
        """A population that has no line."""
        return Balance(
            population=population,
            limits=None,
            reserved=0,
            spent=0,
            delta_limit=0,
            delta_reserved=0,
            delta_spent=0,
        )

    @staticmethod
    def opened(population: str, limits: Limit) -> Balance:
        """A line that was opened with these limits and has no run yet."""
        return Balance(
            population=population,
            limits=limits,
            reserved=0,
            spent=0,
            delta_limit=limits.delta_units,
            delta_reserved=0,
            delta_spent=0,
            promise=limits.promise,
        )

    @property
    def is_gaussian(self) -> bool:
        """Whether all that is committed is Gaussian and nothing else was at the first question, so that the
        line may be read by the exact curve of GDP."""
        return self.law is Law.GAUSSIAN

    @property
    def limit(self) -> int | None:
        """The limit by the law that holds now."""
        return None if self.limits is None else self.limits.under(self.law)

    @property
    def committed(self) -> int:
        """What is spent or reserved."""
        return self.spent + self.reserved

    @property
    def left(self) -> int:
        """What a new run like the earlier ones may reserve."""
        return max(0, (self.limit or 0) - self.committed)

    @property
    def delta_left(self) -> int:
        """What a new run may reserve for bought lists."""
        return self.delta_limit - self.delta_reserved - self.delta_spent

    @property
    def lifetime(self) -> tuple[float, float]:
        """The (epsilon, delta) promised for all runs together, bought lists included."""
        if self.promise is not None:
            return self.promise[0], lifetime_delta(self.promise[1], self.delta_limit)
        return self.claim(self.limit or 0), lifetime_delta(USUAL_DELTA, self.delta_limit)

    def law_for(self, *, is_gaussian: bool) -> Law:
        """How the answers add up with a new run of a kind: settled by what is committed when the first
        question is asked, as `rules` tells it."""
        if is_gaussian:
            return self.law if self.committed else Law.GAUSSIAN
        if self.is_gaussian:
            return Law.MIXED if self.spent else Law.ZCDP
        return self.law

    def limit_of(self, *, is_gaussian: bool) -> int | None:
        """The limit with a new run of a kind."""
        return None if self.limits is None else self.limits.under(self.law_for(is_gaussian=is_gaussian))

    def left_of(self, *, is_gaussian: bool) -> int:
        """What a new run of a kind may reserve."""
        return max(0, (self.limit_of(is_gaussian=is_gaussian) or 0) - self.committed)

    def facts(self) -> dict[str, Any]:
        """The line as plain JSON."""
        epsilon, delta = self.lifetime if self.limits else (None, None)
        return {
            "population": self.population,
            "lifetime_epsilon": epsilon,
            "lifetime_delta": delta,
            "law": self.law.value,
            "is_gaussian": self.is_gaussian,
            "limit": self.limit,
            "reserved": self.reserved,
            "spent": self.spent,
            "left": self.left,
            "gaussian_left": self.left_of(is_gaussian=True),
            "other_left": self.left_of(is_gaussian=False),
            "delta_limit": self.delta_limit,
            "delta_reserved": self.delta_reserved,
            "delta_spent": self.delta_spent,
            "delta_left": self.delta_left,
        }

    def claim(self, units: int) -> float:
        """The epsilon that these units amount to at this line's delta, by the law that holds for it."""
        return self._claim(self.law, units)

    def claim_of_run(self, units: int, *, is_gaussian: bool) -> float:
        """The epsilon that a run amounts to by itself at this line's delta, whatever came before it."""
        return self._claim(Law.GAUSSIAN if is_gaussian else Law.ZCDP, units)

    def _claim(self, law: Law, units: int) -> float:
        if self.promise is None:
            return Law.ZCDP.claim(units, USUAL_DELTA)
        return law.claim(units, self.promise[1])

    def raised(self, epsilon: float, delta: float | None = None) -> Limit:
        """The limits of this line under a higher lifetime promise; without `delta`, at the present one."""
        return limit_for(epsilon, self.lifetime[1] if delta is None else delta, delta_units=self.delta_limit)

    def cure(self, price: Price) -> tuple[float, float]:
        """The lifetime promise to which this line must be raised so that it covers such a run: epsilon
        rounded up to hundredths, delta to two digits."""
        epsilon, delta = self.lifetime
        lists = self.delta_reserved + self.delta_spent + price.delta_units
        if lists > self.delta_limit:
            delta = _rounded_up(lists / (LISTS * UNITS_PER_DELTA))
        rest = delta - max(self.delta_limit, int(delta * LISTS * UNITS_PER_DELTA)) / UNITS_PER_DELTA
        needed = {law: self.limits.under(law) if self.limits else 0 for law in Law}
        law = self.law_for(is_gaussian=price.is_gaussian)
        needed[law] = max(needed[law], self.committed + price.units)
        least = max(law.claim(most, rest) for law, most in needed.items())
        return (epsilon if least <= epsilon else math.ceil(least * 100) / 100), delta

    def check_cover(self, price: Price) -> None:
        """Raises: `BudgetRefused`, with the raise that would mend it, if such a run does not fit."""
        left = self.left_of(is_gaussian=price.is_gaussian)
        if price.units <= left and price.delta_units <= self.delta_left:
            return
        epsilon, delta = self.cure(price)
        advice = (
            f"Ask for less, or raise the lifetime limit to epsilon {epsilon:g} at delta {delta:g} with a "
            f'reason (ledger raise "{self.population}" --epsilon {epsilon:g} --delta {delta:g}).'
        )
        if price.units > left:
            raise BudgetRefused(self.population, requested=price.units, left=left, advice=advice)
        raise BudgetRefused(
            self.population,
            requested=price.delta_units,
            left=self.delta_left,
            currency="delta",
            advice=advice,
        )


def _rounded_up(value: float) -> float:
    """To two digits."""
    step = 10.0 ** (math.floor(math.log10(value)) - 1)
    return float(f"{math.ceil(value / step) * step:.2g}")


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


def limits_told(db: sqlite3.Connection, population: str) -> list[dict[str, Any]]:
    """The entries that made a line's limits, as plain JSON; `delta` covers what lists may use."""
    told, lists = [], 0
    for row in db.execute(
        "SELECT * FROM entry WHERE population = ? AND kind IN ('population', 'raise') ORDER BY seq",
        (population,),
    ):
        lists += row["delta_units"]
        told.append(
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
    return told


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
    )


def _law(db: sqlite3.Connection, population: str, until: int, *, committed: int, others: int) -> Law:
    """How the line's answers add up, as `rules` tells it; zCDP for a line that nothing is committed on."""
    if not committed or _others_first(db, population, until):
        return Law.ZCDP
    if not others:
        return Law.GAUSSIAN
    return Law.ZCDP if _first_charge(db, population, until) is None else Law.MIXED


def _promise(db: sqlite3.Connection, population: str, until: int) -> tuple[float, float] | None:
    """The promise that the limits follow from, None after an entry that gives them in rho."""
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
    promised = limit_beside_lists(row["epsilon"], row["delta"], delta_units=0)
    kinds = ("units", "gaussian_units", "mixed_units")
    return limit is not None and all(
        getattr(limit, kind) <= getattr(promised, kind) * (1 + 1e-9) + 1 for kind in kinds
    )

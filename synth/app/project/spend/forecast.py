"""What a budget will do to a count, from public facts alone: no mechanism is run and no file is opened.

sigma^2 = L2^2 / (2 rho) for a table measured with rho (Gaussian noise under zCDP, Bun and Steinke 2016); L2^2
is k^2 for adding or removing a unit with k rows, 2 k^2 for replacing one. Where a method decides by itself
which pairs to measure, the forecast takes as many as it measured on public tables, each with a price in
proportion to its weight: a typical measured pair, and no promise about one that is not chosen. Where pairs
are asked as interactions it takes all of them, and a count of a pair is put together as in
`measurements.joined`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from synth.app.project.spend.allocation import (
    CHOOSING,
    COLUMNS,
    DOMAIN,
    METHOD,
    RELATIONS,
    Allocation,
    allocate,
    column_weights,
    l2_squared,
)
from synth.app.project.store import Budget, Method
from synth.core.accounting import units_of
from synth.core.axis import Axis
from synth.core.measurements.interactions import part_of_price
from synth.core.schema import Kind, Neighbours, Schema
from synth.mechanisms.columns_first import ROUGH, WHOLE
from synth.private.domains.buy import least_listed
from synth.private.ledger.quote import epsilon_of_rho, rho_of_guarantee
from synth.release.plan import list_delta_units

Z95 = 1.959963984540054
MEDIAN = 0.6744897501960817
"""Half of all noise is larger than this many sigmas."""

_LEAST, _HOPELESS, _STEPS = 1e-3, 100.0, 12
"""Epsilons between which an answer is asked again, and how often."""


@dataclass(frozen=True, kw_only=True)
class ColumnError:
    """The 95 % half-widths of counts of a column alone and in a typical pair, in rows; None if not asked."""

    name: str
    alone: float | None
    paired: float | None


@dataclass(frozen=True, kw_only=True)
class MeanError:
    """By how much noise moves the mean of a column at 95 %, where half of its bins lie `within` that distance
    of the middle one; in the column's own numbers."""

    name: str
    moved: float
    within: float


@dataclass(frozen=True, kw_only=True)
class Needed:
    """The epsilon that brings one table to an error: with the budget divided as it is, and all on it.

    None where the division gives that table nothing.
    """

    divided: float | None
    alone: float


class Forecast:
    """The noise that a divided budget means for a declared table; the whole budget amounts to `rho`.
    `of_interactions`: whether pairs are asked as such; `pairs`: about how many are measured."""

    def __init__(self, schema: Schema, budget: Budget, allocation: Allocation) -> None:
        self.schema, self._budget = schema, budget
        self._law = allocation.law
        self.of_interactions, self.pairs = bool(allocation.interactions), allocation.pairs
        self.rho = rho_of_guarantee(budget.epsilon, budget.delta, law=self._law)
        self._domain = allocation.shares.get(DOMAIN, 0.0)
        self._weights = column_weights(budget, schema)
        self._shares = _shares(self._weights, allocation)
        self._precisions = _precisions(self._shares, allocation, schema)

    @classmethod
    def of(cls, schema: Schema, budget: Budget, method: Method, *, bought: int = 0) -> Forecast:
        """The forecast for a budget as the words divide it, `bought` shares of records included."""
        return cls(schema, budget, allocate(schema, budget, method, bought=bought))

    def share(self, clique: Sequence[str]) -> float:
        """The share of the whole budget that one column or a pair can count on."""
        return self._shares[tuple(sorted(clique))]

    def error(self, clique: Sequence[str]) -> float | None:
        """The 95 % half-width of a count in this table, in rows; None if the table gets nothing."""
        return self._half_width(self._precisions[tuple(sorted(clique))])

    @property
    def least_listed(self) -> int | None:
        """About how many rows a value needs to be on a bought list; None if none is, or can be, bought."""
        delta_units = list_delta_units(self.schema, self._budget.delta)
        units = units_of(self.rho * self._domain)
        return least_listed(self.schema, units=units, delta_units=delta_units)

    def columns(self) -> tuple[ColumnError, ...]:
        """Every modelled column, alone and in the mean of its pairs."""
        names = [c.name for c in self.schema.modelled]
        return tuple(
            ColumnError(name=n, alone=self.error((n,)), paired=self._paired(n, names)) for n in names
        )

    def needed(self, clique: Sequence[str], *, rows: float) -> Needed:
        """The epsilon for which counts of this table are off by at most `rows`, 95 times in 100."""
        error, delta = self.error(clique), self._budget.delta
        return Needed(
            divided=error and epsilon_of_rho(self.rho * (error / rows) ** 2, delta, law=self._law),
            alone=epsilon_of_rho(rho_for(self.schema, rows), delta, law=self._law),
        )

    def drowns(self, clique: Sequence[str], *, cells: int, rows: float) -> bool:
        """Whether half the cells would be off by more than the count expected in an even table."""
        error = self.error(clique)
        return error is not None and error / Z95 * MEDIAN > rows / cells

    def mean_errors(self, axes: Sequence[Axis], *, rows: float) -> tuple[MeanError, ...]:
        """The columns of numbers whose mean the noise of their counts alone moves further than half of their
        bins lie from the middle one, with `rows` records in all.

        A cell's noise moves the mean by how far out the cell lies, whoever is in it (`check.means`); bins are
        taken as they are declared, as if each held as many.
        """
        found = []
        for axis in axes:
            error = self.error((axis.name,))
            if axis.column.kind not in (Kind.INTEGER, Kind.DECIMAL) or error is None:
                continue
            middles = (np.array(axis.edges[:-1]) + np.array(axis.edges[1:])) / 2
            away = np.abs(middles - np.median(middles))
            moved, within = error * float((away**2).sum()) ** 0.5 / rows, float(np.median(away))
            if moved > within > 0:
                found.append(MeanError(name=axis.column.heading, moved=moved, within=within))
        return tuple(found)

    def _paired(self, name: str, names: Sequence[str]) -> float | None:
        known = [self._precisions[tuple(sorted((name, other)))] for other in names if other != name]
        return self._half_width(sum(known) / len(known) if known else 0.0)

    def _half_width(self, precision: float) -> float | None:
        return Z95 / math.sqrt(self.rho * precision) if precision > 0 else None


def reaching(
    schema: Schema, budget: Budget, method: Method, clique: Sequence[str], *, rows: float, bought: int = 0
) -> Needed:
    """The epsilon for which counts of a table are off by at most `rows`, by the same words for the parts and
    with as many shares of records `bought`.

    A method may divide a larger budget otherwise, so the answer is asked again until it stands. Beyond
    `_HOPELESS` it is left as it is.
    """
    needed = Forecast.of(schema, budget, method, bought=bought).needed(clique, rows=rows)
    for _ in range(_STEPS):
        if needed.divided is None or not _LEAST < needed.divided < _HOPELESS:
            break
        asked, before = replace(budget, epsilon=needed.divided), needed.divided
        needed = Forecast.of(schema, asked, method, bought=bought).needed(clique, rows=rows)
        if needed.divided is None or math.isclose(needed.divided, before, rel_tol=1e-3):
            break
    return needed


def half_width(schema: Schema, rho: float) -> float:
    """The 95 % half-width of the noise in a count of a table measured with rho, in rows."""
    return Z95 * math.sqrt(l2_squared(schema) / (2 * rho))


def rho_for(schema: Schema, rows: float) -> float:
    """The price of a table whose counts are off by at most `rows`: `half_width` backwards."""
    return l2_squared(schema) * Z95**2 / (2 * rows**2)


def _shares(weights: Mapping[str, float], allocation: Allocation) -> dict[tuple[str, ...], float]:
    """For every column and every pair (names sorted) its share of the whole budget.

    Columns are priced as the method prices them. A pair's share is what it would get if it were measured: the
    share of relations over as many pairs as the method is thought to measure, in proportion to its weight.
    """
    names = sorted(weights)
    count = len(names)
    pairs = list(combinations(names, 2))
    measured = allocation.pairs
    even = allocation.shares.get(METHOD, 0.0)
    columns = allocation.shares.get(COLUMNS, even * count / (count + measured))
    relations = allocation.shares.get(RELATIONS, even * measured / (count + measured))
    asked = {pair: weights[pair[0]] * weights[pair[1]] for pair in pairs}
    mean = sum(asked.values()) / len(asked) if asked else 0.0
    shares: dict[tuple[str, ...], float] = {(name,): columns * allocation.by_column[name] for name in names}
    for pair, weight in asked.items():
        part = relations / measured * weight / mean if mean > 0 and measured else 0.0
        shares[pair] = min(relations, part)
    return shares


def _precisions(
    shares: Mapping[tuple[str, ...], float], allocation: Allocation, schema: Schema
) -> dict[tuple[str, ...], float]:
    """For every column and every pair one over the variance of a count, where rho is one; 0 if not asked.

    A table has that of its own noise. With interactions a count is a sum (`measurements.interactions`): the
    number of records over all cells, what each column adds to it, over the other's codes, and what the pair
    adds. What a clique adds is told by its interaction, with a part of a table's variance in its own
    directions (`interactions.part_of_price`), of which a cell has p_A; of a column also by its table, with
    all of it; the number of records by all of these tables, where it is not public. What tables of three
    columns take, if the method comes to ask some, is not reckoned in.
    """
    l2, codes = l2_squared(schema), allocation.interactions
    if not codes:
        return {clique: 2 * share / l2 for clique, share in shares.items()}
    mine = sum(allocation.shares.get(part, 0.0) for part in (COLUMNS, CHOOSING, RELATIONS))
    rest = max(allocation.shares[COLUMNS] - WHOLE * mine, ROUGH * mine) / allocation.shares[COLUMNS]
    of_table = 2 * WHOLE * mine / len(codes) / l2
    told_total = sum(of_table / size for size in codes.values())
    off_total = 0.0 if schema.rows_public is not None else 1 / told_total

    def price(sizes: Sequence[int]) -> float:
        return float(part_of_price(sizes, replaces=schema.neighbours is Neighbours.REPLACE))

    added, found = dict[str, float](), dict[tuple[str, ...], float]()
    for name, size in codes.items():
        part = float(part_of_price((size,)))
        of_effect = of_table + (2 * shares[(name,)] * rest / price((size,)) / l2 if part else 0.0)
        added[name] = part / of_effect
        found[(name,)] = 1 / (added[name] + off_total / size**2)
    for clique, share in shares.items():
        if len(clique) == 2:
            (a, b), part = clique, float(part_of_price([codes[name] for name in clique]))
            columns = added[a] / codes[b] ** 2 + added[b] / codes[a] ** 2
            whole = columns + off_total / (codes[a] * codes[b]) ** 2
            own = part * price([codes[name] for name in clique]) * l2
            found[clique] = 1 / (own / (2 * share) + whole) if share > 0 else 0.0
    return found

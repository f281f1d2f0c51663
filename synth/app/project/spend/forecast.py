"""Forecast the error of counts from public facts alone.

No mechanism runs and no file is opened. A table measured with rho has sigma^2 = L2^2 / (2 rho) (Gaussian
noise under zCDP, Bun and Steinke 2016). L2^2 is k^2 for adding or removing a unit with k rows, and 2 k^2 for
replacing one. If a method selects pairs itself, the forecast assumes the number of pairs that the method
measured on public tables, each with a cost in proportion to its weight. So the forecast describes a typical
measured pair. If pairs are measured as interactions, all pairs are measured. All measurements are combined by
least squares, as in `estimates.effects` and `core.measurements.joined`.
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
from synth.mechanisms.shared.columns_first import ROUGH, WHOLE
from synth.private.domains.buy import least_listed
from synth.private.ledger.quote import epsilon_of_rho, rho_of_guarantee
from synth.release.plan import list_delta_units

Z95 = 1.959963984540054
MEDIAN = 0.6744897501960817
"""Median of the absolute noise, in sigmas."""

_LEAST, _HOPELESS, _STEPS = 1e-3, 100.0, 12
"""The smallest and largest epsilon in `reaching`, and the maximum number of iterations."""


@dataclass(frozen=True, kw_only=True)
class ColumnError:
    """The 95% half-widths of counts in a single column and in a typical pair, in rows, or None if not
    measured.
    """

    name: str
    alone: float | None
    paired: float | None


@dataclass(frozen=True, kw_only=True)
class MeanError:
    """The error of a column's mean. `moved` is the largest change by noise with 95% confidence, and `within`
    is the distance from the middle that contains half of the bins. Both are in the units of the column.
    """

    name: str
    moved: float
    within: float


@dataclass(frozen=True, kw_only=True)
class Needed:
    """The epsilon at which one table has a given error: with the budget divided as now (None if the table
    gets nothing), and with the whole budget for that table.
    """

    divided: float | None
    alone: float


class Forecast:
    """The noise that a divided budget causes for a declared table. `rho` is the whole budget.
    `of_interactions` states whether pairs are measured as interactions, and `pairs` is the approximate number
    of measured pairs.
    """

    def __init__(self, schema: Schema, budget: Budget, allocation: Allocation) -> None:
        self.schema, self._budget = schema, budget
        self._law = allocation.law
        self.of_interactions, self.pairs = allocation.of_interactions, allocation.pairs
        self.rho = rho_of_guarantee(budget.epsilon, budget.delta, law=self._law)
        self._domain = allocation.shares.get(DOMAIN, 0.0)
        self._weights = column_weights(budget, schema)
        self._shares = _shares(self._weights, allocation)
        self._precisions = _precisions(self._shares, allocation, schema)

    @classmethod
    def of(cls, schema: Schema, budget: Budget, method: Method, *, share_count: int = 0) -> Forecast:
        """Return the forecast for a budget, with `share_count` target proportions measured in the table."""
        return cls(schema, budget, allocate(schema, budget, method, share_count=share_count))

    def share(self, clique: Sequence[str]) -> float:
        """Return the share of the budget for one column or pair."""
        return self._shares[tuple(sorted(clique))]

    def error(self, clique: Sequence[str]) -> float | None:
        """Return the 95% half-width of a count in this table, in rows, or None if the table gets no
        budget.
        """
        return self._half_width(self._precisions[tuple(sorted(clique))])

    @property
    def least_listed(self) -> int | None:
        """Return the approximate number of rows that a value needs to be in an estimated list, or None if
        there is no such list.
        """
        delta_units = list_delta_units(self.schema, self._budget.delta)
        units = units_of(self.rho * self._domain)
        return least_listed(self.schema, units=units, delta_units=delta_units)

    def columns(self) -> tuple[ColumnError, ...]:
        """Return the errors of every modelled column, as a single column and averaged over its pairs."""
        names = [c.name for c in self.schema.modelled]
        return tuple(
            ColumnError(name=n, alone=self.error((n,)), paired=self._paired(n, names)) for n in names
        )

    def needed(self, clique: Sequence[str], *, rows: float) -> Needed:
        """Return the epsilon at which counts in this table have an error of at most `rows` with 95%
        confidence.
        """
        error, delta = self.error(clique), self._budget.delta
        return Needed(
            divided=error and epsilon_of_rho(self.rho * (error / rows) ** 2, delta, law=self._law),
            alone=epsilon_of_rho(rho_for(self.schema, rows), delta, law=self._law),
        )

    def is_below_noise(self, clique: Sequence[str], *, cells: int, rows: float) -> bool:
        """Return whether half of the cells would have more noise than the mean count per cell."""
        error = self.error(clique)
        return error is not None and error / Z95 * MEDIAN > rows / cells

    def mean_errors(self, axes: Sequence[Axis], *, rows: float) -> tuple[MeanError, ...]:
        """Return the numeric columns whose mean is moved by noise further than the distance between the
        middle bin and half of the bins, with `rows` records in total. The noise of a cell moves the mean in
        proportion to the distance of the cell (`release.checks.means`).

        All bins are assumed to have equal counts.
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
    schema: Schema,
    budget: Budget,
    method: Method,
    clique: Sequence[str],
    *,
    rows: float,
    share_count: int = 0,
) -> Needed:
    """Return the epsilon at which counts in a table have an error of at most `rows`, with the same priorities
    and `share_count` target proportions.

    A method may divide a larger budget differently, so this is repeated until epsilon is stable or exceeds
    `_HOPELESS`.
    """
    needed = Forecast.of(schema, budget, method, share_count=share_count).needed(clique, rows=rows)
    for _ in range(_STEPS):
        if needed.divided is None or not _LEAST < needed.divided < _HOPELESS:
            break
        requested, before = replace(budget, epsilon=needed.divided), needed.divided
        needed = Forecast.of(schema, requested, method, share_count=share_count).needed(clique, rows=rows)
        if needed.divided is None or math.isclose(needed.divided, before, rel_tol=1e-3):
            break
    return needed


def half_width(schema: Schema, rho: float) -> float:
    """Return the 95% half-width, in rows, of the noise in a count of a table that is measured with rho."""
    return Z95 * math.sqrt(l2_squared(schema) / (2 * rho))


def rho_for(schema: Schema, rows: float) -> float:
    """Return the rho at which counts in a table have an error of at most `rows`. Inverse of `half_width`."""
    return l2_squared(schema) * Z95**2 / (2 * rows**2)


def _shares(weights: Mapping[str, float], allocation: Allocation) -> dict[tuple[str, ...], float]:
    """Return the share of the budget for every column and pair (with sorted names).

    The share of a pair is what it gets if it is measured: the share for combinations divided by the expected
    number of measured pairs, in proportion to the weight of the pair.
    """
    names = sorted(weights)
    count = len(names)
    pairs = list(combinations(names, 2))
    measured = allocation.pairs
    even = allocation.shares.get(METHOD, 0.0)
    columns = allocation.shares.get(COLUMNS, even * count / (count + measured))
    relations = allocation.shares.get(RELATIONS, even * measured / (count + measured))
    requested = {pair: weights[pair[0]] * weights[pair[1]] for pair in pairs}
    mean = sum(requested.values()) / len(requested) if requested else 0.0
    shares: dict[tuple[str, ...], float] = {(name,): columns * allocation.by_column[name] for name in names}
    for pair, weight in requested.items():
        part = relations / measured * weight / mean if mean > 0 and measured else 0.0
        shares[pair] = min(relations, part)
    return shares


def _precisions(
    shares: Mapping[tuple[str, ...], float], allocation: Allocation, schema: Schema
) -> dict[tuple[str, ...], float]:
    """Return 1 / variance of a count of every column and pair at rho = 1, or 0 if it is not measured.

    It is infinite for a column with one code if the number of records is public.

    A count is a sum of effects (`core.measurements.interactions`), each divided by the number of codes of the
    other columns: the effect of the pair, the effects of its columns, and the number of records, unless it is
    public. `_of_tables` and `_of_interactions` return the precisions of the effects. 3-way marginals are not
    included, even if the method measures some.
    """
    sizes, find = allocation.sizes, _of_interactions if allocation.of_interactions else _of_tables
    effects, total = find(shares, allocation, schema)
    off_total = 0.0 if schema.rows_public is not None or not total else 1 / total
    added = {name: (1 - 1 / k) / effects[(name,)] if effects[(name,)] else 0.0 for name, k in sizes.items()}

    def precision(clique: tuple[str, ...]) -> float:
        if not effects[clique]:
            return 0.0
        cells = math.prod(sizes[name] for name in clique)
        columns = sum(added[name] * (sizes[name] / cells) ** 2 for name in clique)
        own = math.prod(1 - 1 / sizes[name] for name in clique) / effects[clique] if len(clique) > 1 else 0.0
        variance = own + columns + off_total / cells**2
        return 1 / variance if variance else math.inf

    return {clique: precision(clique) for clique in shares}


Effects = tuple[dict[tuple[str, ...], float], float]
"""The precisions of the effects of columns and pairs at rho = 1, and of the number of records."""


def _of_tables(shares: Mapping[tuple[str, ...], float], allocation: Allocation, schema: Schema) -> Effects:
    """Return the precisions of the effects if tables are measured.

    A table of a pair also measures both columns and the number of records. The expected number of measured
    pairs is spread over all pairs.
    """
    sizes, l2 = allocation.sizes, l2_squared(schema)
    effects = {clique: 2 * share / l2 for clique, share in shares.items()}
    pairs = [clique for clique in shares if len(clique) == 2]
    total = sum(precision / sizes[r[0]] for r, precision in effects.items() if len(r) == 1)
    for a, b in pairs:
        found = effects[a, b] * allocation.pairs / len(pairs)
        effects[(a,)] += found / sizes[b]
        effects[(b,)] += found / sizes[a]
        total += found / (sizes[a] * sizes[b])
    return effects, total


def _of_interactions(
    shares: Mapping[tuple[str, ...], float], allocation: Allocation, schema: Schema
) -> Effects:
    """Return the precisions of the effects if interactions are measured.

    The effect of a clique is measured by its interaction, whose variance is a part of a table's variance
    (`part_of_price`). The effect of a column, and the number of records, are also measured by the column's
    table, with the full variance.
    """
    sizes, l2 = allocation.sizes, l2_squared(schema)
    mine = sum(allocation.shares.get(part, 0.0) for part in (COLUMNS, CHOOSING, RELATIONS))
    rest = max(allocation.shares[COLUMNS] - WHOLE * mine, ROUGH * mine) / allocation.shares[COLUMNS]
    of_table = 2 * WHOLE * mine / len(sizes) / l2
    effects = {}
    for clique, share in shares.items():
        codes = [sizes[name] for name in clique]
        price = float(part_of_price(codes, replaces=schema.neighbours is Neighbours.REPLACE))
        own = (2 * share / price / l2 if price else math.inf) if share > 0 else 0.0
        effects[clique] = own if len(clique) == 2 else of_table + own * rest
    return effects, sum(of_table / size for size in sizes.values())

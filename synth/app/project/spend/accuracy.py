"""Forecast the accuracy of a release before the run, from public facts and benchmark results.

The error of the chosen method on the most similar benchmark table (`spend.measured`) is scaled to this table.
Errors of marginals fall approximately as 1 / sqrt(N epsilon), where N is the number of rows and epsilon is
the epsilon per row. (Measured for the default method on Adult: 5.4%, 3.0% and 1.8% at epsilon 0.3, 1 and 3.)
"""

from __future__ import annotations

import math
import statistics
from dataclasses import dataclass

from synth.app.project.spend import measured
from synth.app.project.spend.allocation import COLUMNS, METHOD, VERDICT, Allocation, l2_squared
from synth.app.project.spend.forecast import Z95, Forecast
from synth.app.project.spend.measured import Comparison
from synth.app.project.store import Budget, Method
from synth.core.numbers import number_of
from synth.core.schema import Column, Schema
from synth.dictionaries.check import cells_of
from synth.private.ledger.quote import rho_of_guarantee
from synth.release.verdict.share import Promise, promised

_UNKNOWN_CELLS = 32
"""Assumed number of values in a column whose values are still to be estimated."""
LEAST_CASES = 10
"""Minimum number of benchmark tables that must be forecast from others before their ratios are stated."""
TOO_LARGE = 0.25
"""Expected error (TVD) of a typical column above which the table is too small for the request."""


@dataclass(frozen=True, kw_only=True)
class ExpectedAccuracy:
    """The expected accuracy before a run.

    `errors` contains the expected mean errors (TVD) of "columns", "pairs" and "triples", or is empty if the
    benchmark has no similar table. `source` is that table. `often` is the range that contains the error of
    pairs in half of the cases (`ratios`), or None if it is unknown. `check` is the expected precision of the
    accuracy check, or None if there is no check or the number of rows is unknown.
    """

    errors: dict[str, float]
    source: str
    check: Promise | None
    often: tuple[float, float] | None = None


def expected_accuracy(
    schema: Schema,
    budget: Budget,
    method: Method,
    allocation: Allocation,
    *,
    among: tuple[Comparison, ...] | None = None,
) -> ExpectedAccuracy:
    """Return the forecast for a run with this division of the budget. `among` defaults to all benchmark
    comparisons.
    """
    rows, epsilon = budget.rows_about, allocation.epsilon / schema.unit.max_rows
    known = measured.comparisons() if among is None else among
    near = measured.nearest(measured.shape_of(schema, rows), epsilon, known)
    errors = {} if near is None else _scaled(near, method, rows=rows, epsilon=epsilon)
    often = None
    if errors and (usual := ratios(method, known)) is not None:
        often = min(1.0, errors["pairs"] * usual[0]), min(1.0, errors["pairs"] * usual[1])
    check, share = None, allocation.shares.get(VERDICT, 0.0)
    if rows and share:
        rho = rho_of_guarantee(budget.epsilon, budget.delta, law=allocation.law)
        total_sd = _total_sd(schema, allocation, rho)
        check = promised(schema, rho=rho * share, rows=rows, total_sd=total_sd)
    return ExpectedAccuracy(
        errors=errors,
        source=near.title if near is not None and errors else "",
        check=check,
        often=often,
    )


def ratios(method: Method, among: tuple[Comparison, ...]) -> tuple[float, float] | None:
    """Return the quartiles of measured error / forecast, or None if there are too few cases.

    Each benchmark table is forecast from the most similar of the others, in the same way as a new table.
    """
    found = []
    for one in among:
        near = measured.nearest(one.shape, one.epsilon, tuple(o for o in among if o.title != one.title))
        own = one.of(method.name, workload=method.workload)
        if near is not None and own is not None:
            errors = _scaled(near, method, rows=one.shape.rows, epsilon=one.epsilon)
            found += [own.pairs / errors["pairs"]] if errors else []
    if len(found) < LEAST_CASES:
        return None
    low, _, high = statistics.quantiles(found, n=4)
    return low, high


def _scaled(near: Comparison, method: Method, *, rows: int | None, epsilon: float) -> dict[str, float]:
    """Return the errors on a benchmark table, scaled to other rows and another epsilon; empty if unknown."""
    finding = near.of(method.name, workload=method.workload)
    if finding is None or not rows or not near.shape.rows:
        return {}
    scale = (near.shape.rows * near.epsilon / (rows * epsilon)) ** 0.5
    return {name: min(1.0, getattr(finding, name) * scale) for name in ("columns", "pairs", "triples")}


def noise_in_columns(schema: Schema, forecast: Forecast, *, rows: float) -> float | None:
    """Return the share of rows that noise alone moves in a typical column (TVD), or None if no column is
    measured.

    The mean absolute value of normal noise with standard deviation s is s sqrt(2 / pi).
    """
    shares = []
    for column in schema.modelled:
        error, cells = forecast.error((column.name,)), _cells(column)
        if error is not None:
            shares.append(min(1.0, 0.5 * cells * error / Z95 * math.sqrt(2 / math.pi) / rows))
    return statistics.median(shares) if shares else None


def too_small(schema: Schema, budget: Budget, method: Method, *, share_count: int = 0) -> str | None:
    """Return a warning if public facts show that the table is too small for its columns and budget. Return
    None if it is not too small, or if the number of rows is unknown.
    """
    rows = budget.rows_about or schema.rows_public
    if not rows:
        return None
    share = noise_in_columns(schema, Forecast.of(schema, budget, method, share_count=share_count), rows=rows)
    if share is None or share < TOO_LARGE:
        return None
    size = f"{number_of(rows, 'row')}, {number_of(len(schema.modelled), 'column')}"
    return (
        f"The table is too small for this release: with about {size} and epsilon {budget.epsilon:g}, noise "
        f"alone is expected to move {share:.0%} of the rows in a typical column. Exclude columns, merge "
        "values, or use a larger epsilon."
    )


def _cells(column: Column) -> int:
    return (cells_of(column) or _UNKNOWN_CELLS) + column.blank


def _total_sd(schema: Schema, allocation: Allocation, rho: float) -> float:
    """Return the approximate standard deviation of the number of rows as estimated from the tables of single
    columns.

    The sum of a table with n cells and budget share s has the variance n L2^2 / (2 rho s). The sums are
    averaged with weights equal to their precision. A method without a part for single columns is assumed to
    spend a third on them.
    """
    if schema.rows_public is not None:
        return 0.0
    columns = allocation.shares.get(COLUMNS, allocation.shares.get(METHOD, 0.0) / 3)
    sizes = {c.name: _cells(c) for c in schema.modelled}
    precision = sum(columns * allocation.by_column[name] / size for name, size in sizes.items())
    return math.sqrt(l2_squared(schema) / (2 * rho * precision)) if precision else 0.0

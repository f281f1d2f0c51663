"""Forecast the accuracy of a release before the run, from public facts and measured comparisons.

The error of the chosen method on the most similar measured table (`spend.measured`) is scaled to this table:
errors of marginals fall about as 1 / sqrt(N epsilon), where N is the number of rows and epsilon is that of
one row. (Measured for the default on Adult: 5.4%, 3.0% and 1.8% at epsilon 0.3, 1 and 3.)
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from synth.app.project.spend import measured
from synth.app.project.spend.allocation import COLUMNS, METHOD, VERDICT, Allocation, l2_squared
from synth.app.project.spend.measured import Comparison
from synth.app.project.store import Budget, Method
from synth.core.schema import Schema
from synth.dictionaries.check import cells_of
from synth.private.ledger.quote import rho_of_guarantee
from synth.release.verdict.share import Promise, promised

_UNKNOWN_CELLS = 32
"""Assumed number of values of a column whose values are still to be estimated."""


@dataclass(frozen=True, kw_only=True)
class ExpectedAccuracy:
    """What is known of the accuracy before a run.

    `errors` are the expected mean errors (TVD) of "columns", "pairs" and "triples"; empty if no similar table
    was measured. `source` is that table. `check` is the noise of the verdict, None without one or if the
    number of rows is unknown.
    """

    errors: dict[str, float]
    source: str
    check: Promise | None


def expected_accuracy(
    schema: Schema,
    budget: Budget,
    method: Method,
    allocation: Allocation,
    *,
    among: tuple[Comparison, ...] | None = None,
) -> ExpectedAccuracy:
    """Return the forecast for a run with this division of the budget. `among` defaults to all comparisons."""
    rows, epsilon = budget.rows_about, allocation.epsilon / schema.unit.max_rows
    near = measured.nearest(
        measured.shape_of(schema, rows), epsilon, measured.comparisons() if among is None else among
    )
    finding = None if near is None else near.of(method.name, workload=method.workload)
    errors = {}
    if near is not None and finding is not None and rows and near.shape.rows:
        scale = (near.shape.rows * near.epsilon / (rows * epsilon)) ** 0.5
        errors = {name: min(1.0, getattr(finding, name) * scale) for name in ("columns", "pairs", "triples")}
    check, share = None, allocation.shares.get(VERDICT, 0.0)
    if rows and share:
        rho = rho_of_guarantee(budget.epsilon, budget.delta, law=allocation.law)
        total_sd = _total_sd(schema, allocation, rho)
        check = promised(schema, rho=rho * share, rows=rows, total_sd=total_sd)
    return ExpectedAccuracy(
        errors=errors, source=near.title if near is not None and errors else "", check=check
    )


def _total_sd(schema: Schema, allocation: Allocation, rho: float) -> float:
    """Return about the standard deviation of the number of rows as the tables of single columns measure it.

    A table of n cells with share s has the variance n L2^2 / (2 rho s) in its sum; the sums are averaged by
    precision. A method without a part for single columns is assumed to spend a third on them.
    """
    if schema.rows_public is not None:
        return 0.0
    columns = allocation.shares.get(COLUMNS, allocation.shares.get(METHOD, 0.0) / 3)
    sizes = {c.name: (cells_of(c) or _UNKNOWN_CELLS) + c.blank for c in schema.modelled}
    precision = sum(columns * allocation.by_column[name] / size for name, size in sizes.items())
    return math.sqrt(l2_squared(schema) / (2 * rho * precision)) if precision else 0.0

"""Forecast the accuracy of a release before the run, from public facts and measured comparisons.

The error of the chosen method on the most similar measured table (`spend.measured`) is scaled to this table:
errors of marginals fall about as 1 / sqrt(N epsilon), where N is the number of rows and epsilon is that of
one row. (Measured for the default on Adult: 5.4%, 3.0% and 1.8% at epsilon 0.3, 1 and 3.)
"""

from __future__ import annotations

from dataclasses import dataclass

from synth.app.project.spend import measured
from synth.app.project.spend.allocation import VERDICT, Allocation
from synth.app.project.spend.measured import Comparison
from synth.app.project.store import Budget, Method
from synth.core.schema import Schema
from synth.private.ledger.quote import rho_of_guarantee
from synth.release.verdict.share import Promise, promised


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
        rho = rho_of_guarantee(budget.epsilon, budget.delta, law=allocation.law) * share
        check = promised(schema, rho=rho, rows=rows)
    return ExpectedAccuracy(
        errors=errors, source=near.title if near is not None and errors else "", check=check
    )

"""`python -m synth.bench.regressions`: count how often the intervals of a measured regression contain the
truth.

Each run draws a bootstrap sample of a public table (the same number of rows, with replacement), and measures
the sums of the formula with new noise, using the query of the product. The truth about *these records* is the
least-squares fit to the drawn rows, and the truth about *the population* is the fit to the whole table. The
output for each epsilon has: the share of runs that have an answer; the shares of these intervals that hold,
by slope; the median width for the population, relative to the width without privacy (from robust standard
errors for least squares, or the standard errors of maximum likelihood); and how often the slope of the first
regressor is found to differ from 0 after its values were shuffled. There are no synthetic rows, so intervals
of linear regressions are not widened for residuals with unequal spread (`estimates.regression`).

A logistic regression (`--formula "logistic smokes ~ age"`) is measured in the same way, with maximum
likelihood. Its scores start from the synthetic rows of one release of the whole table with the rest of the
budget; scores for shuffled values start from a release of the table with this column shuffled.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from synth.bench.tables.tables import BenchTable, find
from synth.bench.trials.measure import say
from synth.core.accounting import limit_for
from synth.core.axis import domain_of
from synth.core.measurements.formula import Formula
from synth.core.measurements.logistic import Columns, Score, slopes_at, started
from synth.estimates.estimated import Span
from synth.estimates.logistic import NoisyScore
from synth.estimates.regression import Estimate, Sums
from synth.pipeline import release
from synth.private.counting.codes import Codes
from synth.private.exact_tables import ExactTables
from synth.private.ledger import Ledger
from synth.private.queries import LogisticScore, Moments
from synth.private.terms import Paid, Terms
from synth.release.codes import columns_on
from synth.release.plan import Plan

FORMULA = "income>50K ~ age + education-num + sex + hours-per-week"
DELTA, Z = 1e-9, 1.959964

Numbers = NDArray[np.float64]
Start = tuple[Score, Columns]
"""The public starting point of a logistic regression, and the synthetic rows on the lattices from which it
was computed.
"""


def slopes_of(plan: Plan, codes: NDArray[np.int64], start: Start | None) -> Sequence[Estimate | None]:
    """Return the slopes from a noisy measurement of these codes, at the same cost as in a release.

    A logistic regression needs a `start`.
    """
    (block,), axes = plan.sums
    domain, terms = domain_of(axes), Terms.of(plan.schema, law=plan.law)
    tables = ExactTables(Codes.of(codes, domain), domain)
    paid = Paid(units=plan.means_units, part="means", step=0, terms=terms)
    if start is None:
        sums = Moments(block, domain.names)
        blob = sums.answer(tables, units=plan.means_units, terms=terms)
        one = Sums.of(sums.read(blob, paid, domain=domain), terms.rows)[0]
        return one.regression(range(1, len(block.terms)), len(block.terms), level=0.95)[1:]
    at, synthetic = start
    query, many = LogisticScore(at, domain.names), len(synthetic[axes[0].name])
    answer = query.read(query.answer(tables, units=plan.means_units, terms=terms), paid, domain=domain)
    score = NoisyScore.of(answer, synthetic, weight=len(codes) / many, rows=terms.rows)
    found = score.regression(level=0.95)
    return [None] * (len(block.terms) - 1) if isinstance(found, str) else found[1:]


def likeliest(plan: Plan, codes: NDArray[np.int64]) -> tuple[Numbers, Numbers]:
    """Return the maximum likelihood slopes without privacy, and their standard errors."""
    (block,), axes = plan.sums
    columns = {axis.name: codes[:, i] for i, axis in enumerate(axes)}
    b = np.zeros(len(block.terms))
    for _ in range(8):
        score, information = slopes_at(block, columns, b)
        b += np.linalg.solve(information, score)
    halves = np.array([term.half for term in block.terms[:-1]])
    return b[1:] / halves, np.sqrt(np.diag(np.linalg.inv(information)))[1:] / halves


def start_of(plan: Plan, table: BenchTable, *, shuffled: str = "") -> Start:
    """Return the starting point from one release, and its synthetic rows. The values of a column can be
    shuffled first.
    """
    with tempfile.TemporaryDirectory() as folder:
        ledger, limit = Ledger(Path(folder) / "ledger.sqlite"), limit_for(plan.epsilon, plan.delta)
        population, protects = plan.schema.population, plan.schema.protects
        ledger.open_population(population, units=limit, reason="benchmark on public data", protects=protects)
        frame = pd.read_csv(table.csv, dtype=str, keep_default_na=False)
        if shuffled:
            frame[shuffled] = np.random.default_rng(1).permutation(frame[shuffled].to_numpy())
        frame.to_csv(data := Path(folder) / "table.csv", index=False)
        made = release(plan, data=data, ledger=ledger, run="regressions")
        ledger.close()
    (block,), axes = plan.sums
    synthetic = columns_on(made.table, axes)
    return started(block, synthetic), synthetic


def least_squares(plan: Plan, codes: NDArray[np.int64]) -> tuple[Numbers, Numbers]:
    """Return the least-squares slopes without privacy, and their robust standard errors."""
    (block,), axes = plan.sums
    at = {axis.name: i for i, axis in enumerate(axes)}
    z = [t.middle + t.half * t.places()[codes[:, at[t.column]]] / t.bound for t in block.terms]
    x, y = np.column_stack([np.ones(len(codes)), *z[:-1]]), z[-1]
    inverse = np.linalg.inv(x.T @ x)
    slopes = inverse @ (x.T @ y)
    weighted = x * (y - x @ slopes)[:, None]
    return slopes[1:], np.sqrt(np.diag(inverse @ (weighted.T @ weighted) @ inverse))[1:]


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m synth.bench.regressions", description=__doc__)
    parser.add_argument("--set", default="adult")
    parser.add_argument("--formula", default=FORMULA)
    parser.add_argument("--epsilons", nargs="+", type=float, default=(0.5, 1.0, 3.0))
    parser.add_argument("--share", type=float, default=0.2)
    parser.add_argument("--runs", type=int, default=300)
    requested = parser.parse_args(arguments)
    table, rng = find(requested.set), np.random.default_rng(0)
    real, none = pd.read_csv(table.csv), table.rules_in_force
    for epsilon in requested.epsilons:
        plan = Plan(
            schema=table.schema, rules=none, epsilon=epsilon, delta=DELTA, method="grove",
            means=(requested.formula,), means_share=requested.share,
        )  # fmt: skip
        (block,), axes = plan.sums
        is_logistic = Formula.of(requested.formula).is_logistic
        without = likeliest if is_logistic else least_squares
        start, shuffled = (
            start_of(plan, table, shuffled=name) if is_logistic else None
            for name in ("", block.terms[0].column)
        )
        codes = np.column_stack([*columns_on(real, axes).values()])
        first = [axis.name for axis in axes].index(block.terms[0].column)
        truth, held, widths, found = without(plan, codes)[0], [], [], []
        for _ in range(requested.runs):
            rows = codes[rng.integers(0, len(codes), len(codes))]
            own, errors = without(plan, rows)
            slopes = slopes_of(plan, rows, start)
            held.append(
                [
                    [_has(None if s is None else s.interval, t) for s, t in zip(slopes, own, strict=True)],
                    [
                        _has(None if s is None else s.population, t)
                        for s, t in zip(slopes, truth, strict=True)
                    ],
                ]
            )
            spans = [np.inf if s is None else s.population[1] - s.population[0] for s in slopes]
            widths.append(np.array(spans) / (2 * Z * errors))
            rows[:, first] = rng.permutation(rows[:, first])
            null = slopes_of(plan, rows, shuffled)[0]
            found.append(null is not None and not _has(null.population, 0.0))
        finite, population = np.nanmean(held, axis=0).round(3).tolist()
        ratio = np.median(widths, axis=0).round(2).tolist()
        say(
            f"epsilon {epsilon:g}, {requested.share:.0%}, {requested.runs} runs: answered "
            f"{np.isfinite(widths).mean():.3f}, records {finite}, population {population}, width {ratio}, "
            f"slope of 0 found to differ {np.mean(found):.3f}"
        )
    return 0


def _has(span: Span | None, truth: float) -> float:
    """Return 1 if an interval contains the truth, else 0; NaN without an interval."""
    return np.nan if span is None else float(span[0] <= truth <= span[1])


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))

"""Run one trial of a mechanism in a separate process: on one table at one epsilon, once or several times.

`python -m synth.bench.trials.runs JSON` prints a JSON list with one object per run. The mechanism queries a
real `PrivateSource`, with exact noise and a ledger on disk. The tables are public, so true errors can be
printed.

Keys of an object (a value is None if it does not apply): `seconds` and `cpu_seconds`, the times from the
first query to the last record; `decode_seconds`, the time to decode codes to values; `peak_mb`, the peak
memory until the first table; `rows`, `measurements`, `model_cells`; the metrics of `bench.metrics`;
`covered`, `covered_measured` and `covered_inferred`, the shares of marginals whose true L1 error is below its
bound; `loose_measured` and `loose_inferred`, the medians of bound / error.
"""

from __future__ import annotations

import json
import resource
import sys
import time
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd

from synth.bench.metrics import NONE, Figures, Judge
from synth.bench.tables.tables import BenchTable, find
from synth.bench.trials.session import opened
from synth.bench.trials.trial import Trial
from synth.core.codebook import Codebook
from synth.core.graphs.workload import Workload
from synth.core.request import PREPROCESS_SHARE
from synth.core.table import CodeTable
from synth.mechanisms.shared.base import Fitted, Problem
from synth.mechanisms.shared.recipe import Recipe, recipe_of
from synth.private.domains.buy import buy_groupings, purchases_of
from synth.release.checks.bounds import Bound, Support, bounds
from synth.release.decode import decode
from synth.release.drawing import admitted, records_of, refined
from synth.release.plan import law_of
from synth.rules import cells_of, coarsen_zeros, settle

_CONFIDENCE = 0.95
"""Confidence of the bounds whose coverage is measured."""


def measure(trial: Trial) -> list[Figures]:
    """Measure all repeats of a trial. Raises: `Mistake` for an unknown table, method, option or metric."""
    recipe = replace(recipe_of(trial.method, trial.options), generator_options=trial.generator_options)
    table = find(trial.table).with_rules(trial.rules)
    workload = trial.workload_of(table)
    runs: list[Figures] = []
    judge, peak = None, 0.0
    for repeat in range(trial.repeats):
        made = once(trial, recipe, table, workload, repeat)
        peak = peak or peak_mb()
        figures = made.figures | {"peak_mb": peak}
        if trial.metrics != NONE:
            judge = judge or Judge(table, workload, metrics=trial.metrics)
            figures |= judge.figures(made.synthetic, made.values) | _coverage(made, judge)
        runs.append(figures)
    return runs


@dataclass(frozen=True, eq=False, kw_only=True)
class Made:
    """The result of one run: the model, and the records as codes and, if the table has values, as values."""

    fitted: Fitted
    synthetic: CodeTable
    values: pd.DataFrame | None
    figures: Figures


def once(trial: Trial, recipe: Recipe, table: BenchTable, workload: Workload, repeat: int) -> Made:
    """Run a method once in a session, with exact noise and a separate ledger, like a release."""
    rng = np.random.default_rng(trial.run + repeat)
    schema, rules, axes = table.schema, table.rules_in_force, table.axes
    law, (epsilon, delta) = law_of(schema, recipe.mechanism.name), trial.promise
    with opened(table.csv, schema, axes, epsilon=epsilon, delta=delta, law=law) as (session, _, units):
        for_domains = int(units * PREPROCESS_SHARE) if purchases_of(schema) else 0
        start, start_cpu = time.perf_counter(), time.process_time()
        groupings = buy_groupings(
            session, axes, session.account("preprocess", for_domains), schema=schema, rules=rules
        )
        zeros = coarsen_zeros(rules.zeros(axes), axes, groupings)
        codebook = Codebook(schema=schema, axes=axes, groupings=groupings, zeros=zeros)
        source = session.source(axes, session.account("mechanism", units - for_domains), groupings=groupings)
        fitted = recipe.run(source, Problem(workload=workload, codebook=codebook), rng=rng)
        coarse = records_of(fitted.model, round(fitted.model.total), rng)
        coarse = admitted(coarse, fitted.model, fitted.evidence.codebook, rules, rng)
        seconds, cpu_seconds = time.perf_counter() - start, time.process_time() - start_cpu
    codebook = fitted.evidence.codebook
    codes = refined(coarse, codebook, rng)
    values, decoding = None, None
    if table.as_values:
        start = time.perf_counter()
        values = decode(codes, codebook.axes, rng)
        settle(rules.orders(codebook.axes), values, cells_of(codes, codebook.axes), rng)
        decoding = time.perf_counter() - start
    figures: Figures = {
        "seconds": seconds,
        "cpu_seconds": cpu_seconds,
        "decode_seconds": decoding,
        "rows": len(codes),
        "measurements": len(fitted.evidence.measurements),
        "model_cells": int(fitted.model.cells),
    }
    return Made(fitted=fitted, synthetic=CodeTable(table.domain, codes), values=values, figures=figures)


def _coverage(made: Made, judge: Judge) -> Figures:
    claims = bounds(
        made.fitted.evidence,
        candidates=judge.workload.candidates(),
        synthetic=made.synthetic,
        beta=1.0 - _CONFIDENCE,
    )
    return coverage(claims, judge.real, made.synthetic, total=made.fitted.model.total)


def peak_mb() -> float:
    """Return the peak memory of this process in MB, from /proc if it exists (see
    `bench.trials.stopwatch`).
    """
    status = Path("/proc/self/status")
    if status.is_file():
        for line in status.read_text(encoding="ascii", errors="replace").splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def coverage(claims: tuple[Bound, ...], real: CodeTable, synthetic: CodeTable, *, total: float) -> Figures:
    """Compare bounds with the truth. Return figures under the names in the docstring of this module."""
    ratios: dict[str, list[float]] = {Support.MEASURED: [], Support.INFERRED: []}
    for claim in claims:
        if claim.l1_counts is None:
            continue
        weight = total / max(synthetic.rows, 1)
        error = np.abs(real.counts(claim.clique) - weight * synthetic.counts(claim.clique)).sum()
        ratios[claim.kind].append(claim.l1_counts / max(float(error), 1e-9))
    measured, inferred = ratios[Support.MEASURED], ratios[Support.INFERRED]
    return {
        "covered": _share(measured + inferred),
        "covered_measured": _share(measured),
        "covered_inferred": _share(inferred),
        "loose_measured": float(np.median(measured)) if measured else None,
        "loose_inferred": float(np.median(inferred)) if inferred else None,
    }


def _share(ratios: list[float]) -> float | None:
    return float(np.mean([r >= 1.0 for r in ratios])) if ratios else None


def main(arguments: list[str]) -> int:
    sys.stdout.write(json.dumps(measure(Trial(**json.loads(arguments[0])))))
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))

"""One trial of a mechanism in a process of its own: on a table at an epsilon, once or several times.

`python -m synth.bench.trials.runs JSON` prints one JSON list, one object per run. The mechanism asks a real
`PrivateSource`, exact noise and a ledger on disk included; its time runs from the first question to the last
record. The tables are public, so true errors may be printed.

Keys of an object, None where something does not apply: `seconds` (wall) and `cpu_seconds` of the mechanism,
`decode_seconds` from codes to values, `peak_mb` the process's largest memory until its first table was made,
`attempts`, in how many starts of the program it was made, over which times are added up and of which
the peak is the largest (`bench.attempts`; None where it could only be one); `rows`, `measurements`,
`model_cells`; what `bench.metrics` measures; `covered`, `covered_measured` and
`covered_inferred`, the shares of the workload's marginals whose true L1 error is below its bound, and
`loose_measured` and `loose_inferred`, the medians of bound over error. Of a trial with a preprocessing of its
own (`bench.prepared`) there are no bounds, which are about its codes, but `bins`, how many a range is cut in.
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
from numpy.typing import NDArray

from synth.bench.metrics import NONE, Figures, Judge
from synth.bench.tables.prepared import bins_of, prepared, recoded
from synth.bench.tables.tables import BenchTable, find
from synth.bench.trials import kept_answers
from synth.bench.trials.attempts import Spent, attempted
from synth.bench.trials.kept_answers import KeptAnswers
from synth.bench.trials.trial import Trial
from synth.core.accounting import limit_for
from synth.core.codebook import Codebook
from synth.core.discretisation import resolve_axes
from synth.core.request import PREPROCESS_SHARE
from synth.core.table import CodeTable
from synth.mechanisms.selection.workload import Workload
from synth.mechanisms.shared.base import Fitted, Problem
from synth.mechanisms.shared.recipe import Recipe, recipe_of
from synth.private.domains.buy import buy_groupings, purchases_of
from synth.private.ledger import Ledger
from synth.private.session import PrivateSession
from synth.private.table import open_table
from synth.release.checks.bounds import Bound, Support, bounds
from synth.release.decode import decode
from synth.release.drawing import records_of, refined
from synth.release.plan import law_of
from synth.rules import coarsen_zeros, settle

_CONFIDENCE = 0.95
"""Of the bounds whose coverage is counted."""


def measure(trial: Trial) -> list[Figures]:
    """All repeats. Raises: `Mistake` for an unknown table, method, option, workload or extent of metrics."""
    recipe = replace(recipe_of(trial.method, trial.options), generator_options=trial.generator_options)
    table = find(trial.table).with_rules(trial.rules)
    workload = trial.workload_of(table)
    runs: list[Figures] = []
    judge, peak = None, 0.0
    for repeat in range(trial.repeats):
        made = once(trial, recipe, table, workload, repeat)
        peak = peak or max(peak_mb(), made.peak_mb)
        figures = made.figures | {"peak_mb": peak}
        if trial.metrics != NONE:
            judge = judge or Judge(table, workload, metrics=trial.metrics)
            figures |= _judged(made, judge, with_bounds=not trial.preprocessing)
        runs.append(figures)
    return runs


@dataclass(frozen=True, eq=False, kw_only=True)
class Made:
    """What a method made once: answers and model, its records in codes and, where asked for, as values.
    `peak_mb`: the largest memory of all attempts at it."""

    fitted: Fitted
    synthetic: CodeTable
    values: pd.DataFrame | None
    figures: Figures
    peak_mb: float = 0.0


def once(trial: Trial, recipe: Recipe, table: BenchTable, workload: Workload, repeat: int) -> Made:
    """Through the session, with exact noise and a ledger of its own, as a release would; or from answers that
    another trial of the same selection was given."""
    rng = np.random.default_rng(trial.run + repeat)
    place = kept_answers.place_of(trial, recipe, repeat)
    kept = kept_answers.read(place)
    if kept is None:
        fitted, coarse, spent = _asked(trial, recipe, table, workload, repeat, rng, place)
    else:
        fitted, coarse, spent = _fitted_again(recipe, workload, kept, rng)
    codebook, rules = fitted.evidence.codebook, table.rules_in_force
    codes = refined(coarse, codebook, rng)
    values, decoding = None, None
    if table.as_values:
        start = time.perf_counter()
        values = decode(codes, codebook.axes, rng)
        settle(rules, values, codebook.axes)
        decoding = time.perf_counter() - start
    figures: Figures = {
        "seconds": spent.seconds,
        "cpu_seconds": spent.cpu_seconds,
        "attempts": spent.attempts if trial.folder else None,
        "decode_seconds": decoding,
        "rows": len(codes),
        "measurements": len(fitted.evidence.measurements),
        "model_cells": int(fitted.model.cells),
    }
    if trial.preprocessing:
        figures["bins"] = bins_of(codebook.schema, codebook.ordered)
        synthetic = recoded(table, codes, values)
    else:
        synthetic = CodeTable(table.domain, codes)
    return Made(fitted=fitted, synthetic=synthetic, values=values, figures=figures, peak_mb=spent.peak_mb)


def _asked(
    trial: Trial,
    recipe: Recipe,
    table: BenchTable,
    workload: Workload,
    repeat: int,
    rng: np.random.Generator,
    place: Path | None,
) -> tuple[Fitted, NDArray[np.unsignedinteger], Spent]:
    """Model, records in the codes of the evidence, and what all of it took; answers are left in `place`."""
    schema, rules = prepared(table.schema, trial.preprocessing), table.rules_in_force
    law, limit = law_of(schema, recipe.mechanism.name), limit_for(*trial.promise)
    units = limit.under(law)
    bought = int(units * PREPROCESS_SHARE) if purchases_of(schema) else 0
    axes = resolve_axes(schema, rules)
    population, protects = schema.population, schema.protects
    with attempted(trial.folder, repeat, peak_mb=peak_mb) as attempt:
        ledger = Ledger(attempt.folder / "ledger.sqlite")
        ledger.open_population(population, units=limit, reason="benchmark on public data", protects=protects)
        ledger.open_run(population, "bench", units=units, label="bench", law=law, protects=protects)
        private = open_table(table.csv, schema, axes=axes, vault=attempt.vault)
        session = PrivateSession(private, schema, ledger, "bench", law=law)
        attempt.begin()
        groupings = buy_groupings(
            session, axes, session.account("preprocess", bought), schema=schema, rules=rules
        )
        zeros = coarsen_zeros(rules.zeros(axes), axes, groupings)
        codebook = Codebook(schema=schema, axes=axes, groupings=groupings, zeros=zeros)
        source = session.source(axes, session.account("mechanism", units - bought), groupings=groupings)
        if trial.preprocessing:
            workload = trial.workload_of(table, codebook.domain)
        problem = Problem(workload=workload, codebook=codebook, report=attempt.report, fits=attempt.fits)
        fitted = recipe.run(source, problem, rng=rng)
        kept_answers.write(place, KeptAnswers(evidence=fitted.evidence, spent=attempt.spent()))
        coarse = records_of(fitted.model, round(fitted.model.total), rng)
        spent = attempt.spent()
        ledger.close()
    return fitted, coarse, spent


def _fitted_again(
    recipe: Recipe, workload: Workload, kept: KeptAnswers, rng: np.random.Generator
) -> tuple[Fitted, NDArray[np.unsignedinteger], Spent]:
    """As `_asked`, without a question."""
    problem = Problem(workload=workload, codebook=kept.evidence.codebook)
    start, start_cpu = time.perf_counter(), time.process_time()
    model = recipe.follower.fit(kept.evidence, seed=problem.seed, device=problem.device)
    coarse = records_of(model, round(model.total), rng)
    spent = replace(
        kept.spent,
        seconds=kept.spent.seconds + time.perf_counter() - start,
        cpu_seconds=kept.spent.cpu_seconds + time.process_time() - start_cpu,
        peak_mb=max(kept.spent.peak_mb, peak_mb()),
    )
    return Fitted(evidence=kept.evidence, model=model), coarse, spent


def _judged(made: Made, judge: Judge, *, with_bounds: bool) -> Figures:
    judged = judge.figures(made.synthetic, made.values)
    if not with_bounds:
        return judged
    total = made.fitted.model.total
    claims = bounds(
        made.fitted.evidence,
        candidates=judge.workload.candidates(),
        synthetic=made.synthetic,
        beta=1.0 - _CONFIDENCE,
    )
    return judged | coverage(claims, judge.real, made.synthetic, total=total)


def peak_mb() -> float:
    """The largest this process has been; from /proc where there is one (see `bench.stopwatch`)."""
    status = Path("/proc/self/status")
    if status.is_file():
        for line in status.read_text(encoding="ascii", errors="replace").splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def coverage(claims: tuple[Bound, ...], real: CodeTable, synthetic: CodeTable, *, total: float) -> Figures:
    """Shares and looseness of bounds against the truth, under the names of the module's description."""
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

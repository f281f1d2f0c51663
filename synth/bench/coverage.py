"""`python -m synth.bench.coverage`: count how often the intervals of the accuracy check contain the truth, on
public tables.

Each table is released with an accuracy check. Then all columns and pairs of the same rows are checked
repeatedly with new noise, using the queries and figures of the product. The truth is the TVD of the
normalised private and synthetic tables, so the error of the measured total is included. The figures are means
over checks and releases:

`pairs` is the share of pairs whose 95% interval contains the truth, and `together` the share of checks whose
simultaneous intervals hold for all columns and pairs; `mean_NAME` and `predicted` are shares of the intervals
of means and predictions. `limits` is the share of pairs whose error is below the published limit, `points`
the median width of the interval of a pair, `ratio` the median of limit / truth, and `above` the number of
pairs with a limit above 20%. `likely` is the share of pairs whose 95% posterior interval contains the truth,
`likely_width` its width relative to `points`, and `rmse_measured` and `rmse_likely` the errors of the
measured and of the stated figures. `many` is the number of pairs above 10%. `many_measured` and `many_likely`
are its estimates, the number of measured figures above 10% and the sum of probabilities. `top_measured` and
`top_likely` are the highest figure minus the true error of its pair. `ratio_before` and `above_before` are
the same figures as `ratio` and `above` for the bounds without the accuracy check, where a missing bound
counts as a limit of 1.

With `--cost`, each table is released with and without an accuracy check. `pairs` is the mean TVD of all
pairs, and `seconds` the processor time of the release, each with a share of 0 and with `SHARE`.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, combinations, islice, product
from pathlib import Path
from statistics import fmean
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from synth.bench.report.tally import outcomes_of
from synth.bench.tables.tables import find, read
from synth.bench.trials.measure import say
from synth.bench.trials.results import LAST, Results, records_for
from synth.bench.trials.trial import Part, Trial
from synth.core.accounting import limit_for
from synth.core.domain import Clique
from synth.core.evidence import VERDICT, Evidence
from synth.core.options import options_typed
from synth.core.request import METHOD
from synth.core.table import CodeTable
from synth.mechanisms import MECHANISMS
from synth.pipeline import release
from synth.private.counting.codes import Codes
from synth.private.exact_tables import ExactTables
from synth.private.ledger import Ledger
from synth.private.noise import noise_of
from synth.private.queries import Scores
from synth.private.queries.base import stored
from synth.private.scores import RangeGap
from synth.private.terms import Allowance, Paid, Terms
from synth.release.checks.bounds import BOUND_PART, bounds, judged
from synth.release.plan import Plan
from synth.release.synthesis import Synthesis
from synth.release.verdict.asking import VerdictQueries, queries_about
from synth.release.verdict.figures import Verdict, verdict_of
from synth.release.verdict.likely import with_likely_errors
from synth.release.verdict.sentences import CAREFUL

TABLES = ("adult", "nltcs", "titanic", "bank", "thresholds", "chain-20", "heavy-tails")
SHARE, BETA, HIGH = 0.05, 0.05, 0.2


def measure(trial: Trial, *, many: int) -> dict[str, float]:
    """Release a table once, check its accuracy `many` times, and return the figures."""
    plan, made = released_by(trial, share=SHARE)
    real, evidence = read(find(trial.table)), made.evidence
    released = CodeTable(real.domain, made.codes)
    requested = queries_about(released, evidence.total, target=plan.options.get("target"))
    again = islice(verdicts(requested, real, plan, evidence), many)
    return figures_of(requested, real, released, evidence, list(again))


def cost(trial: Trial) -> dict[str, float]:
    """Release a table with and without an accuracy check. Return the errors of its pairs and the processor
    times.
    """
    real, found = read(find(trial.table)), dict[str, float]()
    for share in (0.0, SHARE)[:: 1 - 2 * (trial.run % 2)]:
        start = time.process_time()
        _, made = released_by(trial, share=share)
        seconds, released = time.process_time() - start, CodeTable(real.domain, made.codes)
        gaps = [
            np.abs(real.counts(r) / real.rows - released.counts(r) / released.rows).sum() / 2
            for r in combinations(real.domain.names, 2)
        ]
        found |= {f"pairs_{share:g}": float(np.mean(gaps)), f"seconds_{share:g}": seconds}
    return found


def released_by(trial: Trial, *, share: float) -> tuple[Plan, Synthesis]:
    """Release the table of a trial, with a given share of the budget for the accuracy check."""
    table, (epsilon, delta) = find(trial.table), trial.promise
    has_target = table.target is not None and hasattr(MECHANISMS[trial.method], "target")
    target = table.target if has_target else None
    plan = Plan(
        schema=table.schema,
        rules=table.rules_in_force,
        epsilon=epsilon,
        delta=delta,
        method=trial.method,
        options={"target": target} if target else {},
        generator_options=trial.generator_options,
        verdict=share,
        seed=trial.run,
    )
    with tempfile.TemporaryDirectory() as folder:
        ledger, protects = Ledger(Path(folder) / "ledger.sqlite"), table.schema.protects
        population, limit = table.schema.population, limit_for(epsilon, delta)
        ledger.open_population(population, units=limit, reason="public data", protects=protects)
        made = release(plan, data=table.csv, ledger=ledger, run="coverage")
        ledger.close()
    return plan, made


def verdicts(requested: VerdictQueries, real: CodeTable, plan: Plan, evidence: Evidence) -> Iterator[Verdict]:
    """Yield accuracy checks of the same rows. Exact figures are computed only once; each check has new
    noise.
    """
    terms, priced = Terms.of(plan.schema, law=plan.law), requested.priced(plan.verdict_units)
    tables, prices = _tables(real), Allowance(plan.verdict_units).prices([rho for _, rho in priced])
    exact = [query.exact(tables).ravel() for query, _ in priced]
    while True:
        answers = []
        for step, ((query, _), numbers, units) in enumerate(zip(priced, exact, prices, strict=True)):
            noise = noise_of(terms.law, cast(Any, query).variance(units, terms), numbers.size)
            paid = Paid(units=units, part=VERDICT, step=step, terms=terms)
            answers.append(query.read(stored(numbers + noise), paid, domain=real.domain))
        yield verdict_of(answers, requested, total=evidence.total, total_sd=evidence.total_sd)


def truth_of(requested: VerdictQueries, real: CodeTable, released: CodeTable) -> dict[Clique | str, float]:
    """Return the exact TVD of each checked table by clique, and the exact means by name."""

    def apart(clique: Clique) -> NDArray[np.float64]:
        return np.asarray(real.counts(clique) / real.rows - released.counts(clique) / released.rows)

    listed = cast(Scores, requested.each).score.cliques
    averaged: dict[str, Sequence[Clique]] = {
        name: [r for r in listed if len(r) == k] for name, k in (("columns", 1), ("pairs", 2))
    }
    averaged |= {name: query.score.cliques for name, query in requested.means.items() if name != "ranges"}
    score = cast(RangeGap, requested.means["ranges"].score)
    gaps = [abs(apart(r)[np.ix_(*one)].sum()) for r, one in zip(score.cliques, score.ranges, strict=True)]
    errors: dict[Clique | str, float] = {
        r: float(np.abs(apart(r)).sum()) / 2 for r in {*listed, *chain(*averaged.values())}
    }
    errors |= {name: fmean(errors[r] for r in some) for name, some in averaged.items()}
    return errors | {"ranges": float(np.mean(gaps))}


def figures_of(
    requested: VerdictQueries,
    real: CodeTable,
    released: CodeTable,
    evidence: Evidence,
    judgements: list[Verdict],
) -> dict[str, float]:
    """Return the figures listed in the docstring of this module."""
    truth, pairs = (
        truth_of(requested, real, released),
        [r for r in cast(Scores, requested.each).score.cliques if len(r) == 2],
    )
    hits = requested.hits.exact(_tables(real)) / real.rows if requested.hits else ()
    levels = (BETA, BOUND_PART * BETA)
    before, part = (bounds(evidence, candidates=pairs, synthetic=released, beta=beta) for beta in levels)
    held, likely, limits = dict[str, list[bool]](), dict[str, list[float]](), []
    for verdict in judgements:
        errors = {one.clique: one.error for one in verdict.tables}
        checked = [("pairs", errors[r], truth[r]) for r in pairs]
        checked += [(f"mean_{name}", figure, truth[name]) for name, figure in verdict.means.items()]
        both = [figure for one in verdict.predicted for figure in (one.correct, one.constant)]
        checked += [("predicted", figure, true) for figure, true in zip(both, hits, strict=True)]
        for name, figure, true in checked:
            low, high = figure.interval(1 - BETA)
            held.setdefault(name, []).append(low <= true <= high)
        each = (1 - BETA) ** (1 / len(errors))  # at least 1 - BETA for all of them (Sidak 1967)
        spans = ((truth[r], *figure.interval(each)) for r, figure in errors.items())
        held.setdefault("together", []).append(all(low <= true <= high for true, low, high in spans))
        stated = [judged(b, errors[b.clique], total=evidence.total, beta=BETA) for b in part]
        limits.append([bound.tvd for bound in stated])
        single = _likely(with_likely_errors(verdict, evidence, released, stated), truth)
        for name, number in single.items():
            likely.setdefault(name, []).append(number)
    exact, limit = np.array([truth[r] for r in pairs]), np.array(limits, dtype=float)
    old = np.array([1.0 if b.tvd is None else b.tvd for b in before])
    widths = [one.error.interval(1 - BETA) for v in judgements for one in v.tables if len(one.clique) == 2]
    return {
        **{name: fmean(some) for name, some in held.items()},
        **{name: fmean(some) for name, some in likely.items()},
        "limits": float((limit >= exact).mean()),
        "points": 100 * float(np.median(np.diff(widths))),
        "ratio": float(np.median(limit / exact)),
        "ratio_before": float(np.median(old / exact)),
        "above": float((limit > HIGH).sum(axis=1).mean()),
        "above_before": float((old > HIGH).sum()),
    }


def _likely(verdict: Verdict, truth: Mapping[Clique | str, float]) -> dict[str, float]:
    """Return the figures of one accuracy check about single pairs, measured and stated."""
    pairs = verdict.of_width(2)
    exact = np.array([truth[one.clique] for one in pairs])
    ends = np.array([one.stated.interval(1 - BETA) for one in pairs])
    before = np.array([one.error.interval(1 - BETA) for one in pairs])
    found = {
        "likely": float(((ends[:, 0] <= exact) & (exact <= ends[:, 1])).mean()),
        "likely_width": float(np.median(np.diff(ends)) / np.median(np.diff(before))),
        "many": float((exact > CAREFUL).sum()),
        "many_likely": float(verdict.above(2, CAREFUL) or 0.0),
    }
    for name, figures in (
        ("measured", [one.error.limited for one in pairs]),
        ("likely", [one.stated.limited for one in pairs]),
    ):
        ours, top = np.array(figures), int(np.argmax(figures))
        found[f"rmse_{name}"] = float(np.square(ours - exact).mean() ** 0.5)
        found[f"top_{name}"] = float(ours[top] - exact[top])
        if name == "measured":
            found["many_measured"] = float((ours > CAREFUL).sum())
    return found


def _tables(real: CodeTable) -> ExactTables:
    return ExactTables(Codes.of(real.codes, real.domain), real.domain)


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m synth.bench.coverage", description=__doc__)
    parser.add_argument("--sets", nargs="+", default=TABLES, metavar="SET")
    parser.add_argument("--epsilons", nargs="+", type=float, default=(0.3, 1.0, 3.0))
    parser.add_argument("--methods", nargs="+", default=(METHOD, "aim", "margnet", "tabpe"))
    parser.add_argument("--releases", type=int, default=2, help="they share the accuracy checks")
    parser.add_argument("--checks", type=int, default=200, help="accuracy checks of each combination")
    parser.add_argument("--cost", action="store_true", help="measure the cost of the accuracy check instead")
    parser.add_argument("--generator-option", action="append", default=[], metavar="NAME=VALUE")
    parser.add_argument("--out", type=Path, default=Path("out/bench/coverage"), metavar="DIR")
    requested = parser.parse_args(arguments)
    requested.out.mkdir(parents=True, exist_ok=True)
    results, options = (
        Results(requested.out / ("cost.csv" if requested.cost else "results.csv")),
        options_typed(requested.generator_option),
    )
    for method, epsilon, name in product(requested.methods, requested.epsilons, requested.sets):
        task = Trial(part=Part.MECHANISM, table=name, method=method, epsilon=epsilon, delta=1e-9)
        for run in range(requested.releases):
            trial = replace(task, run=run, generator_options=options)
            if trial.key not in results.finished():
                start, many = time.perf_counter(), -(-requested.checks // requested.releases)
                figures = cost(trial) if requested.cost else measure(trial, many=many)
                results.add(records_for(trial, {**figures, LAST: time.perf_counter() - start}))
    for one in outcomes_of(results.records):
        means = ", ".join(f"{name} {one.mean(name):.4g}" for name in one.figures)
        say(f"{one.table}, {one.name}, epsilon {one.promise}, {one.runs} releases: {means}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))

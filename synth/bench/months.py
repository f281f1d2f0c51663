"""`python -m synth.bench.months`: twelve monthly releases of an invented table in which people are replaced.

Every month, a part of the people is replaced by new people from the same distribution. All months share one
lifetime budget in equal parts. If all people are replaced, each month has a separate population with a whole
budget. The output for each month has the following means over the runs.

`afresh` and `start`: the mean TVD of pairs between synthetic and private rows, without and with the release
of the previous month as the starting table. `alone` and `together`: the root mean square error, in per cent
of the records, of counts of one and two columns that both kits answer; `alone` uses the measurements of this
month, and `together` the measurements of all months so far, with a start. `answered`: the shares of questions
that each of the two kits answers. `refused`: the share of runs in which the test concludes that the months so
far contain different people. `together` ignores the test, to show the effect of a wrong declaration.

The last line compares the largest epsilon of any person with the epsilon in the ledger. mu^2 is the sum of
(sensitivity^2 / variance) over all answers about this person, and is converted by the exact curve of Gaussian
DP.

With `--refusals`, two months measure the same tables in the same groups, and the share of refusals among 200
such pairs is printed.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from fractions import Fraction
from functools import partial
from itertools import combinations
from math import exp, sqrt
from pathlib import Path
from statistics import fmean
from typing import cast

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import log_ndtr, ndtr

from synth.analyst import together as combining
from synth.analyst.answers import Status
from synth.analyst.kit import Kit
from synth.analyst.measured import Measured
from synth.bench.answers import BINS, ROWS, SIZES, Rows, drawn, questions, schema
from synth.bench.trials.measure import say
from synth.core.accounting import limit_for
from synth.core.columns.published import Modelled
from synth.core.evidence import Evidence
from synth.core.measurements.interactions import shape_of
from synth.core.measurements.joined import asks_interaction
from synth.core.measurements.noisy import Measurement, NoisyNumbers, NoisyScores
from synth.core.request import METHOD
from synth.dictionaries import dump_schema
from synth.estimates.facts import Fact, facts_of
from synth.pipeline import release
from synth.private.ledger import Ledger
from synth.private.queries import Interaction, Scores
from synth.private.scores.base import SCALE, Score
from synth.private.terms import Terms
from synth.release.plan import Plan
from synth.release.reading.starting import read_start
from synth.release.synthesis import Synthesis
from synth.rules import parse_rules

MONTHS, PAIRS_OF_MONTHS, DELTA = 12, 200, 1e-9
FIGURES = (
    "afresh",
    "start",
    "alone",
    "together",
    "answered alone",
    "answered together",
    "refused",
)

Found = dict[tuple[int, str], list[float]]


def months(part: float, rng: np.random.Generator) -> Iterator[pd.DataFrame]:
    """Yield the table of each month."""
    table = drawn(ROWS, rng)
    for _ in range(MONTHS):
        yield table
        gone = rng.choice(ROWS, round(part * ROWS), replace=False)
        table = table.copy()
        table.iloc[gone] = drawn(len(gone), rng).to_numpy()


def run(part: float, epsilon: float, seed: int, found: Found) -> tuple[float, float]:
    """Measure one year. Return the largest epsilon of a person, computed from the noise and from the
    ledger.
    """
    with tempfile.TemporaryDirectory() as name, closing(Ledger(Path(name) / "ledger.sqlite")) as book:
        folder, earlier, spent = Path(name), list[Measured](), [0.0]
        for month, table in enumerate(months(part, np.random.default_rng([35, seed]))):
            afresh = _released(table, folder, book, "afresh", part, epsilon, month, seed)
            made = _released(table, folder, book, "start", part, epsilon, month, seed)
            made.table.to_csv(folder / "before.csv", index=False)
            earlier.append(_measured(made))
            lost = mu_squared(made.evidence)
            spent = [*spent, lost] if part == 1 else [spent[0] + lost]
            refused = combining.agreement([m.facts for m in earlier]).chance < combining.TEST_LEVEL
            alone, both, *answered = _counts(table, Kit(earlier[-1]), Kit(combining.combined(earlier)))
            errors = [error(table, t) for t in (afresh.table, made.table)]
            for figure, value in zip(FIGURES, (*errors, alone, both, *answered, refused), strict=True):
                found.setdefault((month, figure), []).append(float(value))
        line = book.balance(_population("start", part, MONTHS - 1))
        return epsilon_of(max(spent), DELTA), line.claim(line.spent)


def _measured(made: Synthesis) -> Measured:
    """Return the measurements that the package of the release would contain."""
    return Measured(
        evidence=made.evidence,
        spec={"schema": dump_schema(made.schema), "rules": []},
        generator=made.generator,
        checks=made.checks.to_json(),
        rows=partial(Modelled, made.table, made.schema),
    )


def _population(arm: str, part: float, month: int) -> str:
    return f"{arm} {month}" if part == 1 else arm


def _released(
    table: pd.DataFrame,
    folder: Path,
    book: Ledger,
    arm: str,
    part: float,
    epsilon: float,
    month: int,
    seed: int,
) -> Synthesis:
    """Release one month. In the arm `start`, the release starts from the file of the previous month."""
    population = _population(arm, part, month)
    declared = replace(schema(), population=population)
    if book.balance(population).limits is None:
        limit = limit_for(epsilon, DELTA)
        book.open_population(population, units=limit, reason="invented data", protects=declared.protects)
    share = 1 if part == 1 else MONTHS
    plan = Plan(
        schema=declared,
        rules=parse_rules([], declared),
        epsilon=epsilon if part == 1 else epsilon_of(mu_of(epsilon, DELTA) ** 2 / share, DELTA) * (1 - 1e-6),
        delta=DELTA,
        method=METHOD,
        seed=seed,
    )
    data, before = folder / "month.csv", folder / "before.csv"
    table.to_csv(data, index=False)
    is_started = arm == "start" and before.exists()
    start = read_start(before, declared, source="the month before") if is_started else None
    return release(plan, data=data, ledger=book, run=f"{arm}-{month}", start=start)


def error(real: pd.DataFrame, made: pd.DataFrame) -> float:
    """Return the mean TVD of pairs, counted in bins."""
    off = []
    for pair in combinations(SIZES, 2):
        counts = [
            np.histogramdd([_bins(t, n) for n in pair], [np.arange(_size(n) + 1) for n in pair])[0]
            for t in (real, made)
        ]
        off.append(float(np.abs(counts[0] / len(real) - counts[1] / len(made)).sum()) / 2)
    return fmean(off)


def _size(name: str) -> int:
    return BINS.get(name, SIZES[name])


def _bins(table: pd.DataFrame, name: str) -> NDArray[np.int64]:
    return np.asarray(table[name].to_numpy(dtype=np.int64) // (SIZES[name] // _size(name)))


def _counts(table: pd.DataFrame, alone: Kit, both: Kit) -> tuple[float, float, float, float]:
    """Return the errors of two kits and the shares of questions that they answer."""
    axes = alone.measured.codebook.axes
    requested = [q for q in questions(axes) if q.kind in ("one value", "several values", "two columns")]
    off, answered, rows = list[tuple[float, float]](), [0, 0], Rows.of(table, axes)
    for question in requested:
        truth = question.plain(rows, scale=ROWS)
        assert truth is not None
        answers = [question.ask(kit) for kit in (alone, both)]
        has = [a.status is Status.INTERVAL for a in answers]
        answered = [known + more for known, more in zip(answered, has, strict=True)]
        if all(has):
            off.append(tuple((cast(float, a.estimate) - truth[0]) / ROWS for a in answers))  # type: ignore[arg-type]
    errors = [100 * sqrt(fmean(e[k] ** 2 for e in off)) for k in (0, 1)]
    return errors[0], errors[1], answered[0] / len(requested), answered[1] / len(requested)


def mu_squared(evidence: Evidence) -> float:
    """Return mu^2 of a release, computed only from its noise. Raises: `TypeError` for an unknown kind of
    answer.
    """
    terms, whole = Terms.of(evidence.codebook.schema), 0.0
    for answer in evidence.answers:
        if isinstance(answer, Measurement):
            change = Fraction(terms.l2_squared)
        elif isinstance(answer, NoisyScores):
            change = Fraction(Scores(cast(Score, answer.score)).l2_squared(terms), SCALE**2)
        elif isinstance(answer, NoisyNumbers) and asks_interaction(answer):
            query = Interaction(tuple(answer.requested["clique"]), shape_of(answer.requested))
            change = Fraction(query.l2_squared(terms))
        else:
            raise TypeError(f"the sensitivity of {answer!r} is not known here")
        whole += float(change / answer.variance)
    return whole


def _delta_of(mu: float, epsilon: float) -> float:
    """Return the delta of a Gaussian mechanism (Balle and Wang 2018)."""
    return float(ndtr(mu / 2 - epsilon / mu) - exp(epsilon + log_ndtr(-mu / 2 - epsilon / mu)))


def epsilon_of(squared: float, delta: float) -> float:
    """Return the epsilon, at this delta, of a mechanism whose mu^2 is `squared`."""
    return float(brentq(lambda e: _delta_of(sqrt(squared), e) - delta, 0.0, 500.0, xtol=1e-12))


def mu_of(epsilon: float, delta: float) -> float:
    """Return the mu of a mechanism with this epsilon and delta."""
    return float(brentq(lambda mu: _delta_of(mu, epsilon) - delta, 1e-6, 100.0, xtol=1e-14))


def refusals(epsilons: Sequence[float], parts: Sequence[float]) -> None:
    """Print how often the test refuses two months that measure the same tables."""
    say("epsilon of a month, part replaced, degrees of freedom, refused")
    for epsilon in epsilons:
        rng = np.random.default_rng(36)
        table = drawn(ROWS, rng)
        with tempfile.TemporaryDirectory() as name, closing(Ledger(Path(name) / "ledger.sqlite")) as book:
            made = _released(table, Path(name), book, "afresh", 1.0, epsilon, 0, 0)
        facts = [fact for fact in facts_of(made.evidence) if not fact.is_interaction]
        for part in parts:
            refused = 0
            for _ in range(PAIRS_OF_MONTHS):
                later = table.copy()
                gone = rng.choice(ROWS, round(part * ROWS), replace=False)
                later.iloc[gone] = drawn(len(gone), rng).to_numpy()
                test = combining.agreement([[_again(f, t, rng) for f in facts] for t in (table, later)])
                refused += test.chance < combining.TEST_LEVEL
            say(f"{epsilon:g}, {part:g}, {test.degrees}, {refused / PAIRS_OF_MONTHS:.3f}")


def _again(fact: Fact, table: pd.DataFrame, rng: np.random.Generator) -> Fact:
    """Repeat a measurement on other rows, with new noise."""
    codes = [fact.groups[name][_bins(table, name)] for name in fact.clique]
    counts = np.zeros(fact.counts.shape)
    np.add.at(counts, tuple(codes), 1.0)
    return replace(fact, counts=np.rint(counts + rng.normal(0.0, sqrt(fact.variance - 1 / 12), counts.shape)))


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m synth.bench.months", description=__doc__)
    parser.add_argument("--part", type=float, nargs="+", default=[0.0, 0.03, 0.1], help="replaced each month")
    parser.add_argument("--epsilon", type=float, nargs="+", default=[3.0], help="of the lifetime budget")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--refusals", action="store_true", help="measure only how often the test refuses")
    requested = parser.parse_args(arguments)
    if requested.refusals:
        refusals(requested.epsilon, requested.part)
        return 0
    say(f"epsilon, part replaced, month, {', '.join(FIGURES)}")
    for epsilon in requested.epsilon:
        for part in requested.part:
            found: Found = {}
            claims = [run(part, epsilon, seed, found) for seed in range(requested.runs)]
            for month in range(MONTHS):
                means = ", ".join(f"{fmean(found[month, figure]):.4f}" for figure in FIGURES)
                say(f"{epsilon:g}, {part:g}, {month + 1}, {means}")
            noise, stated = (max(c[k] for c in claims) for k in (0, 1))
            say(f"epsilon of the noise {noise:.6f}, of the ledger {stated:.6f}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

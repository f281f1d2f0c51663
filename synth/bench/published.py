"""MargNet and PrivPGD as published, and their fast options, beside the figures of their papers.

`python -m synth.bench.published` measures what its folder lacks, each run in a process of its own, and prints
every quantity of a paper for every form that was run, with the paper's figure and a verdict
(`papers.Published`), and how many times as fast as the published form the others are. The published network
takes 40 processor minutes on 30 Gaussian columns, and on 50 of them in ten bins some four processor hours (an
estimate, from a minute a round). A run of the published form goes on where it was stopped when the command is
given again (`bench.attempts`; a run that failed, too): what it was told and what it fitted lies under
OUT/under-way until it has its figures. Its times are those of all attempts added up, with what was lost and
made again, and so rather too long.
What takes longer as published is not run and has no figures: its time is extrapolated from a few steps and
from the fast option's rounds, and the line says so. On 30 Gaussian columns the network made 4.4 times as many
rounds, on Adult 1.6 and 2.6 times: it takes longer still.

A verdict is about our tables, which are not the papers' (`Case.remark`), under our promise: the numbers of
records are private, bins are public, and neighbours differ by one record. PrivPGD's neighbours exchange one,
which costs it sqrt(2) times our noise at the same epsilon. MargNet's bins are bought with a tenth of the
budget from the least and largest real values.

PrivPGD calls its query errors relative; here they are shares of rows. Over the mean share of a box, a
bootstrap of 120,000 rows has 0.007 (0.0003 in shares), where the paper prints 0.0008.
"""

from __future__ import annotations

import argparse
import hashlib
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import fmean
from typing import Any

from synth.bench.literal_pace import EPOCHS, ITERATIONS, STEPS, network_pace, particle_pace
from synth.bench.machine import keep_to
from synth.bench.measure import measure_all, say
from synth.bench.papers import (
    COUNTING,
    COVARIANCE,
    DELTA,
    FIDELITY,
    L1,
    MARGNET,
    PRIVPGD,
    QUERIES,
    SLICED,
    THRESHOLD,
    WRONG,
    Published,
    published,
)
from synth.bench.results import FAILED, LAST, Record, Results
from synth.bench.tables import find
from synth.bench.trial import Part, Trial
from synth.models.networks.network import PUBLISHED_STEPS

LITERAL, OURS, FAST = "as published", "by default", "fast option"

METRICS = {
    MARGNET: "tvd2+tvd3+fidelity+query_error+query_error3",
    PRIVPGD: "tvd2+tvd3+covariance+counting+threshold+sw1+wrong+wrong_real",
}
"""What is measured for a paper's sake."""

FIGURES: dict[str, tuple[str, float]] = {
    QUERIES: ("query_error", 1.0),
    WRONG: ("wrong", 1.0),
    COVARIANCE: ("covariance", 1.0),
    COUNTING: ("counting", 1.0),
    THRESHOLD: ("threshold", 1.0),
    SLICED: ("sw1", 1.0),
    L1: ("tvd2", 2.0),
}
"""Which of our metrics a paper's quantity is, and the factor between them. The fidelity error is that of
values where a table has them, else that of codes, which are then its values."""

METHODS = {
    MARGNET: {LITERAL: "margnet", FAST: "margnet+mixture"},
    PRIVPGD: {OURS: "privpgd", FAST: "privpgd+copula"},
}
"""What is run under which name."""

LIMIT, LITERAL_LIMIT = 4 * 3600.0, 24 * 3600.0
"""Seconds after which a run is stopped; one of the published form goes on from there."""

UNDER_WAY = "under-way"
"""The folder for runs of the published form that have no figures yet."""


@dataclass(frozen=True, kw_only=True)
class Case:
    """One of our tables beside one of a paper's, at its epsilons.

    `steps` of every fit of MargNet, and `batch`, are those of its Table 7. `is_short`: the published form
    takes many hours here, so that it is not run and its time is extrapolated.
    """

    paper: str
    ours: str
    theirs: str
    epsilons: tuple[float, ...]
    steps: Mapping[float, int] = field(default_factory=dict)
    batch: int = 0
    is_short: bool = False
    remark: str = ""

    def options(self, epsilon: float) -> dict[str, Any]:
        """Of the published network."""
        told = {name: self.steps.get(epsilon, 0) for name in ("steps", "round_steps")} | {"batch": self.batch}
        return {"as_published": True} | {name: number for name, number in told.items() if number}

    def trials(self, runs: int) -> Iterator[Trial]:
        """Everything that is run of it; the published form once."""
        for form in METHODS[self.paper]:
            if not (form == LITERAL and self.is_short):
                repeats = runs if form == FAST else 1
                for epsilon in self.epsilons:
                    trial = self.trial(form, epsilon)
                    yield from (replace(trial, run=run) for run in range(repeats))

    def trial(self, form: str, epsilon: float) -> Trial:
        """The first run of a form."""
        return Trial(
            part=Part.MECHANISM,
            table=self.ours,
            method=METHODS[self.paper][form],
            epsilon=epsilon,
            delta=DELTA,
            generator_options=self.options(epsilon) if form == LITERAL else {},
            metrics=METRICS[self.paper],
            limit=LITERAL_LIMIT if form == LITERAL else LIMIT,
        )


_BINS = "public bins; the paper buys its bins with a tenth of the budget"
_KIND = "another table, as none of the paper's is at hand, and 1 / sqrt(2) of its noise"

CASES = (
    Case(paper=MARGNET, ours="gauss10-10-bins", theirs="Gauss10, 10 bins", epsilons=(0.2,), batch=256),
    Case(
        paper=MARGNET,
        ours="gauss10",
        theirs="Gauss10",
        epsilons=(0.2, 1.0, 10.0),
        steps={10.0: 100},
        batch=256,
        remark=_BINS,
    ),
    Case(
        paper=MARGNET,
        ours="adult-steps",
        theirs="Adult",
        epsilons=(0.2, 1.0, 10.0),
        steps={10.0: 100},
        remark=(
            "25,907 rows as in the authors' split, which ones and in which steps is not told; the paper's "
            "query error is the same at epsilon 1 and 10, so something else than noise is in it"
        ),
    ),
    Case(paper=MARGNET, ours="gauss30-10-bins", theirs="Gauss30, 10 bins", epsilons=(0.2,)),
    Case(
        paper=MARGNET,
        ours="gauss50-10-bins",
        theirs="Gauss50, 10 bins",
        epsilons=(0.2,),
        steps={0.2: 500},
    ),
    Case(
        paper=MARGNET,
        ours="gauss50",
        theirs="Gauss50",
        epsilons=(10.0,),
        steps={10.0: 500},
        is_short=True,
        remark=_BINS,
    ),
    *(
        Case(paper=PRIVPGD, ours=ours, theirs=theirs, epsilons=(0.2, 1.0, 2.5), is_short=True, remark=_KIND)
        for ours, theirs in (
            ("survey-split", "ACS Income"),
            ("adult-steps", "ACS Income"),
            ("bank-ordered-split", "Diabetes"),
        )
    ),
)


def trials_of(cases: Sequence[Case], *, runs: int) -> list[Trial]:
    """Those of all cases, what is quick first; then epsilon 1, where most is compared."""
    trials = [trial for case in cases for trial in case.trials(runs)]
    return sorted(trials, key=lambda trial: (bool(trial.generator_options), abs((trial.epsilon or 0) - 1)))


def going_on(trial: Trial, folder: Path) -> Trial:
    """The same trial, in a folder named by its key where it is one of the published form."""
    if not trial.generator_options:
        return trial
    name = hashlib.sha256(repr(trial.key).encode()).hexdigest()[:16]
    return replace(trial, folder=str(folder / f"{trial.table}-{trial.method}-{name}"))


@dataclass(frozen=True, kw_only=True)
class Compared:
    """One of our figures beside one of a paper's; a mean over runs."""

    case: Case
    epsilon: float
    quantity: str
    form: str
    ours: float
    runs: int
    theirs: Published | None

    @property
    def row(self) -> tuple[str, ...]:
        """In words, in the order of `HEADINGS`."""
        told = self.theirs
        paper = ("-", "", "") if told is None else (told.printed, told.source, told.verdict(self.ours))
        at = (self.case.ours, f"{self.epsilon:g}", self.quantity)
        return (
            *at,
            self.form,
            f"{self.ours:#.2g}" if self.ours < 0.01 else f"{self.ours:.4f}",
            str(self.runs),
            *paper,
        )


HEADINGS = ("table", "epsilon", "error", "form", "ours", "runs", "paper", "source", "verdict")

Figures = Mapping[str, Sequence[float]]
"""Of all runs of one trial, by the names of the metrics."""


def figures_of(records: Sequence[Record], trial: Trial) -> Figures:
    """What was measured of all runs of a trial; nothing of one that failed."""
    found: dict[str, list[float]] = {}
    wanted = replace(trial, run=0).key[:-1]
    for record in records:
        if record.key[:-1] == wanted and record.figure not in (LAST, FAILED):
            found.setdefault(record.figure, []).append(record.value)
    return found


def compared(records: Sequence[Record], cases: Sequence[Case]) -> Iterator[Compared]:
    """Every quantity of a paper for every form that was run."""
    for case in cases:
        quantities = [
            q for q in (FIDELITY, *FIGURES) if (case.paper == MARGNET) == (q in (FIDELITY, QUERIES))
        ]
        for epsilon in case.epsilons:
            for quantity in quantities:
                theirs = published(case.paper, case.theirs, epsilon, quantity)
                for form in METHODS[case.paper]:
                    figures = figures_of(records, case.trial(form, epsilon))
                    values = _values(quantity, figures)
                    if values:
                        yield Compared(
                            case=case,
                            epsilon=epsilon,
                            quantity=quantity,
                            form=form,
                            ours=fmean(values),
                            runs=len(values),
                            theirs=theirs,
                        )


def _values(quantity: str, figures: Figures) -> list[float]:
    if quantity == FIDELITY:
        return list(figures.get("fidelity") or figures.get("tvd2", ()))
    name, factor = FIGURES[quantity]
    return [factor * value for value in figures.get(name, ())]


HOUR = 3600.0


@dataclass(frozen=True, kw_only=True)
class Speed:
    """Processor seconds of a published form and of another one on the same table at the same promise.
    `basis` says what the first rests on where it was not run whole."""

    table: str
    epsilon: float
    literal: float
    form: str
    seconds: float
    basis: str = ""

    def __str__(self) -> str:
        times = f"{self.literal / self.seconds:,.0f} times"
        told = f"{self.literal:,.0f} s" if self.literal < HOUR else f"{self.literal / HOUR:,.1f} h"
        how = f"extrapolated from {self.basis}" if self.basis else "measured"
        where = f"{self.table}, epsilon {self.epsilon:g}"
        return f"{where}: {LITERAL} {told} ({how}), {self.form} {self.seconds:.1f} s, {times}"


def speeds(records: Sequence[Record], cases: Sequence[Case]) -> Iterator[Speed]:
    """Of every form but the published one; what was not run is timed now."""
    for case in cases:
        for epsilon in case.epsilons:
            for form in METHODS[case.paper]:
                figures = figures_of(records, case.trial(form, epsilon))
                if form == LITERAL or "cpu_seconds" not in figures:
                    continue
                literal, basis = _literal_seconds(records, case, epsilon, figures)
                yield Speed(
                    table=case.ours,
                    epsilon=epsilon,
                    literal=literal,
                    form=form,
                    seconds=fmean(figures["cpu_seconds"]),
                    basis=basis,
                )


def _literal_seconds(
    records: Sequence[Record], case: Case, epsilon: float, fast: Figures
) -> tuple[float, str]:
    """Processor seconds of the published form, and what they are extrapolated from."""
    if case.paper == PRIVPGD:
        pace = particle_pace(case.ours)
        return pace.whole, f"epochs: {EPOCHS}, iterations of one projection: {ITERATIONS}"
    measured = figures_of(records, case.trial(LITERAL, epsilon)).get("cpu_seconds")
    if measured:
        return fmean(measured), ""
    options = case.options(epsilon)
    steps = options.get("steps", PUBLISHED_STEPS)
    rounds = fmean(fast["measurements"]) - len(find(case.ours).domain)
    seconds = (rounds + 2) * steps * network_pace(case.ours, options.get("batch", 0))
    return seconds, f"{STEPS} steps, {rounds:.0f} rounds as of the fast option, {steps} steps in each"


def wrong_on_real_rows(records: Sequence[Record], case: Case) -> list[float]:
    """What the wrong classes of a case are to be read against: one figure, or none that was measured."""
    trials = (case.trial(form, epsilon) for form in METHODS[case.paper] for epsilon in case.epsilons)
    found = [wrong for t in trials for wrong in figures_of(records, t).get("wrong_real", ())]
    return found[:1]


def in_columns(rows: Sequence[Sequence[str]]) -> str:
    """Words below each other."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(word.ljust(width) for word, width in zip(row, widths, strict=True)).rstrip() for row in rows
    )


def main(arguments: Sequence[str]) -> int:
    """Measure what is not measured yet, and print."""
    parser = argparse.ArgumentParser(
        prog="python -m synth.bench.published",
        description="MargNet and PrivPGD beside their papers' figures.",
    )
    parser.add_argument("--out", default="out/bench/published", help="default: out/bench/published")
    parser.add_argument("--runs", type=int, default=3, help="of a fast option (default: 3)")
    parser.add_argument("--tables", nargs="+", metavar="TABLE", help="of ours; default: all of them")
    parser.add_argument("--epsilons", nargs="+", type=float, help="default: all of the papers'")
    parser.add_argument("--print", action="store_true", help="only print what is measured, and time the rest")
    asked = parser.parse_args(arguments)
    keep_to(1)
    out = Path(asked.out)
    out.mkdir(parents=True, exist_ok=True)
    results = Results(out / "results.csv")
    chosen = [case for case in CASES if not asked.tables or case.ours in asked.tables]
    if not asked.print:
        trials = trials_of(chosen, runs=asked.runs)
        trials = [t for t in trials if not asked.epsilons or t.epsilon in asked.epsilons]
        trials = [going_on(trial, out / UNDER_WAY) for trial in trials]
        results.forget({trial.key for trial in trials if trial.folder} & results.failed())
        measure_all(trials, results, say)
    for paper in dict.fromkeys(case.paper for case in chosen):
        cases = [case for case in chosen if case.paper == paper]
        say(f"\n{paper}, delta {DELTA:g}\n")
        say(in_columns([HEADINGS, *(one.row for one in compared(results.records, cases))]))
        for case in cases:
            for wrong in wrong_on_real_rows(results.records, case):
                say(f"{case.ours}: taught on its own real rows the learner has {wrong:.3f} wrong.")
            say(f"{case.ours} stands beside {case.theirs}{': ' if case.remark else ''}{case.remark}.")
        for speed in speeds(results.records, cases):
            say(str(speed))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

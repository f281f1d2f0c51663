"""`python -m synth.bench.answers`: count how often the intervals of the analyst's kit hold.

Each run draws new rows from one invented distribution, releases them, and asks the same questions. The truth
about *these records* is counted in the rows, the truth about *the population* in a far larger draw. A file
has one line per answer, and more runs can be added later. Each printed line is a method, an epsilon and a
kind of question:

`answered`: the share of questions with an interval. `finite` and `population`: the shares of these intervals
that hold. `worst`: the lowest share for these records of a single question with at least `LEAST` answers.
`width`: the median width for the population, relative to that without privacy noise. `bounds`: the share of
bounds that hold, and `wide`: their median width as a share of the largest possible value.
"""

from __future__ import annotations

import argparse
import csv
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations, product
from pathlib import Path
from statistics import fmean, median
from typing import Any

import numpy as np
import pandas as pd

from synth.analyst.answers import Answer, Status
from synth.analyst.kit import Kit
from synth.analyst.measured import Measured
from synth.bench.trials.measure import say
from synth.core.accounting import limit_for
from synth.core.request import METHOD
from synth.core.schema import Column, Kind, Provenance, Schema, Unit
from synth.pipeline import release
from synth.private.ledger import Ledger
from synth.release.plan import Plan
from synth.rules import parse_rules

SIZES = {"a": 2, "b": 5, "c": 32, "d": 3, "e": 40, "f": 8, "g": 2, "h": 12}
BINS = {"c": 16, "e": 40}
"""Columns of whole numbers and their bins. A bin of the first contains two values, one of the second one."""

ROWS, POPULATION, LEAST, DELTA, SHARE = 5_000, 2_000_000, 50, 1e-9, 0.05
FIELDS = ("method", "epsilon", "run", "kind", "question", "status", "finite", "population", "width")

Given = Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class Question:
    """A question to the kit, and its truth in a table of values."""

    kind: str
    where: Given = field(default_factory=dict)
    among: Given = field(default_factory=dict)
    column: str = ""
    at: float = 0.0

    def ask(self, kit: Kit) -> Answer:
        if self.at:
            return kit.quantile(self.column, self.at, self.where)
        if self.column:
            found = kit.mean(self.column, self.where)
            assert isinstance(found, Answer)
            return found
        return kit.share(self.where, among=self.among) if self.among else kit.count(self.where)

    def truth(self, table: pd.DataFrame, rows: int) -> tuple[float, float]:
        """Return the true figure and the width of its interval without privacy noise. Counts are for a table
        with this number of rows.
        """
        group = table[_mark(table, self.among)]
        inside = _mark(group, self.where)
        part = rows * len(group) / len(table)
        if self.column:
            values = group.loc[inside, self.column]
            if self.at:
                return float(np.quantile(values, self.at, method="inverted_cdf")), 0.0
            return float(values.mean()), 3.92 * float(values.std()) / (part * float(inside.mean())) ** 0.5
        share = float(inside.mean())
        spread = 3.92 * (share * (1 - share) / part) ** 0.5
        return (share, spread) if self.among else (share * rows, spread * rows)


def _mark(table: pd.DataFrame, where: Given) -> Any:
    marks = np.ones(len(table), dtype=np.bool_)
    for name, given in where.items():
        values = table[name]
        marks &= values.between(*given) if isinstance(given, tuple) else values.isin(given)
    return marks


def questions() -> Iterator[Question]:
    """Yield the questions of every run, chosen with a fixed seed."""
    rng, names = np.random.default_rng(33), list(SIZES)

    def some(name: str) -> tuple[int, int] | list[int]:
        if name not in BINS:
            return sorted(rng.choice(SIZES[name], max(1, SIZES[name] // 2), replace=False).tolist())
        step = SIZES[name] // BINS[name]
        low, high = sorted(rng.choice(BINS[name] + 1, 2, replace=False).tolist())
        return low * step, high * step - 1

    for name in names:
        step, value = SIZES[name] // BINS.get(name, SIZES[name]), int(rng.integers(min(4, SIZES[name])))
        bin_of = (value * step, value * step + step - 1)
        yield Question(kind="one value", where={name: bin_of if name in BINS else [value]})
        yield Question(kind="several values", where={name: some(name)})
    for one, other in combinations(names, 2):
        yield Question(kind="two columns", where={one: some(one), other: some(other)})
        yield Question(kind="share of a group", where={one: some(one)}, among={other: some(other)})
    for name in BINS:
        kind = "bins" if SIZES[name] > BINS[name] else "values"
        yield Question(kind=f"mean from {kind}", column=name)
        for by in ("a", "b", "d", "f", "g"):
            yield Question(kind=f"mean of a group from {kind}", column=name, where={by: [0]})
        for at in (0.25, 0.5, 0.9):
            yield Question(kind="quantile", column=name, at=at)


def drawn(rows: int, rng: np.random.Generator) -> pd.DataFrame:
    """Return rows in which seven of ten values depend on the column to the left."""
    columns, before, width = dict[str, Any](), np.zeros(rows, dtype=np.int64), 1
    for name, size in SIZES.items():
        own = np.minimum(rng.geometric(3 / (size + 2), rows) - 1, size - 1)
        leans = rng.random(rows) < (0.7 if columns else 0.0)
        columns[name] = np.where(leans, (before * size // width + 1) % size, own)
        before, width = columns[name], size
    return pd.DataFrame(columns)


def schema() -> Schema:
    """Return the declaration of the invented table."""
    common: dict[str, Any] = {"blank": False, "provenance": Provenance.PUBLIC_DOCUMENT}
    columns = tuple(
        Column(name=name, kind=Kind.INTEGER, min=0, max=size - 1, bins=BINS[name], **common)
        if name in BINS
        else Column(name=name, kind=Kind.CATEGORY, values=tuple(range(size)), **common)
        for name, size in SIZES.items()
    )
    return Schema(name="invented", population="invented", unit=Unit(max_rows=1), columns=columns)


def kit_of(table: pd.DataFrame, *, method: str, epsilon: float, run: int) -> Kit:
    """Release a table and return the kit of its measurements, without writing a package."""
    declared = schema()
    plan = Plan(
        schema=declared,
        rules=parse_rules([], declared),
        epsilon=epsilon,
        delta=DELTA,
        method=method,
        verdict=SHARE,
        seed=run,
    )
    with tempfile.TemporaryDirectory() as folder:
        data, ledger = Path(folder) / "invented.csv", Ledger(Path(folder) / "ledger.sqlite")
        table.to_csv(data, index=False)
        limit, protects = limit_for(epsilon, DELTA), declared.protects
        ledger.open_population("invented", units=limit, reason="invented data", protects=protects)
        made = release(plan, data=data, ledger=ledger, run="answers")
        ledger.close()
    evidence, checks = made.evidence, made.checks.to_json()
    return Kit(Measured(evidence=evidence, spec={}, generator="", checks=checks, rows=lambda: made.table))


def asked(
    method: str, epsilon: float, run: int, population: Sequence[tuple[float, float]]
) -> Iterator[dict[str, Any]]:
    """Release new rows and yield one line per question, given its truth about the population."""
    table = drawn(ROWS, np.random.default_rng([34, run]))
    kit = kit_of(table, method=method, epsilon=epsilon, run=run)
    for number, question in enumerate(questions()):
        answer = question.ask(kit)
        line = {"method": method, "epsilon": epsilon, "run": run, "kind": question.kind, "question": number}
        line["status"] = answer.status.value
        if answer.interval is not None:
            (low, high), (true, _) = answer.interval, question.truth(table, ROWS)
            line["finite"] = int(low <= true <= high)
            line["width"] = (high - low) / (1 if question.among else ROWS)
        if answer.population is not None:
            (low, high), (true, width) = answer.population, population[number]
            line["population"] = int(low <= true <= high)
            line["width"] = (high - low) / width if width else ""
        yield line


def summary(lines: Sequence[Mapping[str, str]]) -> Iterator[str]:
    """Yield a line per method, epsilon and kind of question."""
    groups = defaultdict[tuple[str, ...], list[Mapping[str, str]]](list)
    for line in lines:
        groups[line["method"], line["epsilon"], line["kind"]].append(line)
    for (method, epsilon, kind), some in groups.items():
        found = [line for line in some if line["status"] == Status.INTERVAL]
        bounds = [line for line in some if line["status"] == Status.BOUND]
        single = defaultdict[str, list[int]](list)
        for line in found:
            single[line["question"]].append(int(line["finite"]))
        widths = [float(line["width"]) for line in found if line["width"]]
        worst = [fmean(held) for held in single.values() if len(held) >= LEAST]
        figures = {
            "answered": f"{len(found) / len(some):.2f}",
            "finite": f"{fmean(int(x['finite']) for x in found):.3f}" if found else "-",
            "population": f"{fmean(int(x['population']) for x in found):.3f}" if found else "-",
            "worst": f"{min(worst):.2f} of {len(worst)}" if worst else "-",
            "width": f"{median(widths):.2f}" if widths else "-",
            "bounds": f"{fmean(int(x['finite']) for x in bounds):.3f}" if bounds else "-",
            "wide": f"{median(float(x['width']) for x in bounds):.2f}" if bounds else "-",
        }
        yield f"{method}, epsilon {epsilon}, {kind}: " + ", ".join(f"{n} {x}" for n, x in figures.items())


def _lines(place: Path) -> list[dict[str, str]]:
    with place.open(newline="") as file:
        return list(csv.DictReader(file))


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m synth.bench.answers", description=__doc__)
    parser.add_argument("--epsilons", nargs="+", type=float, default=(0.5, 1.0, 3.0))
    parser.add_argument("--methods", nargs="+", default=(METHOD, "grove", "aim"))
    parser.add_argument("--runs", type=int, default=100)
    parser.add_argument("--out", type=Path, default=Path("out/bench/answers.csv"), metavar="FILE")
    given = parser.parse_args(arguments)
    given.out.parent.mkdir(parents=True, exist_ok=True)
    is_new = not given.out.exists()
    lines = [] if is_new else _lines(given.out)
    done = {(line["method"], float(line["epsilon"]), int(line["run"])) for line in lines}
    whole = drawn(POPULATION, np.random.default_rng(35))
    population = [question.truth(whole, ROWS) for question in questions()]
    with given.out.open("a", newline="") as file:
        writer = csv.DictWriter(file, FIELDS)
        if is_new:
            writer.writeheader()
        for run, method, epsilon in product(range(given.runs), given.methods, given.epsilons):
            if (method, epsilon, run) not in done:
                writer.writerows(asked(method, epsilon, run, population))
                file.flush()
    for line in summary(_lines(given.out)):
        say(line)
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))

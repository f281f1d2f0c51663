"""`python -m synth bench --preset inference`: count how often the intervals of the analyst's kit hold.

Each run draws a bootstrap sample of a public table (the same number of rows, with replacement), releases it,
and asks the same questions. The truth about *these records* is counted in the drawn rows, and the truth about
*the population* in the whole table. `invented` has 5,000 rows, drawn from two million. A release spends 20%
of its budget on a linear and 20% on a logistic regression of the same columns, and 5% on its accuracy check.
Each cell of the grid has a file with one line per release, so that more runs can be added later.

`null slope`: the values of the first regressor are shuffled among the rows, and the sums and scores are
measured again. Scores start from the synthetic rows with this column shuffled. `bench.report.intervals`
describes the output.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, replace
from functools import cached_property, partial
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from synth.analyst.answers import Answer, Status
from synth.analyst.kit import Kit
from synth.analyst.measured import Measured
from synth.bench.answers import ROWS, Question, Rows, Z, drawn, questions, schema
from synth.bench.presets import Preset
from synth.bench.regressions import FORMULA, least_squares, likeliest, slopes_of
from synth.bench.report.intervals import NULL, REGRESSIONS, Cell, Held, figures, tables
from synth.bench.tables.tables import find
from synth.bench.trials.measure import say
from synth.core.accounting import limit_for
from synth.core.axis import Axis
from synth.core.columns.published import Modelled
from synth.core.discretisation import resolve_axes
from synth.core.errors import Mistake
from synth.core.measurements.logistic import started
from synth.core.schema import Schema
from synth.dictionaries import dump_schema
from synth.estimates.estimated import Span
from synth.pipeline import release
from synth.private.frame import Frame
from synth.private.ledger import Ledger
from synth.release.codes import columns_on
from synth.release.plan import Plan
from synth.release.synthesis import Synthesis
from synth.rules import parse_rules

INVENTED, POPULATION = "invented", 2_000_000
FORMULAS = {
    "adult": FORMULA,
    "bank": "y ~ age + duration + housing + loan",
    "nltcs": "telephoning ~ eating + bathing + cooking + traveling",
    INVENTED: "g ~ a + c + e",
}
REGRESSION_SHARE, VERDICT_SHARE = 0.2, 0.05

Places = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Source:
    """A table from which private rows are drawn."""

    name: str
    schema: Schema
    table: pd.DataFrame
    size: int

    @staticmethod
    def of(name: str) -> Source:
        if name == INVENTED:
            return Source(name, schema(), drawn(POPULATION, np.random.default_rng(35)), ROWS)
        found = find(name)
        table = pd.read_csv(found.csv)
        return Source(name, found.schema, table, len(table))

    @cached_property
    def axes(self) -> tuple[Axis, ...]:
        return resolve_axes(self.schema, parse_rules([], self.schema))

    @cached_property
    def rows(self) -> Rows:
        return Rows.of(self.table, self.axes)

    def plan(self, method: str, epsilon: float, run: int, delta: float) -> Plan:
        formula = FORMULAS[self.name]
        return Plan(
            schema=self.schema,
            rules=parse_rules([], self.schema),
            epsilon=epsilon,
            delta=delta,
            method=method,
            verdict=VERDICT_SHARE,
            means=(formula, f"logistic {formula}"),
            means_share=2 * REGRESSION_SHARE,
            seed=run,
        )

    @cached_property
    def lattice(self) -> Places:
        """Return the columns of the regressions, in the codes of their lattices. Shapes: int64[rows,
        columns].
        """
        return _stacked(self.table, self.plan("grove", 1.0, 0, 1e-9).sums[1])

    @cached_property
    def questions(self) -> tuple[Question, ...]:
        return tuple(questions(self.axes))

    @cached_property
    def truths(self) -> list[float]:
        found = [question.plain(self.rows, scale=self.size) for question in self.questions]
        return [np.nan if one is None else one[0] for one in found]

    @cached_property
    def slopes(self) -> list[NDArray[np.float64]]:
        """Return the slopes of the linear and the logistic regression."""
        plan = self.plan("grove", 1.0, 0, 1e-9)
        return [fit(_single(plan, i), self.lattice)[0] for i, fit in enumerate((least_squares, likeliest))]

    def requested(self, method: str, epsilon: float, run: int, delta: float) -> Iterator[Held]:
        """Release a sample of rows, and yield the comparison of each answer with the truth."""
        rng = np.random.default_rng([33, run])
        places = rng.integers(0, len(self.table), self.size)
        plan = self.plan(method, epsilon, run, delta)
        made = released(plan, self.table.iloc[places])
        kit = Kit(
            Measured(
                evidence=made.evidence,
                spec={"schema": dump_schema(made.schema), "rules": []},
                generator=made.generator,
                checks=made.checks.to_json(),
                rows=partial(Modelled, made.table, made.schema),
            )
        )
        rows, synthetic = self.rows.at(places), Rows.of(made.table, self.axes)
        for number, question in enumerate(self.questions):
            own, naive = (question.plain(one, scale=self.size) for one in (rows, synthetic))
            if own is None:
                continue
            yield _held(question.kind, number, question.ask(kit), own, self.truths[number], naive)
        yield from self._regressions(plan, made, kit, self.lattice[places], rng)

    def _regressions(
        self, plan: Plan, made: Synthesis, kit: Kit, codes: Places, rng: np.random.Generator
    ) -> Iterator[Held]:
        synthetic = columns_on(made.table, plan.sums[1])
        shuffled, first = codes.copy(), [a.name for a in plan.sums[1]].index(plan.sums[0][0].terms[0].column)
        shuffled[:, first] = rng.permutation(shuffled[:, first])
        null = {**synthetic, plan.sums[1][first].name: rng.permutation(synthetic[plan.sums[1][first].name])}
        fits, asks = (least_squares, likeliest), (kit.regression, kit.logistic)
        for i, (kind, fit, ask) in enumerate(zip(REGRESSIONS, fits, asks, strict=True)):
            single = _single(plan, i)
            own, naive = (
                _spans(*fit(single, one)) for one in (codes, np.column_stack([*synthetic.values()]))
            )
            answers = ask(FORMULAS[self.name])[1:]
            for k, answer in enumerate(answers):
                yield _held(f"{kind} regression", k, answer, own[k], float(self.slopes[i][k]), naive[k])
            start = (started(single.sums[0][0], null), null) if i else None
            slope = slopes_of(single, shuffled, start)[0]
            holds = None if slope is None else slope.population[0] <= 0 <= slope.population[1]
            status = Status.REFUSED if holds is None else Status.INTERVAL
            yield Held(kind=f"{NULL}, {kind}", question=0, status=status.value, population=holds)


def _single(plan: Plan, which: int) -> Plan:
    """Return a plan with only one of the regressions, at the same cost."""
    return replace(plan, means=plan.means[which : which + 1], means_share=REGRESSION_SHARE)


def _stacked(table: pd.DataFrame, axes: Sequence[Axis]) -> Places:
    return np.column_stack([*columns_on(table, axes).values()])


def _spans(values: NDArray[np.float64], errors: NDArray[np.float64]) -> list[tuple[float, float, float]]:
    return [(v, v - Z * e, v + Z * e) for v, e in zip(values.tolist(), errors.tolist(), strict=True)]


def _held(
    kind: str,
    number: int,
    answer: Answer,
    own: tuple[float, float, float],
    truth: float,
    naive: tuple[float, float, float] | None,
) -> Held:
    """Compare an answer with the drawn rows (`own`), the population (`truth`) and the synthetic rows
    (`naive`).
    """
    usual, (_, low, high) = own[2] - own[1], naive or (0.0, 0.0, -1.0)
    found = Held(
        kind=kind,
        question=number,
        status=answer.status.value,
        records=_has(answer.interval, own[0]),
        population=_has(answer.population, truth),
        naive=low <= truth <= high,
    )
    if usual > 0:
        found = replace(found, naive_width=max(high - low, 0.0) / usual)
        if answer.population is not None:
            found = replace(found, width=(answer.population[1] - answer.population[0]) / usual)
    return found


def _has(span: Span | None, truth: float) -> bool | None:
    return None if span is None else bool(span[0] <= truth <= span[1])


def released(plan: Plan, table: pd.DataFrame) -> Synthesis:
    """Release a table with a separate ledger, without writing a package."""
    limit, declared = limit_for(plan.epsilon, plan.delta), plan.schema
    with tempfile.TemporaryDirectory() as folder, closing(Ledger(Path(folder) / "ledger.sqlite")) as ledger:
        ledger.open_population(
            declared.population, units=limit, reason="benchmark on public data", protects=declared.protects
        )
        return release(plan, data=Frame(table.reset_index(drop=True)), ledger=ledger, run="inference")


def check_known(name: str) -> None:
    """Check that a regression is defined for a table. Raises: `Mistake` if there is none."""
    if name not in FORMULAS:
        raise Mistake(f"No regression is known for {name!r}. Choose one of: {', '.join(FORMULAS)}.")


def measure(preset: Preset, out: Path, tell: Callable[[str], object]) -> dict[Cell, dict[int, list[Held]]]:
    """Measure the missing releases of a grid, alternating between its cells, and return the results of all
    releases.
    """
    cells = [Cell(*cell) for cell in product(preset.sets, preset.epsilons, preset.methods)]
    files = {c: out / f"{c.table}, epsilon {c.epsilon:g}, {c.method}.jsonl" for c in cells}
    done = {cell: _read(file) for cell, file in files.items()}
    sources = dict[str, Source]()
    for run, cell in product(range(preset.repeats), cells):
        if run not in done[cell]:
            tell(f"{files[cell].stem}, run {run}")
            source = sources.get(cell.table) or sources.setdefault(cell.table, Source.of(cell.table))
            held = list(source.requested(cell.method, cell.epsilon, run, preset.delta))
            with files[cell].open("a", encoding="utf-8") as file:
                file.write(json.dumps([run, [_known(one) for one in held]]) + "\n")
            done[cell][run] = held
    return done


def _known(one: Held) -> dict[str, Any]:
    return {name: value for name, value in asdict(one).items() if value is not None}


def _read(file: Path) -> dict[int, list[Held]]:
    """Return the stored results of each run. The last line is ignored if it is incomplete."""
    if not file.is_file():
        return {}
    text = file.read_text(encoding="utf-8")
    kept = text[: text.rfind("\n") + 1]
    if kept != text:
        file.write_text(kept, encoding="utf-8")
    runs = map(json.loads, kept.splitlines())
    return {run: [Held(**one) for one in held] for run, held in runs}


def run(preset: Preset, out: Path, *, as_json: bool) -> int:
    """Measure a grid and print its tables."""
    cells = measure(preset, out, (lambda line: None) if as_json else say)
    if as_json:
        for cell, runs in cells.items():
            for kind in dict.fromkeys(one.kind for held in runs.values() for one in held):
                some = [one for held in runs.values() for one in held if one.kind == kind]
                say(json.dumps({**asdict(cell), "releases": len(runs), "kind": kind, **figures(some)}))
        return 0
    for line in tables(cells):
        say(line)
    return 0

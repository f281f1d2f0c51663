"""Every figure that a benchmark knows, one entry each: what it is called, and how it is measured.

A metric of a synthetic table has a `measure`, and every criterion of `evaluate.criteria` is one; times,
memory and what bounds do come from the run itself and only have names. *Usual* metrics take seconds even on
wide tables; *dear* ones are measured where *all* are asked for; *none* asks for times alone, *learners* for
errors of pairs, queries and what the learners score. Learners that are taught on the synthetic rows are
taught on the real ones too (`..._real`), with the hyper-parameters of `bench.tuning` on tables for which
there are any, else as installed; one whose package is not installed has None, and a mean over learners is
over those that are there, whose own figures stand beside it. Errors `..._apart` are against the rows held
out, as the benchmark paper has them. The tables are public, so true errors may be printed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from synth.bench.tables.tables import BenchTable, read, read_held_out, read_held_out_values, read_values
from synth.bench.tuning import LEARNERS, TITLES, options_of
from synth.core.axis import ordered_codes
from synth.core.errors import Mistake
from synth.core.table import CodeTable
from synth.evaluate.covariance import covariance_error
from synth.evaluate.criteria import CRITERIA, Criterion, TablePair
from synth.evaluate.fidelity import Fidelity, Yardstick
from synth.evaluate.learners import missing_package
from synth.evaluate.levels import fidelity_error
from synth.evaluate.prefixes import prefix_errors
from synth.evaluate.sliced import sliced_distance
from synth.evaluate.utility import utility
from synth.evaluate.workload import workload_error
from synth.mechanisms.selection.workload import Workload
from synth.release.decode import decode

NONE, USUAL, ALL, TAUGHT = "none", "usual", "all", "learners"

BOOSTING = "boosting"
"""That of PrivPGD."""

NEIGHBOURS = "neighbours"
"""That which sees any structure near by, of however many columns."""

Figures = dict[str, float | None]


@dataclass(frozen=True, kw_only=True, eq=False)
class Rows:
    """Real rows that synthetic ones are compared with, as codes and, where a table has them, as values."""

    codes: CodeTable
    values: pd.DataFrame | None

    @cached_property
    def yardstick(self) -> Yardstick:
        return Yardstick(self.codes)


class Judge:
    """One real table, read once. Raises: `Mistake` for an unknown extent of metrics."""

    def __init__(self, table: BenchTable, workload: Workload, *, metrics: str = USUAL) -> None:
        check_metrics(metrics)
        named = frozenset(EXTENTS.get(metrics, metrics).split("+") if metrics not in (USUAL, ALL) else ())
        self.table, self.workload = table, workload
        self.real: CodeTable = read(table)
        self.values = read_values(table) if table.as_values else None
        self.yardstick = Yardstick(self.real)
        self.ordered = frozenset(ordered_codes(table.axes))
        self.held_out = read_held_out(table) if metrics != USUAL and table.target else None
        self._scores: dict[str, dict[str, float]] = {}
        self._asked = [
            (metric.name, metric.measure)
            for metric in METRICS
            if metric.measure
            and metric.applies(self)
            and (metric.name in named if named else metrics == ALL or not metric.dear)
        ]

    def figures(self, synthetic: CodeTable, values: pd.DataFrame | None = None, *, seed: int = 0) -> Figures:
        """All metrics of one synthetic table. Without `values`, values are drawn from the codes' bins."""
        judged = Judged(self, synthetic, values, seed)
        return {name: measure(judged) for name, measure in self._asked}

    def scores(self, learner: str) -> dict[str, float]:
        """What a learner scores that was taught on the real rows."""
        if learner not in self._scores:
            self._scores[learner] = self.scores_of(self.real, learner)
        return self._scores[learner]

    def scores_of(self, rows: CodeTable, learner: str) -> dict[str, float]:
        """Scores on held-out rows of a learner taught with these rows; none of one that is not installed."""
        assert self.table.target is not None and self.held_out is not None
        if missing_package(learner) is not None:
            return {}
        return utility(
            self.table.target,
            synthetic=rows,
            held_out=self.held_out,
            ordered=self.ordered,
            learner=learner,
            options=options_of(self.table.name, learner),
        ).synthetic

    @cached_property
    def apart(self) -> Rows:
        """The rows held out, in the place of those that the table was made from."""
        assert self.held_out is not None
        return Rows(codes=self.held_out, values=read_held_out_values(self.table))


class Judged:
    """One synthetic table before its judge; what several metrics need is computed once."""

    def __init__(self, judge: Judge, synthetic: CodeTable, values: pd.DataFrame | None, seed: int) -> None:
        self.judge, self.synthetic = judge, synthetic
        self._values, self._seed = values, seed
        self._scores: dict[str, dict[str, float]] = {}

    @cached_property
    def values(self) -> pd.DataFrame:
        if self._values is not None:
            return self._values
        codes = np.asarray(self.synthetic.codes, dtype=np.int64)
        return decode(codes, self.judge.table.axes, np.random.default_rng(self._seed))

    @cached_property
    def tvd(self) -> Fidelity:
        return self.judge.yardstick.fidelity(self.synthetic)

    @cached_property
    def comparison(self) -> TablePair:
        return TablePair(real=self.judge.real, synthetic=self.synthetic, ordered=self.judge.ordered)

    def scores(self, learner: str) -> dict[str, float]:
        if learner not in self._scores:
            self._scores[learner] = self.judge.scores_of(self.synthetic, learner)
        return self._scores[learner]

    @cached_property
    def prefix_errors(self) -> tuple[float, ...]:
        return self._prefix_errors(Rows(codes=self.judge.real, values=self.judge.values))

    @cached_property
    def prefix_errors_apart(self) -> tuple[float, ...]:
        return self._prefix_errors(self.judge.apart)

    def _prefix_errors(self, rows: Rows) -> tuple[float, ...]:
        """Of queries over one, two and three columns: of values where the table has them, else of codes."""
        if rows.values is not None:
            return prefix_errors(rows.values, self.values, numeric=self._numeric)
        real, synthetic = (
            pd.DataFrame(t.codes, columns=pd.Index(t.domain.names)) for t in (rows.codes, self.synthetic)
        )
        return prefix_errors(real, synthetic, numeric=self.judge.ordered)

    @property
    def _numeric(self) -> frozenset[str]:
        return frozenset(axis.name for axis in self.judge.table.axes if axis.edges)

    def workload_error(self) -> float:
        return workload_error(self.judge.real, self.synthetic, self.judge.workload)

    def fidelity(self) -> float:
        assert self.judge.values is not None
        return fidelity_error(self.judge.values, self.values, numeric=self._numeric)

    def fidelity_apart(self) -> float:
        """Of values where the table has them, else of codes, which are its values."""
        apart = self.judge.apart
        if apart.values is not None:
            return fidelity_error(apart.values, self.values, numeric=self._numeric)
        return apart.yardstick.mean_of(self.synthetic, 2)

    def macro_f1(self, *, on_real: bool) -> float | None:
        """The mean over the benchmark's learners that are installed; None without any, or of a number."""
        scores = (self.judge.scores(one) if on_real else self.scores(one) for one in LEARNERS)
        found = [score["f1"] for score in scores if "f1" in score]
        return float(np.mean(found)) if found else None

    def violations(self) -> float:
        """How many of the table's rules a row breaks on average."""
        assert self.judge.table.rules is not None
        return sum(self.judge.table.rules.violations(self.values).values()) / len(self.values)


@dataclass(frozen=True)
class Metric:
    """One figure of a run.

    `heading` stands in the report's tables and `short` in the terminal's (which leaves out what has none);
    `phrase` is what sentences and charts call it, `form` and `unit` how its mean is written. `measure` is
    asked for tables to which the metric `applies`.
    """

    name: str
    heading: str
    _: KW_ONLY
    short: str = ""
    phrase: str = ""
    form: str = ".4f"
    unit: str = ""
    measure: Callable[[Judged], float | None] | None = None
    applies: Callable[[Judge], bool] = lambda judge: True
    dear: bool = False

    @property
    def is_error(self) -> bool:
        """Less is better, and the spread over runs is stated."""
        return self.measure is not None and self.phrase != ""


def _has_values(judge: Judge) -> bool:
    return judge.values is not None


def _has_rules(judge: Judge) -> bool:
    return judge.values is not None and judge.table.rules is not None


def _has_held_out(judge: Judge) -> bool:
    return judge.held_out is not None


def _learner(learner: str, score: str, *, on_real: bool) -> Metric:
    def measure(judged: Judged) -> float | None:
        scores = judged.judge.scores(learner) if on_real else judged.scores(learner)
        return scores.get(score)

    return Metric(
        f"{score}_{learner}{'_real' if on_real else ''}",
        f"{score.upper()} {TITLES[learner]}{', real rows' if on_real else ''}",
        form=".3f",
        measure=measure,
        applies=_has_held_out,
        dear=True,
    )


def _many_ways(k: int) -> Metric:
    return Metric(
        f"tvd{k}",
        f"TVD {k}-way",
        phrase=f"{k}-way TVD",
        measure=lambda judged: judged.judge.yardstick.mean_of(judged.synthetic, k),
        applies=lambda judge: len(judge.real.domain) >= k,
        dear=True,
    )


def _right(on_real: bool) -> Metric:
    """The share of rows that the nearest neighbours put into the right class."""

    def measure(judged: Judged) -> float | None:
        scores = judged.judge.scores(NEIGHBOURS) if on_real else judged.scores(NEIGHBOURS)
        return scores.get("accuracy")

    return Metric(
        f"accuracy_{NEIGHBOURS}{'_real' if on_real else ''}",
        f"right by 5-NN{', real rows' if on_real else ''}",
        short="" if on_real else "5-NN",
        form=".3f",
        measure=measure,
        applies=_has_held_out,
        dear=True,
    )


def _wrong(scores: dict[str, float]) -> float | None:
    """The share of rows that a learner puts into the wrong class; None of a target that is a number."""
    return 1.0 - scores["accuracy"] if "accuracy" in scores else None


def _criterion(criterion: Criterion) -> Metric:
    return Metric(
        criterion.name,
        criterion.heading,
        measure=lambda judged: criterion.measure(judged.comparison),
        dear=True,
    )


METRICS = (
    Metric("tvd1", "TVD 1-way", measure=lambda j: j.tvd.mean1),
    Metric("tvd2", "TVD 2-way", short="TVD2", phrase="2-way TVD", measure=lambda j: j.tvd.mean2),
    Metric("tvd3", "TVD 3-way", short="TVD3", phrase="3-way TVD", measure=lambda j: j.tvd.mean3),
    *map(_many_ways, (4, 5, 6, 7)),
    Metric(
        "workload_error",
        "workload error",
        short="workload",
        phrase="workload error",
        measure=Judged.workload_error,
    ),
    Metric(
        "fidelity",
        "fidelity error",
        short="fidelity",
        phrase="fidelity error",
        measure=Judged.fidelity,
        applies=_has_values,
    ),
    Metric("covariance", "covariance", measure=lambda j: covariance_error(j.judge.real, j.synthetic)),
    Metric(
        "sw1", "sliced distance", form=".5f", measure=lambda j: sliced_distance(j.judge.real, j.synthetic)
    ),
    *map(_criterion, CRITERIA),
    Metric(
        "query_error", "queries as published", measure=lambda j: float(np.mean(j.prefix_errors)), dear=True
    ),
    Metric("query_error3", "3-way, as published", measure=lambda j: j.prefix_errors[-1], dear=True),
    Metric(
        "fidelity_apart",
        "fidelity, held-out rows",
        measure=Judged.fidelity_apart,
        applies=_has_held_out,
        dear=True,
    ),
    Metric(
        "query_error_apart",
        "queries, held-out rows",
        measure=lambda j: float(np.mean(j.prefix_errors_apart)),
        applies=_has_held_out,
        dear=True,
    ),
    Metric(
        "query_error3_apart",
        "3-way, held-out rows",
        measure=lambda j: j.prefix_errors_apart[-1],
        applies=_has_held_out,
        dear=True,
    ),
    Metric(
        "wrong",
        "wrong classes",
        form=".3f",
        measure=lambda j: _wrong(j.scores(BOOSTING)),
        applies=_has_held_out,
        dear=True,
    ),
    Metric(
        "wrong_real",
        "wrong classes, real rows",
        form=".3f",
        measure=lambda j: _wrong(j.judge.scores(BOOSTING)),
        applies=_has_held_out,
        dear=True,
    ),
    *map(_right, (False, True)),
    Metric(
        "macro_f1",
        "macro-F1",
        short="macro-F1",
        form=".3f",
        measure=lambda j: j.macro_f1(on_real=False),
        applies=_has_held_out,
        dear=True,
    ),
    Metric(
        "macro_f1_real",
        "macro-F1, real rows",
        short="on real",
        form=".3f",
        measure=lambda j: j.macro_f1(on_real=True),
        applies=_has_held_out,
        dear=True,
    ),
    *(
        _learner(learner, score, on_real=on_real)
        for learner in LEARNERS
        for score in ("f1", "auc")
        for on_real in (False, True)
    ),
    Metric(
        "violations",
        "broken rules a row",
        short="broken",
        form=".5f",
        measure=Judged.violations,
        applies=_has_rules,
    ),
    Metric("seconds", "seconds", short="seconds", phrase="time", form=".2f", unit=" s"),
    Metric("cpu_seconds", "CPU s", short="CPU s", phrase="CPU time", form=".2f", unit=" s"),
    Metric("peak_mb", "peak MB", short="peak MB", phrase="peak memory", form=".0f", unit=" MB"),
    Metric("process_seconds", "process s", form=".1f"),
    Metric("command_seconds", "command s", short="cmd s", form=".1f"),
    Metric("command_peak_mb", "command MB", short="cmd MB", form=".0f"),
    Metric("covered", "covered", short="covered", form=".3f"),
    Metric("covered_measured", "covered, measured", form=".3f"),
    Metric("covered_inferred", "covered, inferred", form=".3f"),
    Metric("loose_measured", "loose, measured", short="loose m", form=".1f"),
    Metric("loose_inferred", "loose, inferred", short="loose i", form=".1f"),
    Metric("bins", "bins of a range", short="bins", form=".1f"),
    Metric("measurements", "measurements", form=".0f"),
    Metric("model_cells", "cells of the model", form=",.0f"),
)
"""In the order of a table's columns."""

BY_NAME = {metric.name: metric for metric in METRICS}

_TAUGHT = [
    *("tvd1", "tvd2", "tvd3", "fidelity", "conjunction", "query_error", "query_error3"),
    *("fidelity_apart", "query_error_apart", "query_error3_apart", "macro_f1", "macro_f1_real"),
    *(f"f1_{learner}{real}" for learner in LEARNERS for real in ("", "_real")),
]
EXTENTS = {TAUGHT: "+".join(_TAUGHT)}
"""Extents that are lists of names."""


def check_metrics(metrics: str) -> None:
    """Raises: `Mistake` for an extent that there is none of, or a name of no metric."""
    if metrics in (NONE, USUAL, ALL, *EXTENTS):
        return
    unknown = [name for name in metrics.split("+") if name not in BY_NAME]
    if unknown:
        raise Mistake(
            f"There are no metrics {metrics!r}. Choose one of: {', '.join((NONE, USUAL, ALL, *EXTENTS))}; "
            "or a+b by names."
        )

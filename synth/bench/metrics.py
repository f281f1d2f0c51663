"""Define the metrics of a benchmark: their names and how they are measured.

A metric of a synthetic table has a `measure`. Every criterion of `evaluate.criteria` is such a metric. Times,
memory and the coverage of bounds come from the run itself. *Usual* metrics take seconds even on wide tables;
*slow* ones are measured only if *all* metrics are requested or if they are named. Learners are trained on
synthetic rows and on real rows (`..._real`), and tested on rows that no run used. The tables are public, so
true errors can be printed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from synth.bench.tables.tables import BenchTable, read, read_held_out, read_values
from synth.core.axis import ordered_codes
from synth.core.errors import Mistake
from synth.core.graphs.workload import Workload
from synth.core.table import CodeTable
from synth.evaluate.covariance import covariance_error
from synth.evaluate.criteria import CRITERIA, Criterion, TablePair
from synth.evaluate.fidelity import Fidelity, Yardstick
from synth.evaluate.learners import is_installed
from synth.evaluate.levels import fidelity_error
from synth.evaluate.prefixes import prefix_errors
from synth.evaluate.sliced import sliced_distance
from synth.evaluate.utility import utility
from synth.evaluate.workload import workload_error
from synth.release.decode import decode

NONE, USUAL, ALL = "none", "usual", "all"
LEARNERS = {
    "boosting": "boosted trees",
    "neighbours": "5-NN",
    "forest": "random forest",
    "mlp": "neural network",
    "catboost": "CatBoost",
    "xgboost": "XGBoost",
}

Figures = dict[str, float | None]


class Judge:
    """A real table with which synthetic tables are compared. Raises: `Mistake` for an unknown metric."""

    def __init__(self, table: BenchTable, workload: Workload, *, metrics: str = USUAL) -> None:
        check_metrics(metrics)
        named = metrics.split("+") if metrics not in (USUAL, ALL) else []
        self.table, self.workload = table, workload
        self.real: CodeTable = read(table)
        self.values = read_values(table) if table.as_values else None
        self.yardstick = Yardstick(self.real)
        self.ordered = frozenset(ordered_codes(table.axes))
        self.held_out = read_held_out(table) if metrics != USUAL and table.target else None
        self._scores: dict[str, dict[str, float]] = {}
        self._requested = [
            (metric.name, metric.measure)
            for metric in METRICS
            if metric.measure
            and metric.applies(self)
            and (metric.name in named if named else metrics == ALL or not metric.slow)
        ]

    def figures(self, synthetic: CodeTable, values: pd.DataFrame | None = None, *, seed: int = 0) -> Figures:
        """Return all metrics of one synthetic table. If `values` is not given, values are drawn from the bins
        of the codes.
        """
        judged = Judged(self, synthetic, values, seed)
        return {name: measure(judged) for name, measure in self._requested}

    def scores(self, learner: str) -> dict[str, float]:
        """Return the scores of a learner that was trained on the real rows."""
        if learner not in self._scores:
            self._scores[learner] = self.scores_of(self.real, learner)
        return self._scores[learner]

    def scores_of(self, rows: CodeTable, learner: str) -> dict[str, float]:
        """Return the scores on held-out rows of a learner that was trained on these rows."""
        assert self.table.target is not None and self.held_out is not None
        if not is_installed(learner):
            return {}
        found = utility(
            self.table.target, synthetic=rows, held_out=self.held_out, ordered=self.ordered, learner=learner
        )
        return found.synthetic


class Judged:
    """A synthetic table and the real table with which it is compared.

    Intermediate results that several metrics need are computed only once.
    """

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
        """Return the errors of queries over one, two and three columns: for values if the table has values,
        otherwise for codes.
        """
        if self.judge.values is not None:
            return prefix_errors(self.judge.values, self.values, numeric=self._numeric)
        real, synthetic = (
            pd.DataFrame(t.codes, columns=pd.Index(t.domain.names)) for t in (self.judge.real, self.synthetic)
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

    def violations(self) -> float:
        """Return the mean number of rules that a row violates."""
        assert self.judge.table.rules is not None
        return sum(self.judge.table.rules.violations(self.values).values()) / len(self.values)


@dataclass(frozen=True)
class Metric:
    """One figure of a run.

    `heading` is its name in the tables of a report. `phrase` is its name in sentences and charts; it is empty
    if the metric does not appear there. `form` and `unit` format its mean. `measure` is called for tables to
    which the metric `applies`.
    """

    name: str
    heading: str
    _: KW_ONLY
    phrase: str = ""
    form: str = ".4f"
    unit: str = ""
    measure: Callable[[Judged], float | None] | None = None
    applies: Callable[[Judge], bool] = lambda judge: True
    slow: bool = False

    @property
    def is_error(self) -> bool:
        """Whether lower values are better. If they are, the spread over runs is also printed."""
        return self.measure is not None and self.phrase != ""


def _many_ways(k: int) -> Metric:
    return Metric(
        f"tvd{k}",
        f"TVD {k}-way",
        phrase=f"{k}-way TVD",
        measure=lambda judged: judged.judge.yardstick.mean_of(judged.synthetic, k),
        applies=lambda judge: len(judge.real.domain) >= k,
        slow=True,
    )


def _criterion(criterion: Criterion) -> Metric:
    return Metric(
        criterion.name,
        criterion.heading,
        measure=lambda judged: criterion.measure(judged.comparison),
        slow=True,
    )


def _learner(learner: str, score: str, *, on_real: bool) -> Metric:
    def measure(judged: Judged) -> float | None:
        return (judged.judge if on_real else judged).scores(learner).get(score)

    return Metric(
        f"{score}_{learner}{'_real' if on_real else ''}",
        f"{score} of {LEARNERS[learner]}{', real rows' if on_real else ''}",
        form=".3f",
        measure=measure,
        applies=lambda judge: judge.held_out is not None,
        slow=True,
    )


METRICS = (
    Metric("tvd1", "TVD 1-way", measure=lambda j: j.tvd.mean1),
    Metric("tvd2", "TVD 2-way", phrase="2-way TVD", measure=lambda j: j.tvd.mean2),
    Metric("tvd3", "TVD 3-way", phrase="3-way TVD", measure=lambda j: j.tvd.mean3),
    *map(_many_ways, (4, 5, 6, 7)),
    Metric("workload_error", "workload error", phrase="workload error", measure=Judged.workload_error),
    Metric(
        "fidelity",
        "fidelity error",
        phrase="fidelity error",
        measure=Judged.fidelity,
        applies=lambda judge: judge.values is not None,
    ),
    Metric("covariance", "covariance", measure=lambda j: covariance_error(j.judge.real, j.synthetic)),
    Metric(
        "sw1", "sliced distance", form=".5f", measure=lambda j: sliced_distance(j.judge.real, j.synthetic)
    ),
    *map(_criterion, CRITERIA),
    Metric("query_error", "range queries", measure=lambda j: float(np.mean(j.prefix_errors)), slow=True),
    Metric("query_error3", "range queries, 3-way", measure=lambda j: j.prefix_errors[-1], slow=True),
    *(
        _learner(learner, score, on_real=on_real)
        for learner in LEARNERS
        for score in ("accuracy", "f1", "r2")
        for on_real in (False, True)
    ),
    Metric(
        "violations",
        "broken rules per row",
        form=".5f",
        measure=Judged.violations,
        applies=lambda judge: judge.values is not None and judge.table.rules is not None,
    ),
    Metric("seconds", "seconds", phrase="time", form=".2f", unit=" s"),
    Metric("cpu_seconds", "CPU s", phrase="CPU time", form=".2f", unit=" s"),
    Metric("peak_mb", "peak MB", phrase="peak memory", form=".0f", unit=" MB"),
    Metric("covered", "covered", form=".3f"),
    Metric("covered_measured", "covered, measured", form=".3f"),
    Metric("covered_inferred", "covered, inferred", form=".3f"),
    Metric("loose_measured", "bound / error, measured", form=".1f"),
    Metric("loose_inferred", "bound / error, inferred", form=".1f"),
    Metric("measurements", "measurements", form=".0f"),
    Metric("model_cells", "cells of the model", form=",.0f"),
)
"""All metrics, in the order of the columns in tables."""

BY_NAME = {metric.name: metric for metric in METRICS}


def check_metrics(metrics: str) -> None:
    """Check that all metrics exist. Raises: `Mistake` for an unknown metric."""
    if metrics in (NONE, USUAL, ALL):
        return
    if not {*metrics.split("+")} <= BY_NAME.keys():
        raise Mistake(
            f"There are no metrics {metrics!r}. Use none, usual, all, or names joined by +: "
            f"{', '.join(metric.name for metric in METRICS if metric.measure)}."
        )

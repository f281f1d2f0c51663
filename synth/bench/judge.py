"""What is measured of a synthetic table on a benchmark table: every metric under its name.

*None* asks for times alone. *Usual* (seconds even on wide tables) are `tvd1`, `tvd2`, `tvd3`,
`workload_error`, `covariance`; `fidelity` where the columns have values; and `violations`, how many of the
table's rules a row breaks on average, where it comes with rules. *All* adds `tvd4`, the query families
`conjunction`, `counting`, `threshold`, and, where rows are held out, `f1_LEARNER` and `auc_LEARNER` of every
learner trained on the synthetic rows, each with `..._real` for the same learner trained on the real ones. A
learner whose package is not installed has None. The tables are public, so true errors may be printed.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from synth.axis import ordered_codes
from synth.bench.tables import BenchTable, read, read_held_out, read_values
from synth.errors import Mistake
from synth.evaluate.covariance import covariance_error
from synth.evaluate.fidelity import Yardstick
from synth.evaluate.learners import missing_package
from synth.evaluate.levels import fidelity_error
from synth.evaluate.queries import query_errors
from synth.evaluate.utility import utility
from synth.evaluate.workload import workload_error
from synth.preprocess.decode import decode
from synth.select.workload import Workload
from synth.table import CodeTable

NONE, USUAL, ALL = "none", "usual", "all"
LEARNERS = ("catboost", "xgboost", "forest", "mlp")
"""Those of the benchmark paper."""

Figures = dict[str, float | None]


class Judge:
    """One real table, read once. Errors: Mistake for an unknown extent of metrics."""

    def __init__(self, table: BenchTable, workload: Workload, *, metrics: str = USUAL) -> None:
        if metrics not in (USUAL, ALL):
            raise Mistake(f"There are no metrics {metrics!r}. Choose one of: {NONE}, {USUAL}, {ALL}.")
        self._table, self._workload, self._extent = table, workload, metrics
        self.real = read(table)
        self.values = read_values(table) if table.as_values else None
        self._yardstick = Yardstick(self.real)
        self._ordered = frozenset(ordered_codes(table.axes))
        self._held_out = read_held_out(table) if metrics == ALL and table.target else None
        self._taught: Figures | None = None

    def figures(self, synthetic: CodeTable, values: pd.DataFrame | None = None, *, seed: int = 0) -> Figures:
        """All metrics of one synthetic table. Without `values`, values are drawn from the codes' bins."""
        fidelity = self._yardstick.fidelity(synthetic)
        found: Figures = {
            "tvd1": fidelity.mean1,
            "tvd2": fidelity.mean2,
            "tvd3": fidelity.mean3,
            "workload_error": workload_error(self.real, synthetic, self._workload),
            "covariance": covariance_error(self.real, synthetic),
        }
        if self.values is not None:
            if values is None:
                codes = np.asarray(synthetic.codes, dtype=np.int64)
                values = decode(codes, self._table.axes, np.random.default_rng(seed))
            numeric = frozenset(a.name for a in self._table.axes if a.edges)
            found["fidelity"] = fidelity_error(self.values, values, numeric=numeric)
            if self._table.rules is not None:
                found["violations"] = sum(self._table.rules.violations(values).values()) / len(values)
        if self._extent == ALL:
            found |= self._dearer(synthetic)
        return found

    def _dearer(self, synthetic: CodeTable) -> Figures:
        queries = query_errors(self.real, synthetic, ordered=self._ordered)
        found: Figures = {
            "tvd4": self._yardstick.mean4(synthetic),
            "conjunction": queries.conjunction,
            "counting": queries.counting,
            "threshold": queries.threshold,
        }
        if self._held_out is not None:
            if self._taught is None:
                self._taught = {f"{k}_real": v for k, v in self._lesson(self.real, self._held_out).items()}
            found |= self._lesson(synthetic, self._held_out) | self._taught
        return found

    def _lesson(self, rows: CodeTable, held_out: CodeTable) -> Figures:
        """Scores on held-out rows of every learner taught with these rows."""
        assert self._table.target is not None
        found: Figures = {}
        for learner in LEARNERS:
            scores: dict[str, float] = {}
            if missing_package(learner) is None:
                scores = utility(
                    self._table.target,
                    synthetic=rows,
                    held_out=held_out,
                    ordered=self._ordered,
                    learner=learner,
                ).synthetic
            found |= {f"{score}_{learner}": scores.get(score) for score in ("f1", "auc")}
        return found

"""Measure non-private references with which all private figures can be compared.

`bootstrap`: the same number of real rows, drawn with replacement, which doubles the sampling noise.
`product`: every column shuffled separately, which gives exact one-way marginals and independent columns.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd

from synth.bench.metrics import Figures, Judge
from synth.core.table import CodeTable


def measure(judge: Judge, repeats: int) -> Iterator[tuple[str, int, Figures]]:
    """Yield the name of a reference, the number of the run, and its figures (see `bench.metrics`)."""
    real, values = judge.real, judge.values
    columns = len(real.domain)
    for run in range(repeats):
        rng = np.random.default_rng(run)
        orders = {
            "bootstrap": np.repeat(rng.integers(0, real.rows, (real.rows, 1)), columns, axis=1),
            "product": np.stack([rng.permutation(real.rows) for _ in range(columns)], axis=1),
        }
        for name, order in orders.items():
            codes = CodeTable(real.domain, np.take_along_axis(real.codes, order, axis=0))
            shuffled = None
            if values is not None:
                shuffled = pd.DataFrame(
                    {
                        column: values[column].array.take(order[:, i])
                        for i, column in enumerate(values.columns)
                    }
                )
            yield name, run, judge.figures(codes, shuffled)

"""What no privacy at all gives: the rows against which every private figure is read.

`bootstrap`: as many real rows drawn with replacement, which carries sampling noise twice. `product`: every
column shuffled on its own, exact one-way marginals and independent columns. Of tables with values also
`rebinned`: the real codes with values drawn afresh inside their bins, the best that a method with these bins
could do; and of Gaussian tables `fresh`: another sample.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from synth.bench.metrics import USUAL, Figures, Judge
from synth.bench.tables.tables import BenchTable
from synth.core.table import CodeTable
from synth.mechanisms.selection.workload import Workload
from synth.release.decode import decode

Order = NDArray[np.int64]
"""Which real row every cell comes from. Shapes: int64[rows, columns]."""


def bootstrap(rows: int, columns: int, rng: np.random.Generator) -> Order:
    """As many rows, drawn with replacement."""
    return np.repeat(rng.integers(0, rows, (rows, 1)), columns, axis=1)


def product(rows: int, columns: int, rng: np.random.Generator) -> Order:
    """Every column shuffled on its own."""
    return np.stack([rng.permutation(rows) for _ in range(columns)], axis=1)


def measure(
    table: BenchTable, repeats: int, *, workload: Workload | None = None, metrics: str = USUAL
) -> Iterator[tuple[str, int, Figures]]:
    """Name of a reference, number of the run, and its figures (see `bench.metrics`)."""
    judge = Judge(table, workload or Workload.all_kway(table.domain), metrics=metrics)
    for run in range(repeats):
        for name, codes, values in _tables(table, judge, np.random.default_rng(run)):
            yield name, run, judge.figures(codes, values)


def _tables(
    table: BenchTable, judge: Judge, rng: np.random.Generator
) -> Iterator[tuple[str, CodeTable, pd.DataFrame | None]]:
    real, values = judge.real, judge.values
    shape = (real.rows, len(real.domain))
    for name, order in (("bootstrap", bootstrap(*shape, rng)), ("product", product(*shape, rng))):
        codes = CodeTable(real.domain, np.take_along_axis(real.codes, order, axis=0))
        yield name, codes, None if values is None else _rearranged(values, order)
    if values is not None:
        yield "rebinned", real, decode(np.asarray(real.codes, dtype=np.int64), table.axes, rng)
    if table.gaussian is not None:
        sample = table.gaussian.draw(rng)
        edges = [np.array(axis.edges) for axis in table.axes]
        bins = [np.searchsorted(e[1:-1], x, side="right") for e, x in zip(edges, sample.T, strict=True)]
        codes = CodeTable(real.domain, np.stack(bins, axis=1))
        yield "fresh", codes, pd.DataFrame(sample, columns=pd.Index(real.domain.names))


def _rearranged(values: pd.DataFrame, order: Order) -> pd.DataFrame:
    columns = {name: values[name].array.take(order[:, i]) for i, name in enumerate(values.columns)}
    return pd.DataFrame(columns)

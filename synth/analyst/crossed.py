"""A whole table of counts, with intervals for each cell."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import prod, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from synth.analyst.answers import Form, Span, Status, written
from synth.analyst.measured import Measured, half_width, limited
from synth.core.axis import Axis
from synth.core.domain import Clique
from synth.core.errors import Mistake
from synth.core.numbers import TIMES

if TYPE_CHECKING:
    import pandas as pd

MOST_CELLS = 4_000
"""Largest number of cells of a table."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Crossed:
    """A table of counts: its cells in C order, one label per column.

    `interval` and `population` are as those of an `Answer`. If `simultaneous`, all intervals hold together at
    `level`. Columns that were measured in groups of values have one label per group. Without a measurement
    that contains the table, there are no cells, and `reason` states what is missing.
    """

    status: Status
    columns: Clique
    labels: tuple[tuple[str, ...], ...] = ()
    estimate: tuple[float, ...] = ()
    interval: tuple[Span, ...] = ()
    population: tuple[Span, ...] = ()
    noise: tuple[float, ...] = ()
    level: float
    simultaneous: bool
    rests_on: Mapping[str, float] = field(default_factory=dict)
    reason: str = ""

    @property
    def sentence(self) -> str:
        """Return in words what the table is."""
        name = TIMES.join(self.columns)
        if self.status is Status.REFUSED:
            return f"No answer for the table {name}. {self.reason}"
        widths = sorted((high - low) / 2 for low, high in self.interval)
        typical = written(widths[len(widths) // 2], Form.COUNT, 0)
        together = "all intervals hold together" if self.simultaneous else "each interval holds by itself"
        return (
            f"Table {name} with {len(self.estimate):,} cells: {together} at {100 * self.level:.6g}%, "
            f"and a typical one is ± {typical}."
        )

    def frame(self) -> pd.DataFrame:
        """Return the cells as a data frame."""
        import pandas as pd

        figures = {
            "estimate": self.estimate,
            "low": [low for low, _ in self.interval],
            "high": [high for _, high in self.interval],
            "population_low": [low for low, _ in self.population],
            "population_high": [high for _, high in self.population],
        }
        names = {name: [label[i] for label in self.labels] for i, name in enumerate(self.columns)}
        return pd.DataFrame({**names, **figures})

    def facts(self) -> dict[str, Any]:
        """Return the table as plain types."""
        names = ("status", "columns", "labels", "estimate", "interval", "population", "noise", "level")
        return {
            **{name: getattr(self, name) for name in names},
            "simultaneous": self.simultaneous,
            "sentence": self.sentence,
        }


def crossed(measured: Measured, columns: Clique, *, level: float, simultaneous: bool, advice: str) -> Crossed:
    """Return the table of some columns. Intervals that hold together are those of Sidak (1967), valid for
    normal errors with any correlation.

    Raises: `Mistake` if the table has too many cells.
    """
    system = measured.system(columns)
    refusal = Crossed(
        status=Status.REFUSED, columns=columns, level=level, simultaneous=simultaneous, reason=advice
    )
    if system.cells is None:
        return refusal
    groups = {name: groups_in_words(measured, system.cells[name], name) for name in columns}
    shape = [len(groups[name]) for name in columns]
    cells = prod(shape)
    if cells > MOST_CELLS:
        raise Mistake(
            f"The table {TIMES.join(columns)} has {cells:,} cells, the limit is {MOST_CELLS:,}. "
            "Use fewer columns."
        )
    each = level ** (1 / cells) if simultaneous else level
    total = measured.solve({})
    size = 0.0 if total is None else max(total.estimate, 1.0)
    estimates, noise, weights = list[float](), list[float](), dict[str, float]()
    spans: tuple[list[Span], list[Span]] = ([], [])
    for cell in np.ndindex(*shape):
        term = {n: groups[n][i][0].astype(np.float64) for n, i in zip(columns, cell, strict=True)}
        solution = system.solve([term])
        if solution is None:
            return refusal
        count = min(max(0.0, solution.estimate), size)
        sampling = count * (1 - count / size) * measured.rows_of_unit if size else 0.0
        for span, extra in zip(spans, (0.0, sampling), strict=True):
            half = half_width(solution, each, sampling=extra)
            span.append(limited(solution.estimate - half, solution.estimate + half, half))
        estimates.append(solution.estimate)
        noise.append(sqrt(solution.variance))
        for fact, share in solution.weights.items():
            weights[fact.name] = weights.get(fact.name, 0.0) + share / cells
    return Crossed(
        status=Status.INTERVAL,
        columns=columns,
        labels=tuple(
            tuple(groups[n][i][1] for n, i in zip(columns, cell, strict=True)) for cell in np.ndindex(*shape)
        ),
        estimate=tuple(estimates),
        interval=tuple(spans[0]),
        population=tuple(spans[1]),
        noise=tuple(noise),
        level=level,
        simultaneous=simultaneous,
        rests_on=weights,
    )


def groups_in_words(
    measured: Measured, groups: NDArray[np.int64], name: str
) -> list[tuple[NDArray[np.bool_], str]]:
    """Return the codes of each group of a column, and what they mean. Shapes: bool[codes of the domain]."""
    axis = next(a for a in measured.codebook.axes if a.name == name)
    coarse = next((g.group_of for g in measured.codebook.groupings if g.column == name), range(axis.size))
    fine = groups[np.asarray(coarse)]
    every = range(int(groups.max()) + 1)
    return [(groups == group, _words(axis, np.flatnonzero(fine == group).tolist())) for group in every]


def _words(axis: Axis, codes: list[int]) -> str:
    """Return the meaning of some codes; neighbouring cells of a range are one span."""
    cells = [code for code in codes if code < axis.cells]
    is_run = bool(axis.edges) and len(cells) > 1 and cells[-1] - cells[0] == len(cells) - 1
    parts = [axis.span(cells[0], cells[-1])] if is_run else [axis.label(code) for code in cells]
    return " or ".join([*parts, *(axis.label(code) for code in codes if code >= axis.cells)])

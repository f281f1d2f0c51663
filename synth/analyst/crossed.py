"""Compute a complete table of counts, with an interval for each cell."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import product
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from synth.analyst.answers import Form, written
from synth.analyst.counts import advice
from synth.analyst.measured import Measured
from synth.core.axis import Axis
from synth.core.domain import Clique
from synth.core.errors import Mistake
from synth.core.numbers import TIMES
from synth.estimates.estimated import Estimated

if TYPE_CHECKING:
    import pandas as pd

MOST_CELLS = 4_000
"""Maximum number of cells in a table."""


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Crossed:
    """A table of counts. The cells are in C order and have one label per column.

    If `simultaneous` is true, all intervals hold together at `level`. Columns that were measured in groups of
    values have one label per group. If no measurement contains the table, there are no cells, and `reason`
    states what is missing.
    """

    columns: Clique
    labels: tuple[tuple[str, ...], ...] = ()
    cells: tuple[Estimated, ...] = ()
    level: float
    simultaneous: bool
    reason: str = ""

    def __repr__(self) -> str:
        return self.sentence

    @property
    def sentence(self) -> str:
        """Return a description of the table in words."""
        name = TIMES.join(self.columns)
        if not self.cells:
            return f"No answer for the table {name}. {self.reason}"
        widths = sorted((high - low) / 2 for low, high in (cell.interval for cell in self.cells))
        together = "all intervals hold together" if self.simultaneous else "each interval holds separately"
        return (
            f"Table {name} with {len(self.cells):,} cells: {together} at {100 * self.level:.6g}%, and a "
            f"typical interval is ± {written(widths[len(widths) // 2], Form.COUNT, 0)}."
        )

    def frame(self) -> pd.DataFrame:
        """Return the cells as a data frame."""
        import pandas as pd

        return pd.DataFrame(
            [
                {
                    **dict(zip(self.columns, label, strict=True)),
                    "estimate": cell.estimate,
                    **dict(zip(("low", "high"), cell.interval, strict=True)),
                    **dict(zip(("population_low", "population_high"), cell.population, strict=True)),
                }
                for label, cell in zip(self.labels, self.cells, strict=True)
            ]
        )

    def facts(self) -> dict[str, Any]:
        """Return the table as plain types."""
        cells = self.frame().to_dict("records")
        return {"sentence": self.sentence, "level": self.level, "together": self.simultaneous, "cells": cells}


def crossed(measured: Measured, columns: Clique, *, level: float, simultaneous: bool) -> Crossed:
    """Return the table of some columns.

    Simultaneous intervals follow Sidak (1967), which is valid for normal errors with any correlation.

    Raises: `Mistake` if the table has too many cells.
    """
    refusal = Crossed(
        columns=columns, level=level, simultaneous=simultaneous, reason=advice(measured, columns)
    )
    codes = measured.system(columns).cells
    if codes is None:
        return refusal
    groups = [groups_in_words(measured, codes[name], name) for name in columns]
    cells = prod(map(len, groups))
    if cells > MOST_CELLS:
        table = TIMES.join(columns)
        raise Mistake(
            f"The table {table} has {cells:,} cells. At most {MOST_CELLS:,} are possible. Use fewer columns."
        )
    each, found, labels = level ** (1 / cells) if simultaneous else level, list[Estimated](), []
    for cell in product(*groups):
        marks = {name: mark.astype(np.float64) for name, (mark, _) in zip(columns, cell, strict=True)}
        solution = measured.solve(marks)
        if solution is None:
            return refusal
        found.append(measured.estimator.counted(solution, each))
        labels.append(tuple(label for _, label in cell))
    return replace(refusal, labels=tuple(labels), cells=tuple(found), reason="")


def groups_in_words(
    measured: Measured, groups: NDArray[np.int64], name: str
) -> list[tuple[NDArray[np.bool_], str]]:
    """Return the codes and the label of each group of a column. Shapes: bool[codes of the domain]."""
    axis = next(a for a in measured.codebook.axes if a.name == name)
    coarse = next((g.group_of for g in measured.codebook.groupings if g.column == name), range(axis.size))
    fine = groups[np.asarray(coarse)]
    every = range(int(groups.max()) + 1)
    return [(groups == group, _words(axis, np.flatnonzero(fine == group).tolist())) for group in every]


def _words(axis: Axis, codes: list[int]) -> str:
    """Return a description of some codes. Neighbouring cells of a range are combined."""
    cells = [code for code in codes if code < axis.cells]
    is_run = bool(axis.edges) and len(cells) > 1 and cells[-1] - cells[0] == len(cells) - 1
    parts = [axis.span(cells[0], cells[-1])] if is_run else [axis.label(code) for code in cells]
    return " or ".join([*parts, *(axis.label(code) for code in codes if code >= axis.cells)])

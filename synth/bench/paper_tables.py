"""The papers' tables beside ours: which of our methods stands beside which printed figure, and what came out.

The figures are data (`papers.json`), each with its paper and table; where the authors' code spends more than
the paper says, what is known of it stands there too, with its source. What can be set beside them is measured
by the preset `papers`, with the methods as they are in this house, at the papers' epsilons and deltas. The
forms as published, with all options of the papers, are those of `bench.published`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from statistics import fmean
from typing import Any

from synth.bench.metrics import LEARNERS
from synth.bench.papers import (
    COUNTING,
    COVARIANCE,
    FIDELITY,
    L1,
    QUERIES,
    SLICED,
    THRESHOLD,
    WRONG,
    Published,
)
from synth.bench.results import Record
from synth.bench.trial import Part, Trial

FILE = Path(__file__).with_name("papers.json")
F1 = "macro-F1"
BETTER_LARGE = (F1,)

FIGURES: dict[str, tuple[tuple[str, ...], float]] = {
    FIDELITY: (("fidelity",), 1.0),
    QUERIES: (("query_error",), 1.0),
    F1: (tuple(f"f1_{learner}" for learner in LEARNERS), 1.0),
    WRONG: (("wrong",), 1.0),
    COVARIANCE: (("covariance",), 1.0),
    COUNTING: (("counting",), 1.0),
    THRESHOLD: (("threshold",), 1.0),
    SLICED: (("sw1",), 1.0),
    L1: (("tvd2",), 2.0),
}
"""Which of our figures a paper's quantity is, of several the mean of those measured, and the factor."""

_ALWAYS = ("tvd2", "tvd3")
LIMIT = 900.0


@dataclass(frozen=True, kw_only=True)
class Cell:
    """A printed figure beside a method of ours. `method` is what the paper calls it; `overspent` by how much
    its authors' code spends too much, empty where that is not known as a number, and `why`."""

    figure: Published
    method: str
    entry: str
    ours: str
    delta: float
    remark: str
    overspent: str = ""
    why: str = ""

    @property
    def place(self) -> tuple[str, str, float, float]:
        """Table, method, epsilon and delta of what is measured."""
        return self.ours, self.entry, self.figure.epsilon, self.delta

    def verdict(self, value: float) -> str:
        """Reproduced, beaten or missed, and what is known of the figure's own spending."""
        theirs = self.figure.value
        errors = value if self.figure.quantity not in BETTER_LARGE else 2 * theirs - value
        word = self.figure.verdict(errors)
        if not self.why:
            return word
        return f"{word}; published figure overspent" + (f" by {self.overspent}" if self.overspent else "")


@dataclass(frozen=True, kw_only=True)
class Compared:
    """A cell and the mean over our runs."""

    cell: Cell
    value: float
    runs: int

    @property
    def row(self) -> tuple[str, ...]:
        """In words, in the order of `HEADINGS`."""
        cell, figure = self.cell, self.cell.figure
        return (
            f"{figure.paper}, {figure.source}",
            f"{figure.table} ({cell.ours})",
            f"{cell.method} ({cell.entry})",
            f"{figure.epsilon:g}",
            figure.quantity,
            f"{self.value:#.2g}" if self.value < 0.01 else f"{self.value:.3f}",
            str(self.runs),
            figure.printed,
            cell.verdict(self.value),
        )


HEADINGS = (
    "paper",
    "table (ours)",
    "method (ours)",
    "epsilon",
    "figure",
    "ours",
    "runs",
    "printed",
    "verdict",
)


@lru_cache(maxsize=1)
def cells() -> tuple[Cell, ...]:
    """All printed figures that a table at hand allows."""
    return tuple(cell for block in json.loads(FILE.read_text(encoding="utf-8")) for cell in _cells(block))


def _cells(block: Mapping[str, Any]) -> Iterator[Cell]:
    for method, told in block["methods"].items():
        over = told.get("overspent", {"by": "", "why": ""})
        for quantity in FIGURES:
            for epsilon, printed in zip(block["epsilons"], told.get(quantity, ()), strict=False):
                figure = Published(
                    paper=block["paper"],
                    source=block["source"],
                    table=block["table"],
                    epsilon=epsilon,
                    quantity=quantity,
                    printed=printed,
                )
                yield Cell(
                    figure=figure,
                    method=method,
                    entry=told["entry"],
                    ours=block["ours"],
                    delta=block["delta"],
                    remark=block["remark"],
                    overspent=over["by"],
                    why=over["why"],
                )


def trials(repeats: int) -> Iterator[Trial]:
    """Once for every table, method and promise that a printed figure stands beside, with all its figures."""
    wanted: dict[tuple[str, str, float, float], dict[str, None]] = {}
    for cell in cells():
        wanted.setdefault(cell.place, {}).update(dict.fromkeys(FIGURES[cell.figure.quantity][0]))
    for (table, method, epsilon, delta), figures in wanted.items():
        for run in range(repeats):
            yield Trial(
                part=Part.MECHANISM,
                table=table,
                method=method,
                epsilon=epsilon,
                delta=delta,
                run=run,
                metrics="+".join(dict.fromkeys([*_ALWAYS, *figures])),
                limit=LIMIT,
            )


def compared(records: Sequence[Record]) -> list[Compared]:
    """Every printed figure of which ours was measured."""
    found: dict[tuple[str, str, float, float], dict[str, list[float]]] = {}
    for r in records:
        is_usual = r.part == Part.MECHANISM and not r.variant and r.task == "all-2way"
        if is_usual and r.epsilon is not None and r.delta is not None:
            place = (r.table, r.method, r.epsilon, r.delta)
            found.setdefault(place, {}).setdefault(r.figure, []).append(r.value)
    told = []
    for cell in cells():
        figures, factor = FIGURES[cell.figure.quantity]
        measured = found.get(cell.place, {})
        names = [name for name in figures if name in measured]
        if cell.figure.quantity == FIDELITY and not names and "tvd2" in measured:
            names = ["tvd2"]  # of a table of codes these are its values
        if names:
            value = factor * fmean(fmean(measured[name]) for name in names)
            told.append(Compared(cell=cell, value=value, runs=len(measured[names[0]])))
    return told


def remarks(told: Sequence[Compared]) -> list[str]:
    """What has to be known to read the comparison, each once."""
    beside = (f"{one.cell.ours} beside {one.cell.figure.table}: {one.cell.remark}." for one in told)
    over = (f"{one.cell.figure.paper}, {one.cell.method}: {one.cell.why}." for one in told if one.cell.why)
    return list(dict.fromkeys([*beside, *over]))

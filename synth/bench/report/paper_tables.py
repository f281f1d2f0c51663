"""The papers' tables beside ours: which of our methods stands beside which printed figure, and what came out.

The figures are data (`papers.json`), each with its paper and table; where the authors' code spends more than
the paper says, or has a fault that explains its figure, what is known of it stands there too, with its
source. What can be set beside them is measured by the presets `papers` and `every-method`, with the methods
as they are in this house, at the papers' epsilons and deltas.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from statistics import fmean
from typing import Any

from synth.bench.report.papers import (
    COUNTING,
    COVARIANCE,
    FIDELITY,
    L1,
    MINUTES,
    QUERIES,
    SLICED,
    THRESHOLD,
    WRONG,
    Published,
)
from synth.bench.trials.results import Record
from synth.bench.trials.trial import Part, Trial
from synth.bench.tuning import LEARNERS, TITLES

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
    MINUTES: (("seconds",), 1 / 60),
}
"""Which of our figures a paper's quantity is, of several the mean of those measured, and the factor."""

APART = {FIDELITY: ("fidelity_apart",), QUERIES: ("query_error_apart",)}
"""Those of papers that compare with rows held out, not with those that the table was made from."""

_ALWAYS = ("tvd2", "tvd3")
LIMIT = 900.0


@dataclass(frozen=True, kw_only=True)
class Cell:
    """A printed figure beside a method of ours. `method` is what the paper calls it; `overspent` by how much
    its authors' code spends too much, empty where that is not known as a number, and `why`; `fault` what else
    is known of how the figure came about. `options` and `preprocessing` are those that make ours what theirs
    is. `is_apart`: it is against rows held out; `is_stand_in`: it is of a table unlike ours, so that only
    methods and ways can be compared, not figures. `real` is what the paper prints of real rows."""

    figure: Published
    method: str
    entry: str
    ours: str
    delta: float
    remark: str
    overspent: str = ""
    why: str = ""
    fault: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)
    preprocessing: str = ""
    is_apart: bool = False
    is_stand_in: bool = False
    real: str = ""

    @property
    def figures(self) -> tuple[str, ...]:
        """Which of ours stand beside it, of several the mean of those measured."""
        usual, _ = FIGURES[self.figure.quantity]
        return APART.get(self.figure.quantity, usual) if self.is_apart else usual

    @property
    def trial(self) -> Trial:
        """The first run of what is measured."""
        return Trial(
            part=Part.MECHANISM,
            table=self.ours,
            method=self.entry,
            epsilon=self.figure.epsilon,
            delta=self.delta,
            preprocessing=self.preprocessing,
            options=dict(self.options),
            limit=LIMIT,
        )

    @property
    def place(self) -> tuple[object, ...]:
        """What is measured, regardless of the run."""
        return self.trial.key[:-1]

    def verdict(self, value: float) -> str:
        """Reproduced, beaten or missed, and what is known of the figure's own spending."""
        if self.is_stand_in:
            return "another table"
        theirs = self.figure.value
        errors = value if self.figure.quantity not in BETTER_LARGE else 2 * theirs - value
        word = self.figure.verdict(errors)
        if not self.why:
            return word
        return f"{word}; published figure overspent" + (f" by {self.overspent}" if self.overspent else "")


@dataclass(frozen=True, kw_only=True)
class Compared:
    """A cell and the mean over our runs. `real` is what the real rows score, None of what is no score;
    `taught` are the learners of a score, of all of which the paper's is the mean."""

    cell: Cell
    value: float
    runs: int
    real: float | None = None
    taught: tuple[str, ...] = ()

    @property
    def ceiling(self) -> str:
        """Real rows by us and as printed, a dash for none."""
        ours = "-" if self.real is None else f"{self.real:.3f}"
        return f"{ours} / {self.cell.real or '-'}" if self.real is not None or self.cell.real else "-"

    @property
    def row(self) -> tuple[str, ...]:
        """In words, in the order of `HEADINGS`."""
        cell, figure = self.cell, self.cell.figure
        return (
            f"{figure.paper}, {figure.source}",
            f"{figure.table} ({cell.ours})",
            f"{cell.method} ({' '.join([cell.entry, *filter(None, [cell.trial.variant])])})",
            f"{figure.epsilon:g}",
            figure.quantity,
            f"{self.value:#.2g}" if self.value < 0.01 else f"{self.value:.3f}",
            str(self.runs),
            figure.printed,
            self.ceiling,
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
    "real rows, ours / printed",
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
                    fault=told.get("fault", ""),
                    options=told.get("options", {}),
                    preprocessing=block.get("preprocessing", ""),
                    is_apart=block.get("apart", False),
                    is_stand_in=block.get("stand-in", False),
                    real=block.get("real rows", {}).get(quantity, ""),
                )


def trials(repeats: int) -> Iterator[Trial]:
    """Once for every table, method and promise that a printed figure stands beside, with all its figures."""
    wanted: dict[tuple[object, ...], tuple[Trial, dict[str, None]]] = {}
    for cell in cells():
        _, figures = wanted.setdefault(cell.place, (cell.trial, {}))
        figures.update(dict.fromkeys(_wanted(cell)))
    for trial, figures in wanted.values():
        metrics = "+".join(dict.fromkeys([*_ALWAYS, *figures]))
        yield from (replace(trial, run=run, metrics=metrics) for run in range(repeats))


def _wanted(cell: Cell) -> tuple[str, ...]:
    """What has to be measured for a cell; of a score also what real rows have."""
    figures = cell.figures
    return (*figures, *map(_on_real, figures)) if cell.figure.quantity == F1 else figures


def _on_real(figure: str) -> str:
    return f"{figure}_real"


def compared(records: Sequence[Record]) -> list[Compared]:
    """Every printed figure of which ours was measured."""
    found: dict[tuple[object, ...], dict[str, list[float]]] = {}
    for r in records:
        found.setdefault(r.key[:-1], {}).setdefault(r.figure, []).append(r.value)
    told = []
    for cell in cells():
        _, factor = FIGURES[cell.figure.quantity]
        measured = found.get(cell.place, {})
        names = [name for name in cell.figures if name in measured]
        if cell.figure.quantity == FIDELITY and not names and "tvd2" in measured:
            names = ["tvd2"]  # of a table of codes these are its values
        if names:
            value = factor * fmean(fmean(measured[name]) for name in names)
            real = [fmean(measured[_on_real(name)]) for name in names if _on_real(name) in measured]
            told.append(
                Compared(
                    cell=cell,
                    value=value,
                    runs=len(measured[names[0]]),
                    real=fmean(real) if real else None,
                    taught=tuple(one for one in LEARNERS if f"f1_{one}" in names),
                )
            )
    return told


def remarks(told: Sequence[Compared]) -> list[str]:
    """What has to be known to read the comparison, each once."""
    beside = [f"{one.cell.ours} beside {one.cell.figure.table}: {one.cell.remark}." for one in told]
    known = [
        f"{one.cell.figure.paper}, {one.cell.method}: {why}."
        for one in told
        for why in (one.cell.why, one.cell.fault)
        if why
    ]
    return list(dict.fromkeys([*beside, *known, *_missing(told)]))


def _missing(told: Sequence[Compared]) -> Iterator[str]:
    """A score that not all of the paper's learners are in is another score."""
    for one in told:
        absent = [TITLES[learner] for learner in LEARNERS if learner not in one.taught]
        if one.taught and absent:
            there = ", ".join(TITLES[learner] for learner in one.taught)
            place = f"{one.cell.ours}, {one.cell.method}, epsilon {one.cell.figure.epsilon:g}"
            yield (
                f"{place}: macro-F1 is the mean of {there} alone; {', '.join(absent)} were not installed "
                "(pip install 'marginalia[ml]') or not asked for."
            )

"""Group the records of a benchmark by table and method: means, spreads, and the reasons of failed trials."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from statistics import fmean, stdev

from synth.bench.metrics import BY_NAME
from synth.bench.trials.results import FAILED, LAST, Record
from synth.bench.trials.trial import Part

Place = tuple[str, str]
"""A table and a task. Figures are only compared for the same table and task."""


@dataclass(frozen=True)
class Outcome:
    """All runs of one method at one privacy guarantee. `figures` has one value per run, and `failures` the
    reasons of failed runs.
    """

    table: str
    task: str
    variant: str
    kind: Part
    method: str
    epsilon: float | None
    delta: float | None = None
    figures: dict[str, list[float]] = field(default_factory=dict)
    failures: list[str] = field(default_factory=list)

    @property
    def place(self) -> Place:
        return self.table, self.task

    @property
    def name(self) -> str:
        return f"{self.method} ({self.variant})" if self.variant else self.method

    @property
    def promise(self) -> str:
        """Return epsilon as text, a dash if there is none."""
        return "-" if self.epsilon is None else f"{self.epsilon:g}"

    @property
    def runs(self) -> int:
        return max((len(values) for values in self.figures.values()), default=0)

    def mean(self, figure: str) -> float | None:
        values = self.figures.get(figure)
        return fmean(values) if values else None

    def spread(self, figure: str) -> float | None:
        """Return the standard deviation over runs, None if there are fewer than two runs."""
        values = self.figures.get(figure, [])
        return stdev(values) if len(values) > 1 else None

    def cell(self, figure: str) -> str:
        """Return the mean of a metric as text for tables, with the spread if it is an error, or a dash if it
        was not measured.
        """
        metric, mean, spread = BY_NAME[figure], self.mean(figure), self.spread(figure)
        if mean is None:
            return "-"
        return format(mean, metric.form) + (
            f" ({spread:.4f})" if metric.is_error and spread is not None else ""
        )


def outcomes_of(records: Iterable[Record]) -> list[Outcome]:
    """Return the outcomes in the order in which they were measured."""
    outcomes: dict[tuple[object, ...], Outcome] = {}
    for r in records:
        what = (r.table, r.task, r.variant, Part(r.part), r.method, r.epsilon, r.delta)
        outcome = outcomes.setdefault(what, Outcome(*what))
        if r.figure == FAILED:
            outcome.failures.append(r.note)
        elif r.figure != LAST:
            outcome.figures.setdefault(r.figure, []).append(r.value)
    return list(outcomes.values())


def places_of(outcomes: Sequence[Outcome]) -> list[Place]:
    return list(dict.fromkeys(outcome.place for outcome in outcomes))


def epsilons_of(outcomes: Sequence[Outcome]) -> list[float]:
    return sorted({outcome.epsilon for outcome in outcomes if outcome.epsilon is not None})

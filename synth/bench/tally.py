"""Records gathered by what was run: means, spreads, and what came of trials that failed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from statistics import fmean, stdev

from synth.bench.results import FAILED, LAST, Record
from synth.bench.trial import Part

Place = tuple[str, str]
"""A table and a task: figures compare within one."""


@dataclass(frozen=True, kw_only=True)
class Line:
    """All runs of one method at one promise. `kind` is that of the records, a command counted as ours;
    `figures` holds one value per run; `failures` the reasons of runs that gave none."""

    table: str
    task: str
    variant: str
    kind: Part
    method: str
    epsilon: float | None
    figures: dict[str, list[float]] = field(default_factory=dict)
    failures: list[str] = field(default_factory=list)

    @property
    def place(self) -> Place:
        return self.table, self.task

    @property
    def name(self) -> str:
        return f"{self.method} ({self.variant})" if self.variant else self.method

    @property
    def runs(self) -> int:
        return max((len(values) for values in self.figures.values()), default=0)

    def mean(self, figure: str) -> float | None:
        values = self.figures.get(figure)
        return fmean(values) if values else None

    def spread(self, figure: str) -> float | None:
        """Standard deviation over runs; None for fewer than two."""
        values = self.figures.get(figure, [])
        return stdev(values) if len(values) > 1 else None


def lines_of(records: Iterable[Record]) -> list[Line]:
    """In the order in which they were measured."""
    found: dict[tuple[object, ...], Line] = {}
    for r in records:
        kind = Part.MECHANISM if r.part == Part.COMMAND else Part(r.part)
        key = (r.table, r.task, r.variant, kind, r.method, r.epsilon)
        line = found.setdefault(
            key,
            Line(
                table=r.table,
                task=r.task,
                variant=r.variant,
                kind=kind,
                method=r.method,
                epsilon=r.epsilon,
            ),
        )
        if r.figure == FAILED:
            line.failures.append(r.note)
        elif r.figure != LAST:
            line.figures.setdefault(r.figure, []).append(r.value)
    return list(found.values())


def places_of(lines: Sequence[Line]) -> list[Place]:
    return list(dict.fromkeys(line.place for line in lines))


def epsilons_of(lines: Sequence[Line]) -> list[float]:
    return sorted({line.epsilon for line in lines if line.epsilon is not None})

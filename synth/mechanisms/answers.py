"""What a mechanism has been told so far, and the graphical model that follows from it."""

from __future__ import annotations

from synth.domain import Clique
from synth.generate import pgm
from synth.generate.total import estimate_total
from synth.measure.score import L1Gap
from synth.measure.source import Choice, Source
from synth.measurement import Measurement
from synth.mechanisms.base import Fitted, Task


class Answers:
    """Asks a source on behalf of a mechanism and keeps every answer."""

    def __init__(self, source: Source, task: Task) -> None:
        self._source, self._task = source, task
        self._measurements: list[Measurement] = []
        self._choices: list[Choice] = []

    @property
    def cliques(self) -> list[Clique]:
        """What the model must cover: measured cliques and those of structural zeros."""
        return [*(m.clique for m in self._measurements), *(z.clique for z in self._task.zeros)]

    def measure(self, clique: Clique, *, rho: float) -> None:
        self._measurements.append(self._source.measure(clique, rho=rho))

    def choose(self, score: L1Gap, *, rho: float) -> Clique:
        """Ask for a candidate; of the estimates of earlier rounds only those still needed for bounds stay."""
        self._choices = [c.forget(score.cliques) for c in self._choices]
        self._choices.append(self._source.choose(score, rho=rho))
        return self._choices[-1].clique

    def fit(self, start: pgm.PGM | None, *, tolerance: float) -> pgm.PGM:
        total = self._source.total or estimate_total(self._measurements)
        options = pgm.FitOptions(tolerance=tolerance)
        return pgm.fit(
            self._source.domain,
            self._measurements,
            zeros=self._task.zeros,
            total=total,
            start=start,
            options=options,
        )

    def fitted(self, model: pgm.PGM) -> Fitted:
        return Fitted(model=model, measurements=tuple(self._measurements), choices=tuple(self._choices))

"""Derive the progress of a task from its public events, such as the loss of its fits."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from synth.app.jobs.store import Event


@dataclass(frozen=True, kw_only=True)
class FitCourse:
    """The losses of one fit, computed only from noisy measurements: `losses[i]` after `steps[i]` steps."""

    steps: tuple[int, ...]
    losses: tuple[float, ...]


def courses(events: Iterable[Event]) -> tuple[FitCourse, ...]:
    """Return the losses of each fit, in order. A new fit starts where the step number does not increase."""
    fits: list[list[tuple[int, float]]] = []
    for event in events:
        if event.steps is None or event.loss is None:
            continue
        if not fits or event.steps <= fits[-1][-1][0]:
            fits.append([])
        fits[-1].append((event.steps, event.loss))
    return tuple(FitCourse(steps=tuple(s for s, _ in fit), losses=tuple(v for _, v in fit)) for fit in fits)

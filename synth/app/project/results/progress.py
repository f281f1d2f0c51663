"""The course of a task from its public events: how fits converge, and how long a map still takes."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable
from dataclasses import dataclass

from synth.app.jobs.store import Event


@dataclass(frozen=True, kw_only=True)
class FitCourse:
    """The losses of one fit, against noisy measurements alone: `losses[i]` after `steps[i]` steps."""

    steps: tuple[int, ...]
    losses: tuple[float, ...]


def courses(events: Iterable[Event]) -> tuple[FitCourse, ...]:
    """Return the course of every fit, in order; a step number that does not grow starts another fit."""
    fits: list[list[tuple[int, float]]] = []
    for event in events:
        if event.steps is None or event.loss is None:
            continue
        if not fits or event.steps <= fits[-1][-1][0]:
            fits.append([])
        fits[-1].append((event.steps, event.loss))
    return tuple(FitCourse(steps=tuple(s for s, _ in fit), losses=tuple(v for _, v in fit)) for fit in fits)


STEADY = frozenset({"map"})
"""Stages with steps of equal length."""

EARLY, LATE = 1 / 3, 1.5
"""The part of a map's early steps (`maps.tsne`: 250 of 750), and how much longer each later step takes: 1.3
times on 2,000 rows, 1.5 on 8,000, twice on more."""

LEAST = 2.0
"""The shortest time that gives a pace; times are kept to the second."""


def seconds_left(events: Iterable[Event]) -> float | None:
    """Return the seconds until the work is done, by the pace of its stage; None before that is known.

    Time is measured from the first step of a stage. Later steps of a map count as longer until their own pace
    is known.
    """
    seen = list(events)
    stage = seen[-1].stage if seen else ""
    if stage not in STEADY:
        return None
    begun, *steps = [event for event in seen if event.stage == stage]
    if len(steps) < 2:
        return None
    turn = begun.done + (1.0 - begun.done) * EARLY

    def work(done: float) -> float:
        return done + (LATE - 1.0) * max(done - turn, 0.0)

    last = steps[-1]
    for first in (next(step for step in steps if step.done >= turn or step is last), steps[0]):
        taken = (dt.datetime.fromisoformat(last.at) - dt.datetime.fromisoformat(first.at)).total_seconds()
        gone = work(last.done) - work(first.done)
        if taken >= LEAST and gone > 0:
            return taken / gone * (work(1.0) - work(last.done))
    return None

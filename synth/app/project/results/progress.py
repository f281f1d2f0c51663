"""The course of a task from its public events: how fits converge, and how long a map still takes."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable
from dataclasses import dataclass

from synth.app.jobs.store import Event


@dataclass(frozen=True, kw_only=True)
class FitCourse:
    """The losses one fit told, against noisy answers alone: `losses[i]` after `steps[i]` steps."""

    steps: tuple[int, ...]
    losses: tuple[float, ...]


def courses(events: Iterable[Event]) -> tuple[FitCourse, ...]:
    """Every fit that told its loss, in order; a step that is no further than the last begins another."""
    fits: list[list[tuple[int, float]]] = []
    for event in events:
        if event.steps is None or event.loss is None:
            continue
        if not fits or event.steps <= fits[-1][-1][0]:
            fits.append([])
        fits[-1].append((event.steps, event.loss))
    return tuple(FitCourse(steps=tuple(s for s, _ in fit), losses=tuple(v for _, v in fit)) for fit in fits)


STEADY = frozenset({"map"})
"""Stages whose steps take alike, so that those done tell of those to come."""

EARLY, LATE = 1 / 3, 1.5
"""The part of a map's steps in which places are drawn together (`embed.tsne`: 250 of 750), and how much
longer each later step takes: 1.3 times as long on 2,000 rows, 1.5 on 8,000, twice on more."""

LEAST = 2.0
"""Seconds of steps from which a pace is told; times are kept to the second."""


def seconds_left(events: Iterable[Event]) -> float | None:
    """Seconds until the work is done, by the pace of the stage it is in; None before that is known.

    The first step of a stage is where its clock starts: what comes before it, such as the search for
    neighbours, goes at another pace. The steps of a map after its first third may take longer: they count as
    so much more until some of them tell their own pace.
    """
    told = list(events)
    stage = told[-1].stage if told else ""
    if stage not in STEADY:
        return None
    begun, *steps = [event for event in told if event.stage == stage]
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

"""How long a study will still take, from how fast it has gone: public facts of its own progress."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable

from synth.jobs.store import Event

STEADY = frozenset({"map"})
"""Stages whose steps take alike, so that those done tell of those to come."""

LEAST = 2.0
"""Seconds of steps from which a pace is told; times are kept to the second."""


def seconds_left(events: Iterable[Event]) -> float | None:
    """Seconds until the work is done, by the pace of the stage it is in; None before that is known.

    The first step of a stage is where its clock starts: what comes before it, such as the search for
    neighbours, goes at another pace.
    """
    told = list(events)
    stage = told[-1].stage if told else ""
    steps = [event for event in told if event.stage == stage][1:]
    if stage not in STEADY or len(steps) < 2:
        return None
    first, last = steps[0], steps[-1]
    taken = (dt.datetime.fromisoformat(last.at) - dt.datetime.fromisoformat(first.at)).total_seconds()
    gone = last.done - first.done
    return taken / gone * (1.0 - last.done) if taken >= LEAST and gone > 0 else None

"""The time that is left follows from the steps that were taken, and from nothing else."""

from __future__ import annotations

import pytest

from synth.app.jobs.store import Event
from synth.app.project.results.progress import FitCourse, courses, seconds_left


def event(second: int, done: float, stage: str = "map") -> Event:
    at = f"2026-11-22T10:{second // 60:02d}:{second % 60:02d}+00:00"
    return Event(at=at, stage=stage, done=done, fact="")


@pytest.mark.parametrize(
    "told",
    [
        [],
        [event(0, 0.0), event(9, 0.1)],
        [event(0, 0.0), event(1, 0.1), event(2, 0.2)],
        [event(0, 0.0), event(1, 0.1), event(9, 0.1)],
        [event(0, 0.0, "compare"), event(5, 0.1, "compare"), event(9, 0.2, "compare")],
    ],
    ids=["nothing", "one step", "under two seconds", "no progress", "a stage of unlike steps"],
)
def test_nothing_is_promised_before_a_pace_is_known(told: list[Event]) -> None:
    assert seconds_left(told) is None


def told(steps: int | None, loss: float | None) -> Event:
    return Event(at="", stage="fit", done=0.0, fact="f", steps=steps, loss=loss)


def test_a_step_that_is_no_further_begins_another_fit() -> None:
    events = [told(1, 4.0), told(50, 2.0), told(None, None), told(1, 3.0), told(None, 9.0), told(60, 1.0)]
    assert courses(events) == (
        FitCourse(steps=(1, 50), losses=(4.0, 2.0)),
        FitCourse(steps=(1, 60), losses=(3.0, 1.0)),
    )

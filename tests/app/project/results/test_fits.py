"""Losses that a task told become courses, one for every fit."""

from __future__ import annotations

from synth.app.jobs.store import Event
from synth.app.project.results.progress import FitCourse, courses


def told(steps: int | None, loss: float | None) -> Event:
    return Event(at="", stage="fit", done=0.0, fact="f", steps=steps, loss=loss)


def test_a_step_that_is_no_further_begins_another_fit() -> None:
    events = [told(1, 4.0), told(50, 2.0), told(None, None), told(1, 3.0), told(None, 9.0), told(60, 1.0)]
    assert courses(events) == (
        FitCourse(steps=(1, 50), losses=(4.0, 2.0)),
        FitCourse(steps=(1, 60), losses=(3.0, 1.0)),
    )

"""The figure of a running fit: the training loss on the noisy measurements."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import plotly.graph_objects as go

from synth.app.figures.figure import Figure
from synth.app.figures.marks import SYNTHETIC, finish
from synth.app.project.results.progress import FitCourse
from synth.core.numbers import about

FIT, STEP, LOSS = "Fit", "Step", "Loss"


def loss(courses: Sequence[FitCourse]) -> Figure:
    """Draw one line per fit, each starting where the previous one ended. There must be at least one fit."""
    marks = go.Figure()
    before, rows = 0, list[tuple[int, int, float]]()
    for number, course in enumerate(courses, start=1):
        at = [before + step for step in course.steps]
        marks.add_scatter(
            x=at,
            y=list(course.losses),
            mode="lines+markers",
            line={"color": SYNTHETIC, "width": 1.6},
            marker={"size": 4, "color": SYNTHETIC},
            showlegend=False,
            hovertemplate=f"fit {number}, step %{{x:,}}<br>loss %{{y:.4g}}<extra></extra>",
        )
        rows += [(number, step, value) for step, value in zip(course.steps, course.losses, strict=True)]
        before = at[-1]
    finish(marks, height=220)
    scale = "log" if all(value > 0 for _, _, value in rows) else "linear"
    marks.update_yaxes(title="loss", type=scale, nticks=7)
    marks.update_xaxes(title="step", rangemode="tozero")
    frame = pd.DataFrame(rows, columns=[FIT, STEP, LOSS])
    return Figure(frame=frame, written={LOSS: _loss}, marks=marks, words=_words(courses))


def _words(courses: Sequence[FitCourse]) -> str:
    last = courses[-1]
    which = f"The latest of {len(courses)} fits" if len(courses) > 1 else "The fit"
    return (
        f"Line chart of the loss on the noisy measurements. {which} started at {_loss(last.losses[0])} "
        f"and is at {_loss(last.losses[-1])} after {last.steps[-1]:,} steps."
    )


def _loss(value: float) -> str:
    return about(value, digits=4)

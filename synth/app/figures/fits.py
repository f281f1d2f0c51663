"""The figure of a fit under way: training loss against the noisy measurements."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pandas as pd
import plotly.graph_objects as go

from synth.app.figures.figure import Figure
from synth.app.figures.marks import SYNTHETIC, finish
from synth.app.project.results.progress import FitCourse
from synth.core.numbers import about

FIT, STEP, LOSS = "Fit", "Step", "Loss"

_HEIGHT, _MOST_TICKS = 220, 7


def loss(courses: Sequence[FitCourse]) -> Figure:
    """One line for every fit, each going on where the one before ended. At least one course."""
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
    finish(marks, height=_HEIGHT)
    if all(value > 0 for _, _, value in rows):
        ticks = _ticks([value for _, _, value in rows])
        ends = [math.log10(tick) for tick in (ticks[0], ticks[-1])]
        shown = ticks[:: -(-len(ticks) // _MOST_TICKS)]
        marks.update_yaxes(type="log", range=ends, tickvals=shown, ticktext=[_loss(tick) for tick in shown])
    else:
        marks.update_yaxes(type="linear", nticks=4)
    marks.update_yaxes(title="loss")
    marks.update_xaxes(title="step", rangemode="tozero")
    frame = pd.DataFrame(rows, columns=[FIT, STEP, LOSS])
    return Figure(frame=frame, written={LOSS: _loss}, marks=marks, words=_words(courses))


def _ticks(losses: Sequence[float]) -> list[float]:
    """Round numbers that span the losses, written out: of a logarithmic axis's own labels between two powers
    of ten a browser shows the first digit alone."""
    low, high = math.floor(math.log10(min(losses))), math.ceil(math.log10(max(losses)))
    every = [digit * 10.0**power for power in range(low, high + 1) for digit in (1, 2, 5)]
    below = [tick for tick in every if tick <= min(losses)][-1]
    above = next(tick for tick in every if tick > below and tick >= max(losses))
    return [tick for tick in every if below <= tick <= above]


def _words(courses: Sequence[FitCourse]) -> str:
    last = courses[-1]
    which = f"The latest of {len(courses)} fits" if len(courses) > 1 else "The fit"
    return (
        f"Line chart of loss against the noisy answers. {which} began at {_loss(last.losses[0])} and stands "
        f"at {_loss(last.losses[-1])} after {last.steps[-1]:,} steps."
    )


def _loss(value: float) -> str:
    return about(value, digits=4)

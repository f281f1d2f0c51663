"""Figures of several runs side by side: the best of every question named, and no score over all of them."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from synth.check.unseen import Missed
from synth.figures.best import TIGHT, level, marked, smallest
from synth.figures.figure import Figure, by_value
from synth.figures.marks import clear, counts, labelled, panels, panels_across, title_room
from synth.figures.words import count, number_of, plain, share
from synth.project.compare import Standing
from synth.project.released import ColumnView
from synth.project.runs import SyntheticTable

RUN, PAID = "Run", "Epsilon paid"
COLUMNS, PAIRS = "Columns: a count is off by ({counted})", "Pairs: a count is off by ({counted})"
BOUND = "Pairs: off by at most, on average"
BROKEN, FLAGS = "Rows breaking a rule", "Red flags"
NOTHING = "nothing to compare"

_HEIGHT = 250
"""Of one panel."""


def standings(rows: Sequence[Standing], counted: str) -> Figure:
    """Runs as rows, questions as columns, in Markdown. `counted` says what a count counts."""
    bounds = [None if s.bound is None else round(s.bound, 3) for s in rows]
    frame = {
        RUN: [f"**{plain(s.run.name).replace(' ', TIGHT)}** {plain(s.run.method)}" for s in rows],
        PAID: [f"{s.run.epsilon:g}" for s in rows],
        COLUMNS.format(counted=counted): _missed([s.columns for s in rows]),
        PAIRS.format(counted=counted): _missed([s.pairs for s in rows]),
        BOUND: marked([_bound(s) for s in rows], smallest(bounds)),
        BROKEN: _counts([s.release.broken for s in rows]),
        FLAGS: _counts([len(s.release.flags) for s in rows]),
    }
    words = f"Table of {len(rows)} runs and what each does well; the best of every question is named."
    return Figure(frame=pd.DataFrame(frame), words=words)


def _bound(standing: Standing) -> str:
    if standing.bound is None:
        return NOTHING
    without = f", {number_of(standing.unbound, 'pair')} without" if standing.unbound else ""
    return share(standing.bound) + without


def _counts(values: Sequence[int]) -> list[str]:
    return marked([f"{v:,}" for v in values], smallest([float(v) for v in values]))


def _missed(values: Sequence[Missed | None]) -> list[str]:
    best = level(values, key=lambda m: m.square, ties=lambda one, other: one.ties(other))
    # an error is told as a limit where the noise hides it
    errors = [NOTHING if m is None else f"{'below ' if m.is_lost else ''}{count(m.counts)}" for m in values]
    return marked(errors, best)


def column(views: Sequence[tuple[SyntheticTable, ColumnView]]) -> Figure:
    """One column of several runs, a panel each: synthetic counts, and the run's own noisy ones.

    All panels have the same labels in the same order and one scale.
    """
    first, across = views[0][1], panels_across(len(views))
    marks, places = panels(
        [run.label for run, _ in views],
        shared_xaxes="all",
        shared_yaxes="all",
        horizontal_spacing=0.04,
        vertical_spacing=0.22 / -(-len(views) // across),
    )
    for where, (_, view) in zip(places, views, strict=True):
        for trace in counts(view, noisy="noisy count of the same run, with its noise", small=True):
            trace.update(legendgroup=trace.name, showlegend=where is places[0])
            marks.add_trace(trace, **where)
    labelled(marks, first.labels, panels=across, tickangle=-40)
    marks.update_yaxes(automargin=True)
    marks.update_yaxes(title="people" if first.people else "rows", col=1)
    marks.update_annotations(yshift=4)
    legend = {"orientation": "h", "yref": "container", "y": 0.0, "yanchor": "bottom", "x": 0}
    height = _HEIGHT * places[-1]["row"] + 110
    clear(marks, height=height, margin=(8, 8, title_room(len(views)) + 4, 8), bargap=0.25, legend=legend)
    runs = {run.name: view.synthetic for run, view in views}
    frame, written = by_value(first.title, first.labels, runs), dict.fromkeys(runs, "{:,.0f}".format)
    words = f"Bar charts of {first.title} on one scale, one for each of {', '.join(runs)}."
    return Figure(frame=frame, written=written, marks=marks, words=words)

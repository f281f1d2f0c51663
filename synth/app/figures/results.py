"""Figures for one release: its accuracy, a column, the residuals and the rules."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import plotly.graph_objects as go

from synth.app.figures.figure import Figure, Writing, by_value
from synth.app.figures.marks import (
    ABOVE,
    GRADES,
    NEUTRAL,
    NOISY,
    SYNTHETIC,
    counts,
    finish,
    intervals,
    labelled,
)
from synth.app.figures.words import count, plain
from synth.app.project.results.released import ColumnView, Held, Residuals
from synth.core.numbers import per_cent
from synth.release.checks.shares import FoundShare
from synth.release.verdict.figures import Verdict
from synth.release.verdict.sentences import USES, grade, grades, interval_of


def marginal(view: ColumnView) -> Figure:
    """Draw synthetic counts as bars, noisy counts as hollow diamonds, and the noise as whiskers."""
    columns, noise = {"Synthetic": view.synthetic}, ""
    if view.noisy is not None:
        columns |= {"Noisy count": view.noisy, "Noise, plus or minus": view.whisker}
        noise = f" Noise whiskers of at most plus or minus {count(max(view.whisker))}."
    frame = by_value(view.title, view.labels, columns)
    marks = go.Figure(counts(view, noisy="noisy count, with its noise"))
    finish(marks, height=360, bargap=0.25, legend={"orientation": "h", "y": 1.14, "x": 0})
    labelled(marks, view.labels, title=view.title)
    marks.update_yaxes(title="people" if view.people else "rows", tickformat=",")
    written: Writing = {
        "Synthetic": round,
        "Noisy count": round,
        "Noise, plus or minus": lambda of: round(of, 1),
    }
    top = view.labels[int(frame["Synthetic"].argmax())]
    among = (
        f"{len(frame)} values, the most frequent is {top}" if len(frame) > 1 else f"{top} is the only value"
    )
    words = f"Bar chart of {view.title}: {among}.{noise}"
    return Figure(frame=frame, written=written, marks=marks, words=words)


def accuracy(verdict: Verdict, confidence: float) -> Figure:
    """Draw a bar per use with its mean error and interval, in the colour of its grade."""
    names = [name for name in USES if name in verdict.means]
    figures = [verdict.means[name] for name in names]
    is_exact = verdict.is_of_this_table
    sizes, bars = intervals(figures, confidence, exact=is_exact)
    uses, said = [USES[name] for name in names], [grades(f, confidence, exact=is_exact) for f in figures]
    bars |= {"thickness": 1.5, "width": 6, "color": NEUTRAL}
    marks = go.Figure()
    marks.add_bar(
        y=uses,
        x=sizes,
        orientation="h",
        marker={"color": [GRADES[grade(size / 100)] for size in sizes]},
        error_x=bars if is_exact else None,
        hovertemplate="%{y}: %{x:.2f}%<extra></extra>",
    )
    beside = {"x": 1, "xref": "paper", "xanchor": "left", "xshift": 8, "align": "left", "showarrow": False}
    for use, words in zip(uses, said, strict=True):
        marks.add_annotation(y=use, text=words.replace(" to ", "<br>to "), **beside)
    finish(marks, height=60 + 44 * len(names), right=110, bargap=0.35, showlegend=False)
    marks.update_yaxes(autorange="reversed", ticksuffix="  ")
    marks.update_xaxes(title="mean error (% of rows)", rangemode="tozero", zeroline=False)
    errors = [interval_of(f, confidence, exact=is_exact) for f in figures]
    frame = pd.DataFrame({"Use": uses, "Mean error": errors, "Grade": said})
    words = "; ".join(f"{use}: {one}" for use, one in zip(uses, errors, strict=True))
    return Figure(frame=frame, marks=marks, words=f"Bars of the mean error. {words}.")


def residuals(found: Residuals) -> Figure:
    """Draw one row of marks for each of the tables with the largest residuals. Residuals beyond three sigmas
    are crosses in the alarm colour.
    """
    views = found.worst
    cells = [(z, place) for place, view in enumerate(views) for z in view.sigmas]
    beyond = [(z, place) for z, place in cells if abs(z) > 3]
    within = [(z, place) for z, place in cells if abs(z) <= 3]
    marks = go.Figure()
    for name, some, symbol, colour in (
        ("within three", within, "line-ns-open", SYNTHETIC),
        ("beyond three", beyond, "x", NOISY),
    ):
        marks.add_scatter(
            x=[z for z, _ in some],
            y=[place for _, place in some],
            name=name,
            mode="markers",
            marker={"symbol": symbol, "size": 9, "color": colour, "line": {"width": 1.2, "color": colour}},
            customdata=[views[place].name for _, place in some],
            hovertemplate="%{customdata}: %{x:.1f} standard deviations<extra></extra>",
        )
    for limit in (-3, 3):
        marks.add_vline(x=limit, line={"color": NEUTRAL, "width": 1, "dash": "dot"})
    names = [view.name for view in views]
    frame = pd.DataFrame(
        {
            "Measured table": names,
            "Cells": [len(view.sigmas) for view in views],
            "Largest, in standard deviations": [max(map(abs, view.sigmas), default=0.0) for view in views],
            "Beyond three": [sum(abs(z) > 3 for z in view.sigmas) for view in views],
        }
    )
    finish(marks, height=90 + 22 * len(frame), legend=ABOVE)
    edge = max([1.08 * z for z in frame["Largest, in standard deviations"]] + [4.0])
    marks.update_xaxes(title="standard deviations of the noise", range=[-edge, edge])
    rows = list(range(len(frame)))
    marks.update_yaxes(tickvals=rows, ticktext=names, range=[len(frame) - 0.5, -0.5])
    words = (
        f"Largest residuals of {len(frame)} measured tables. Of all {found.cells:,} cells, {found.beyond:,} "
        "are off by more than 3 standard deviations."
    )
    written = {"Largest, in standard deviations": lambda z: round(z, 2)}
    return Figure(frame=frame, written=written, marks=marks, words=words)


def rules(held: Sequence[Held], *, rows: int) -> Figure:
    """Return a table with each rule (in Markdown), its source, and how many synthetic rows break it."""
    frame = pd.DataFrame(
        {
            "Rule": [plain(rule.sentence) for rule in held],
            "From": ["stated" if rule.stated else "column declared never blank" for rule in held],
            "Rows that break the rule": [f"{rule.rows:,} of {rows:,}" for rule in held],
        }
    )
    return Figure(frame=frame, words="Every rule with the number of synthetic rows that break it.")


SHARE_FROM = {
    "bought": "measured, with noise",
    "declared": "declared",
    "hidden": "declared, to hide the true one",
}
"""The source of a target proportion in words, by `check.shares.FoundShare.origin`."""


def shares(found: Sequence[FoundShare]) -> Figure:
    """Return a table with the rule of each target proportion (in Markdown), the source of its number, the
    number, and the proportion in the synthetic rows.
    """
    frame = pd.DataFrame(
        {
            "Share": [plain(one.sentence) for one in found],
            "Source of the number": [SHARE_FROM[one.origin] for one in found],
            "Asked for": [_requested(one) for one in found],
            "Reached": [per_cent(one.reached, 3) for one in found],
        }
    )
    return Figure(frame=frame, words="Every target proportion, with the proportion in the synthetic rows.")


def _requested(one: FoundShare) -> str:
    noise = "" if one.sigma is None else f" (typical noise {per_cent(one.sigma, 3)})"
    interval = " to ".join(per_cent(end, 3) for end in one.interval or ())
    return f"{per_cent(one.wanted, 3)}{f' ({interval})' if interval else noise}"

"""The figure of a joint map: small multiples on the same axes, one panel per synthetic table."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import plotly.graph_objects as go

from synth.embed.atlas import Atlas, Sheet
from synth.figures.figure import Figure
from synth.figures.marks import NEUTRAL, NOISY, SYNTHETIC, clear, panels
from synth.ui.finished import Finished

LEVELS = {"start": 0.3, "end": 0.9, "size": 0.3}
"""Lines that hold the densest 30, 60 and 90 per cent of a table."""

MOST_POINTS = 700
"""Most dots drawn per table; the density is that of all rows."""

HEIGHT = 400
"""Of one panel."""


def dots(found: Atlas) -> int:
    """How many dots stand for a table."""
    return min(MOST_POINTS, found.rows)


def atlas(found: Atlas, runs: Sequence[Finished], *, real: str | None = None) -> Figure:
    """Dots and lines of each synthetic table; over them the lines of the private one, or, without it, behind
    them the dots of all other tables.

    With a `real` one it is confidential, and no row of the frame and no dot is of it.
    """
    by_run = {run.run: run for run in runs}
    sheets = [sheet for sheet in found.sheets if sheet.name != real]
    others = [sheet for sheet in found.sheets if sheet.name == real]
    marks, places = panels(
        [by_run[sheet.name].label for sheet in sheets], horizontal_spacing=0.02, vertical_spacing=0.09
    )
    for where, sheet in zip(places, sheets, strict=True):
        is_first = where is places[0]
        if not others:
            behind = [p for s in sheets if s is not sheet for p in s.points[: MOST_POINTS // len(sheets)]]
            marks.add_trace(_dots(behind, NEUTRAL, "the other runs", first=is_first), **where)
        marks.add_trace(
            _dots(sheet.points[:MOST_POINTS], SYNTHETIC, "synthetic rows", first=is_first), **where
        )
        marks.add_trace(_lines(found, sheet, SYNTHETIC, "solid"), **where)
        for other in others:
            marks.add_trace(_lines(found, other, NOISY, "dash"), **where)
    _key(marks, "synthetic rows, where they are dense", SYNTHETIC, "solid")
    if others:
        _key(marks, "real rows, where they are dense", NOISY, "dash")
    _surround(marks, found, height=HEIGHT * places[-1]["row"] + 40)
    names = [by_run[sheet.name].name for sheet in sheets]
    words = f"Map of synthetic rows, one panel for each of {', '.join(names)}."
    if real is not None:
        words = (
            f"Map of rows, one panel for each of {len(names)} runs, with lines where the real rows are dense."
        )
    return Figure(
        frame=pd.DataFrame({"Run": names, "Rows": found.rows, "Dots": dots(found)}),
        marks=marks,
        words=words,
        confidential=real is not None,
    )


def _dots(pairs: Sequence[tuple[float, float]], colour: str, name: str, *, first: bool) -> go.Scatter:
    symbol = "circle" if colour == SYNTHETIC else "circle-open"
    return go.Scatter(
        x=[x for x, _ in pairs],
        y=[y for _, y in pairs],
        mode="markers",
        name=name,
        legendgroup=name,
        showlegend=first,
        marker={"symbol": symbol, "size": 4, "color": colour, "opacity": 0.5},
        hoverinfo="skip",
    )


def _lines(found: Atlas, sheet: Sheet, colour: str, dash: str) -> go.Contour:
    return go.Contour(
        x=list(found.x),
        y=list(found.y),
        z=[list(line) for line in sheet.depth],
        contours={**LEVELS, "coloring": "none"},
        line={"color": colour, "width": 1.8, "dash": dash},
        showscale=False,
        showlegend=False,
        hoverinfo="skip",
    )


def _key(marks: go.Figure, name: str, colour: str, dash: str) -> None:
    """An entry of the legend: lines of a contour have none of their own."""
    line = {"color": colour, "width": 1.8, "dash": dash}
    marks.add_scatter(x=[None], y=[None], mode="lines", name=name, line=line)


def _surround(marks: go.Figure, found: Atlas, *, height: int) -> None:
    """A thin line around every panel and one range for all: places mean something, numbers do not."""
    legend = {"orientation": "h", "y": -0.02, "yanchor": "top", "x": 0}
    clear(marks, height=height, margin=(6, 6, 36, 8), legend=legend)
    marks.update_annotations(yshift=5)
    bare = dict.fromkeys(("showticklabels", "showgrid", "zeroline"), False)
    bare |= {"showline": True, "linecolor": NEUTRAL, "mirror": True, "ticks": ""}
    marks.for_each_xaxis(lambda axis: axis.update(domain=[0.005 + 0.99 * edge for edge in axis.domain]))
    marks.update_xaxes(range=[found.x[0], found.x[-1]], **bare)
    marks.update_yaxes(range=[found.y[0], found.y[-1]], **bare)

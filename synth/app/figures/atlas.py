"""The figure of a joint map: small multiples on the same axes, with one panel per synthetic table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd
import plotly.graph_objects as go

from synth.app.figures.figure import Figure
from synth.app.figures.marks import (
    NEUTRAL,
    NOISY,
    REST,
    SYNTHETIC,
    between,
    clear,
    panels,
    title_room,
)
from synth.app.maps.atlas import Atlas, Sheet
from synth.app.project.runs import SyntheticTable

_LEVELS = {"start": 0.3, "end": 0.9, "size": 0.3, "coloring": "none"}
"""Contour lines around the densest 30, 60 and 90 per cent of a table's rows."""

MOST_POINTS = 700
"""Maximum number of dots per table. The density is computed from all rows."""

_HEIGHT, _LEGEND = 400, 48
"""Heights in pixels of one panel, and of the two lines of legend below all panels."""

_OWN = {"color": SYNTHETIC, "width": 1.8, "dash": "solid"}
_REAL = {"color": NOISY, "width": 1.8, "dash": "dash"}


def dots(drawn: Atlas) -> int:
    """Return the number of dots per table."""
    return min(MOST_POINTS, drawn.rows)


def atlas(drawn: Atlas, runs: Sequence[SyntheticTable], *, real: str | None = None) -> Figure:
    """Draw the dots and contour lines of each synthetic table. If a `real` table is named, its contour lines
    are drawn over them, and the figure is confidential. But neither the frame nor any dot contains a row of
    that table.

    Without a `real` table, the dots of all other tables are drawn behind them.
    """
    by_run = {run.run: run for run in runs}
    sheets = [sheet for sheet in drawn.sheets if sheet.name != real]
    others = [sheet for sheet in drawn.sheets if sheet.name == real]
    titles = [by_run[sheet.name].label for sheet in sheets]
    marks, places = panels(titles, horizontal_spacing=0.02, vertical_spacing=between(titles, _HEIGHT))
    for where, sheet in zip(places, sheets, strict=True):
        is_first = where is places[0]
        if not others:
            behind = [p for s in sheets if s is not sheet for p in s.points[: MOST_POINTS // len(sheets)]]
            marks.add_trace(_dots(behind, NEUTRAL, "the other runs", first=is_first), **where)
        own = sheet.points[:MOST_POINTS]
        marks.add_trace(_dots(own, SYNTHETIC, "synthetic rows", first=is_first), **where)
        for one, line in ((sheet, _OWN), *((other, _REAL) for other in others)):
            marks.add_trace(_contour(drawn, one, line), **where)
    for whose, line in (("synthetic", _OWN), ("real", _REAL))[: 1 + bool(others)]:
        # lines of a contour have no entry of their own in the legend
        name = f"{whose} rows, where they are dense"
        marks.add_scatter(x=[None], y=[None], mode="lines", name=name, line=line)
    room = title_room(titles)
    _surround(marks, drawn, height=(_HEIGHT + room) * places[-1]["row"] + _LEGEND, top=room)
    names = [by_run[sheet.name].name for sheet in sheets]
    words = f"Map of synthetic rows, with one panel per run: {', '.join(names)}."
    if real is not None:
        words = f"Map of rows, one panel for each of {len(names)} runs, with lines where the real rows are "
        words += "dense."
    frame = pd.DataFrame({"Run": names, "Rows": drawn.rows, "Dots": dots(drawn)})
    return Figure(frame=frame, marks=marks, words=words, confidential=real is not None)


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


def _contour(drawn: Atlas, sheet: Sheet, line: dict[str, Any]) -> go.Contour:
    z, silent = [list(row) for row in sheet.depth], {"showlegend": False, "hoverinfo": "skip"}
    x, y = list(drawn.x), list(drawn.y)
    return go.Contour(x=x, y=y, z=z, contours=_LEVELS, line=line, showscale=False, **silent)


def _surround(marks: go.Figure, drawn: Atlas, *, height: int, top: int) -> None:
    """Draw a thin line around every panel, and use the same range for all. Positions can be compared, but the
    numbers on the axes have no meaning. The legend keeps its space below the panels when the window is
    resized.
    """
    legend = {"orientation": "h", "yref": "container", "y": 0.0, "yanchor": "bottom", "x": 0}
    clear(marks, height=height, margin=(6, 6, top, _LEGEND), legend=legend)
    marks.update_annotations(yshift=5)
    bare: dict[str, Any] = dict.fromkeys(("showticklabels", "showgrid", "zeroline"), False)
    bare |= {"showline": True, "linecolor": REST, "mirror": True, "ticks": ""}
    marks.for_each_xaxis(lambda axis: axis.update(domain=[0.005 + 0.99 * edge for edge in axis.domain]))
    marks.update_xaxes(range=[drawn.x[0], drawn.x[-1]], **bare)
    marks.update_yaxes(range=[drawn.y[0], drawn.y[-1]], **bare)

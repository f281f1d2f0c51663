"""A joint map as small multiples on the same axes: one panel per synthetic table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from synth.embed.atlas import Atlas, Sheet
from synth.ui.charts import NEUTRAL, NOISY, SYNTHETIC

LEVELS = {"start": 0.3, "end": 0.9, "size": 0.3}
"""Lines that hold the densest 30, 60 and 90 per cent of a table."""

MOST_POINTS = 700
"""Most dots drawn per table; the density is that of all rows."""

ACROSS = 2
HEIGHT = 400


def dots(found: Atlas) -> int:
    """How many dots stand for a table."""
    return min(MOST_POINTS, found.rows)


def atlas(found: Atlas, names: Mapping[str, str], *, real: str | None = None) -> go.Figure:
    """Dots and lines of each synthetic table; over them the lines of the private one, or, without it, behind
    them the dots of all other tables."""
    panels = [sheet for sheet in found.sheets if sheet.name != real]
    others = [sheet for sheet in found.sheets if sheet.name == real]
    across = min(ACROSS, len(panels))
    rows = -(-len(panels) // across)
    figure = make_subplots(
        rows=rows,
        cols=across,
        subplot_titles=[names[sheet.name] for sheet in panels],
        horizontal_spacing=0.02,
        vertical_spacing=0.09,
    )
    for place, sheet in enumerate(panels):
        where = {"row": place // across + 1, "col": place % across + 1}
        if not others:
            backdrop = [p for s in panels if s is not sheet for p in s.points[: MOST_POINTS // len(panels)]]
            figure.add_trace(_dots(backdrop, NEUTRAL, "the other runs", first=place == 0), **where)
        figure.add_trace(
            _dots(sheet.points[:MOST_POINTS], SYNTHETIC, "synthetic rows", first=place == 0), **where
        )
        figure.add_trace(_lines(found, sheet, SYNTHETIC, "solid"), **where)
        for other in others:
            figure.add_trace(_lines(found, other, NOISY, "dash"), **where)
    figure.add_scatter(**_key("synthetic rows, where they are dense", SYNTHETIC, "solid"))
    if others:
        figure.add_scatter(**_key("real rows, where they are dense", NOISY, "dash"))
    _frame(figure, found, height=HEIGHT * rows + 40)
    return figure


def _dots(pairs: Sequence[tuple[float, float]], colour: str, name: str, *, first: bool) -> go.Scatter:
    return go.Scatter(
        x=[x for x, _ in pairs],
        y=[y for _, y in pairs],
        mode="markers",
        name=name,
        legendgroup=name,
        showlegend=first,
        marker={
            "symbol": "circle" if colour == SYNTHETIC else "circle-open",
            "size": 4,
            "color": colour,
            "opacity": 0.5,
        },
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


def _key(name: str, colour: str, dash: str) -> dict[str, object]:
    """An entry of the legend: lines of a contour have none of their own."""
    line = {"color": colour, "width": 1.8, "dash": dash}
    return {"x": [None], "y": [None], "mode": "lines", "name": name, "line": line}


def _frame(figure: go.Figure, found: Atlas, *, height: int) -> None:
    figure.update_layout(
        height=height,
        margin={"l": 6, "r": 6, "t": 36, "b": 8},
        paper_bgcolor="rgba(0,0,0,0)",
        plot_bgcolor="rgba(0,0,0,0)",
        legend={"orientation": "h", "y": -0.02, "yanchor": "top", "x": 0},
    )
    figure.update_annotations(yshift=5)
    frame: dict[str, object] = {
        "showticklabels": False,
        "showgrid": False,
        "zeroline": False,
        "showline": True,
    }
    frame |= {"linecolor": NEUTRAL, "mirror": True, "ticks": ""}
    figure.for_each_xaxis(lambda axis: axis.update(domain=[0.005 + 0.99 * edge for edge in axis.domain]))
    figure.update_xaxes(range=[found.x[0], found.x[-1]], **frame)
    figure.update_yaxes(range=[found.y[0], found.y[-1]], **frame)

"""One column of several runs, as small multiples on the same axes."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from synth.project.released import ColumnView
from synth.ui.charts import MOST_LABELS, NOISY, SYNTHETIC

ACROSS = 2
HEIGHT = 250


def column(views: Sequence[tuple[str, ColumnView]]) -> go.Figure:
    """A panel per run: synthetic counts as bars, its own noisy counts as hollow diamonds with whiskers.

    All panels have the same labels in the same order and one scale.
    """
    across = min(ACROSS, len(views))
    rows = -(-len(views) // across)
    figure = make_subplots(
        rows=rows,
        cols=across,
        subplot_titles=[name for name, _ in views],
        shared_xaxes="all",
        shared_yaxes="all",
        horizontal_spacing=0.04,
        vertical_spacing=0.22 / rows if rows > 1 else 0.0,
    )
    for place, (_, view) in enumerate(views):
        where = {"row": place // across + 1, "col": place % across + 1}
        places = list(range(len(view.labels)))
        figure.add_trace(_bars(view, places, first=place == 0), **where)
        if view.noisy is not None:
            figure.add_trace(_marks(view, places, view.noisy, first=place == 0), **where)
    labels = views[0][1].labels
    shown = list(range(len(labels)))[:: -(-len(labels) * across // MOST_LABELS)]
    figure.update_xaxes(tickvals=shown, ticktext=[labels[i] for i in shown], tickangle=-40, showgrid=False)
    figure.update_yaxes(automargin=True)
    figure.update_yaxes(title="people" if views[0][1].people else "rows", col=1)
    figure.update_annotations(yshift=4)
    figure.update_layout(
        height=HEIGHT * rows + 110,
        margin={"l": 8, "r": 8, "t": 40, "b": 8},
        paper_bgcolor="rgba(0,0,0,0)",
        plot_bgcolor="rgba(0,0,0,0)",
        bargap=0.25,
        legend={"orientation": "h", "yref": "container", "y": 0.0, "yanchor": "bottom", "x": 0},
    )
    return figure


def _bars(view: ColumnView, places: list[int], *, first: bool) -> go.Bar:
    return go.Bar(
        x=places,
        y=list(view.synthetic),
        name="synthetic rows",
        legendgroup="synthetic",
        showlegend=first,
        marker={"color": SYNTHETIC, "line": {"width": 0}},
        customdata=list(view.labels),
        hovertemplate="%{customdata}<br>synthetic %{y:,.0f}<extra></extra>",
    )


def _marks(view: ColumnView, places: list[int], noisy: Sequence[float], *, first: bool) -> go.Scatter:
    return go.Scatter(
        x=places,
        y=list(noisy),
        name="noisy count of the same run, with its noise",
        legendgroup="noisy",
        showlegend=first,
        mode="markers",
        marker={"symbol": "diamond-open", "size": 7, "color": NOISY, "line": {"width": 1.4}},
        error_y={"type": "constant", "value": view.whisker, "color": NOISY, "thickness": 1, "width": 3},
        customdata=list(view.labels),
        hovertemplate=f"%{{customdata}}<br>noisy %{{y:,.0f}} ± {view.whisker:,.0f}<extra></extra>",
    )

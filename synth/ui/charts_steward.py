"""Pictures of the steward's view. NOT PRIVATE: a figure carries its numbers with it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import plotly.graph_objects as go

from synth.evaluate.findings import ColumnFinding, PairFinding, Score
from synth.ui.charts import MOST_LABELS, NEUTRAL, NOISY, REST, SCALE, SYNTHETIC

MOST_BARS = 40


def distances(columns: Sequence[ColumnFinding], titles: Mapping[str, str]) -> go.Figure:
    """One bar per column, the furthest off at the top."""
    shown = columns[:MOST_BARS]
    figure = go.Figure()
    figure.add_bar(
        x=[c.tvd * 100 for c in shown],
        y=[titles[c.name] for c in shown],
        orientation="h",
        marker={"color": SYNTHETIC, "line": {"width": 0}},
        text=[f"{c.tvd * 100:.1f}" for c in shown],
        textposition="outside",
        cliponaxis=False,
        hovertemplate="%{y}: %{x:.1f} %<extra></extra>",
    )
    _frame(figure, height=70 + 26 * len(shown))
    figure.update_yaxes(autorange="reversed", type="category", showgrid=False)
    figure.update_xaxes(title="per cent of rows", rangemode="tozero")
    figure.update_layout(showlegend=False, bargap=0.35)
    return figure


def overlay(column: ColumnFinding, labels: Sequence[str], title: str) -> go.Figure:
    """Shares of rows per value: the real ones as hatched bars, the synthetic ones filled, side by side."""
    figure = go.Figure()
    places = list(range(len(labels)))
    for name, shares, colour, pattern in (
        ("real", column.real, NOISY, "/"),
        ("synthetic", column.synthetic, SYNTHETIC, ""),
    ):
        figure.add_bar(
            x=places,
            y=[share * 100 for share in shares],
            name=name,
            marker={
                "color": colour,
                "pattern": {"shape": pattern, "fillmode": "replace", "size": 6, "solidity": 0.45},
                "line": {"width": 1, "color": colour},
            },
            customdata=list(labels),
            hovertemplate=f"%{{customdata}}<br>{name} %{{y:.1f}} %<extra></extra>",
        )
    _frame(figure, height=360)
    shown = places[:: -(-len(places) // MOST_LABELS)]
    words = [labels[i] for i in shown]
    figure.update_xaxes(tickvals=shown, ticktext=words, title=title, showgrid=False)
    figure.update_xaxes(tickangle=-40 if sum(map(len, words)) > 90 else 0)
    figure.update_yaxes(title="per cent of rows", rangemode="tozero")
    figure.update_layout(barmode="group", bargap=0.25, legend={"orientation": "h", "y": 1.14, "x": 0})
    return figure


def pairs(found: Sequence[PairFinding], titles: Mapping[str, str]) -> go.Figure:
    """The lower triangle of all pairs, the number in every cell, columns in the order of `titles`."""
    names = list(titles)
    place = {name: i for i, name in enumerate(names)}
    grid: list[list[float | None]] = [[None] * (len(names) - 1) for _ in names[1:]]
    for pair in found:
        left, right = sorted((place[pair.left], place[pair.right]))
        grid[right - 1][left] = pair.tvd * 100
    figure = go.Figure()
    figure.add_heatmap(
        x=[titles[n] for n in names[:-1]],
        y=[titles[n] for n in names[1:]],
        z=grid,
        colorscale=[[i / (len(SCALE) - 1), colour] for i, colour in enumerate(SCALE)],
        zmin=0,
        zmax=max(5.0, max((p.tvd * 100 for p in found), default=0.0)),
        texttemplate="%{z:.0f}",
        xgap=2,
        ygap=2,
        hoverongaps=False,
        showscale=False,
        hovertemplate="%{y}, %{x}<br>%{z:.1f} %<extra></extra>",
    )
    _frame(figure, height=150 + 34 * max(len(names) - 1, 1))
    figure.update_xaxes(tickangle=-40, showgrid=False, type="category")
    figure.update_yaxes(autorange="reversed", showgrid=False, zeroline=False, type="category")
    return figure


def scores(found: Sequence[Score], titles: Mapping[str, str]) -> go.Figure:
    """Per predicted column: guessing, learned on synthetic rows, learned on real rows, on one scale."""
    figure = go.Figure()
    for score in found:
        low, high = (
            min(score.guess, score.synthetic, score.real),
            max(score.synthetic, score.real, score.guess),
        )
        figure.add_scatter(
            x=[low * 100, high * 100],
            y=[titles[score.target]] * 2,
            mode="lines",
            line={"color": REST, "width": 5},
            hoverinfo="skip",
            showlegend=False,
        )
    for name, symbol, colour, values in (
        ("guessing", "x-thin-open", NEUTRAL, [s.guess for s in found]),
        ("learned on synthetic rows", "diamond", SYNTHETIC, [s.synthetic for s in found]),
        ("learned on real rows", "circle-open", NOISY, [s.real for s in found]),
    ):
        figure.add_scatter(
            x=[v * 100 for v in values],
            y=[titles[s.target] for s in found],
            mode="markers",
            name=name,
            marker={"symbol": symbol, "size": 13, "color": colour, "line": {"width": 2.4, "color": colour}},
            hovertemplate=f"%{{y}}: {name} %{{x:.1f}} %<extra></extra>",
        )
    _frame(figure, height=110 + 46 * len(found))
    figure.update_yaxes(autorange="reversed", type="category", showgrid=False)
    figure.update_xaxes(title="score, per cent")
    figure.update_layout(legend={"orientation": "h", "y": 1.0, "yanchor": "bottom", "x": 0})
    return figure


def _frame(figure: go.Figure, *, height: int) -> None:
    figure.update_layout(
        height=height,
        margin={"l": 8, "r": 24, "t": 12, "b": 8},
        paper_bgcolor="rgba(0,0,0,0)",
        plot_bgcolor="rgba(0,0,0,0)",
        font={"size": 13},
    )
    figure.update_xaxes(automargin=True)
    figure.update_yaxes(automargin=True)

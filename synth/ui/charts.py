"""From what a report says to a picture: pure functions, no streamlit, no file.

Every chart tells its groups apart by pattern or shape as well as by colour. Colours of data are middle tones
that can be told apart on light and on dark paper and by colour-blind readers (teal, vermilion, violet, grey);
text and grids have no colour here, they take the theme's.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import plotly.graph_objects as go

from synth.project.released import ColumnView, PairBound, ResidualView

SYNTHETIC = "#4f94a1"
NOISY = "#d2593a"
SPENT = "#8a79b5"
NEUTRAL = "#8a959b"
REST = "rgba(128, 138, 144, 0.35)"
SCALE = ("#cfe3e2", "#9fc7cb", "#6babb1", "#2f818d", "#0b5667")
"""Bounds up to 5, 10, 20, 40 and 100 per cent."""
LINE_LOOKS = {
    "spent": (SPENT, ""),
    "reserved": (SPENT, "x"),
    "this run": (NOISY, "/"),
    "given up": (NEUTRAL, "."),
    "left": (REST, ""),
}
"""Colour and pattern of every part of a budget line."""

INKS = ("#10191d", "#ffffff")

SIDE = 10
"""Icons per row of an icon array of one hundred."""

MOST_LABELS = 30
"""Tick labels beyond this are thinned; the bars are not."""


def odds(posterior: float) -> go.Figure:
    """Two icon arrays of one hundred guesses: by coin, and at most after seeing the release."""
    figure = go.Figure()
    for place, right in enumerate((50, round(posterior * 100))):
        spots = [(place * (SIDE + 4) + i % SIDE, -(i // SIDE)) for i in range(SIDE * SIDE)]
        for name, some, symbol in (
            ("right", spots[:right], "square"),
            ("wrong", spots[right:], "square-open"),
        ):
            figure.add_scatter(
                x=[x for x, _ in some],
                y=[y for _, y in some],
                mode="markers",
                name=name,
                showlegend=place == 0,
                legendgroup=name,
                marker={
                    "symbol": symbol,
                    "size": 11,
                    "color": SYNTHETIC if symbol == "square" else NEUTRAL,
                },
                hoverinfo="skip",
            )
        words = "a coin: 50 right" if place == 0 else f"with the release: at most {right}"
        figure.add_annotation(
            x=place * (SIDE + 4) + 4.5,
            y=1.5,
            text=words,
            showarrow=False,
            font={"size": 13},
        )
    frame(figure, height=250)
    figure.update_xaxes(visible=False, range=[-1, 2 * SIDE + 4])
    figure.update_yaxes(visible=False, range=[-SIDE, 2.3], scaleanchor="x")
    figure.update_layout(legend={"orientation": "h", "y": -0.05, "x": 0})
    return figure


def ledger(parts: Mapping[str, float]) -> go.Figure:
    """One bar of a budget line in per cent: what is spent, reserved, asked for now, given up, and left."""
    figure = go.Figure()
    for name, share in parts.items():
        colour, pattern = LINE_LOOKS[name]
        figure.add_bar(
            y=[""],
            x=[share * 100],
            name=f"{name} {share * 100:.0f} %",
            orientation="h",
            marker={
                "color": colour,
                "pattern": {"shape": pattern, "fgcolor": INKS[1], "fillmode": "overlay", "size": 8},
                "line": {"width": 0},
            },
            hovertemplate=f"{name}: %{{x:.1f}} %<extra></extra>",
        )
    frame(figure, height=110)
    figure.update_layout(barmode="stack", legend={"orientation": "h", "y": -0.25, "traceorder": "normal"})
    figure.update_xaxes(range=[0, 100], visible=False)
    figure.update_yaxes(visible=False)
    return figure


def marginal(view: ColumnView) -> go.Figure:
    """Synthetic counts as bars, noisy counts as hollow diamonds, and the noise as whiskers."""
    figure = go.Figure()
    places = list(range(len(view.labels)))
    figure.add_bar(
        x=places,
        y=list(view.synthetic),
        name="synthetic rows",
        marker={"color": SYNTHETIC, "line": {"width": 0}},
        customdata=list(view.labels),
        hovertemplate="%{customdata}<br>synthetic %{y:,.0f}<extra></extra>",
    )
    if view.noisy is not None:
        figure.add_scatter(
            x=places,
            y=list(view.noisy),
            name="noisy count, with its noise",
            mode="markers",
            marker={"symbol": "diamond-open", "size": 9, "color": NOISY, "line": {"width": 1.6}},
            error_y={
                "type": "constant",
                "value": view.whisker,
                "color": NOISY,
                "thickness": 1.2,
                "width": 4,
            },
            customdata=list(view.labels),
            hovertemplate=f"%{{customdata}}<br>noisy %{{y:,.0f}} ± {view.whisker:,.0f}<extra></extra>",
        )
    frame(figure, height=360)
    shown = places[:: -(-len(places) // MOST_LABELS)]
    words = [view.labels[i] for i in shown]
    figure.update_xaxes(tickvals=shown, ticktext=words, title=view.title, showgrid=False)
    figure.update_xaxes(tickangle=-40 if sum(map(len, words)) > 90 else 0)
    figure.update_yaxes(title="people" if view.people else "rows")
    figure.update_layout(bargap=0.25, legend={"orientation": "h", "y": 1.14, "x": 0})
    return figure


def residuals(views: Sequence[ResidualView]) -> go.Figure:
    """One row of marks per measured table; those beyond three sigmas are crosses in the alarm colour."""
    figure = go.Figure()
    for name, symbol, colour, flagged in (
        ("within three", "line-ns-open", SYNTHETIC, False),
        ("beyond three", "x", NOISY, True),
    ):
        marks = [
            (z, place) for place, view in enumerate(views) for z in view.sigmas if (abs(z) > 3) == flagged
        ]
        figure.add_scatter(
            x=[z for z, _ in marks],
            y=[place for _, place in marks],
            name=name,
            mode="markers",
            marker={"symbol": symbol, "size": 9, "color": colour, "line": {"width": 1.2, "color": colour}},
            customdata=[views[place].name for _, place in marks],
            hovertemplate="%{customdata}: %{x:.1f} sigma<extra></extra>",
        )
    for limit in (-3, 3):
        figure.add_vline(x=limit, line={"color": NEUTRAL, "width": 1, "dash": "dot"})
    frame(figure, height=90 + 22 * len(views))
    figure.update_yaxes(
        tickvals=list(range(len(views))),
        ticktext=[view.name for view in views],
        range=[len(views) - 0.5, -0.5],
    )
    reach = max((abs(z) for view in views for z in view.sigmas), default=0.0)
    edge = max(1.08 * reach, 4.0)
    figure.update_xaxes(title="sigma", range=[-edge, edge])
    figure.update_layout(legend={"orientation": "h", "y": 1.0, "yanchor": "bottom", "x": 0})
    return figure


KIND_PATTERN = {"measured": "", "inferred": "/", "none": "."}
NOWHERE: list[Any] = [None]
"""One mark that is not drawn: a trace without any would lose its place in the legend."""

KIND_WORD = {"measured": "measured", "inferred": "inferred", "none": "no bound"}


def bounds(pairs: Sequence[PairBound], names: Sequence[str]) -> go.Figure:
    """The lower triangle of all pairs: colour for the bound, pattern for its source."""
    figure = go.Figure()
    place = {name: i for i, name in enumerate(names)}
    numbers: list[dict[str, Any]] = []
    for kind, pattern in KIND_PATTERN.items():
        some = [p for p in pairs if p.kind == kind]
        where = [_triangle(p, place) for p in some]
        texts = ["-" if p.share is None else f"{p.share * 100:.0f}" for p in some]
        figure.add_bar(
            x=[x for x, _ in where] or NOWHERE,
            y=[0.94] * len(where) or NOWHERE,
            base=[y - 0.47 for _, y in where] or NOWHERE,
            width=0.94,
            name=KIND_WORD[kind],
            marker={
                "color": [_shade(p.share) for p in some] or [NEUTRAL],
                "pattern": {
                    "shape": pattern,
                    "fgcolor": INKS[1],
                    "fillmode": "overlay",
                    "fgopacity": 0.7,
                    "size": 7,
                    "solidity": 0.25,
                },
                "line": {"width": 0},
            },
            customdata=[p.name for p in some],
            text=texts,
            hovertemplate="%{customdata}<br>at most %{text} %<extra>" + KIND_WORD[kind] + "</extra>",
            textposition="none",
        )
        numbers += [
            {
                "x": x,
                "y": y,
                "text": words,
                "showarrow": False,
                "borderpad": 2,
                "bgcolor": _shade(p.share),
                "font": {"size": 12, "color": _on(p.share)},
            }
            for p, (x, y), words in zip(some, where, texts, strict=True)
        ]
    size = len(names)
    frame(figure, height=150 + 36 * max(size - 1, 1))
    figure.update_layout(
        annotations=numbers,
        barmode="overlay",
        legend={"orientation": "h", "y": 1.0, "yanchor": "bottom", "x": 0},
    )
    figure.update_xaxes(
        tickvals=list(range(size - 1)),
        ticktext=list(names[:-1]),
        tickangle=-40,
        showgrid=False,
        range=[-0.6, size - 1.4],
    )
    figure.update_yaxes(
        tickvals=list(range(1, size)),
        ticktext=list(names[1:]),
        showgrid=False,
        zeroline=False,
        range=[size - 0.4, 0.4],
    )
    return figure


def _triangle(pair: PairBound, place: Mapping[str, int]) -> tuple[int, int]:
    left, right = sorted((place[pair.left], place[pair.right]))
    return left, right


def _step(share: float | None) -> int:
    edges = (0.05, 0.1, 0.2, 0.4)
    return 0 if share is None else sum(share > edge for edge in edges)


def _shade(share: float | None) -> str:
    return NEUTRAL if share is None else SCALE[_step(share)]


def _on(share: float | None) -> str:
    """Ink or paper, whichever is easier to read on a shade."""
    ground = _luminance(_shade(share))
    return max(
        INKS,
        key=lambda hue: abs(math.log((_luminance(hue) + 0.05) / (ground + 0.05))),
    )


def _luminance(colour: str) -> float:
    """Relative luminance of a hex colour (WCAG 2.2)."""
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def frame(figure: go.Figure, *, height: int) -> None:
    """What every figure shares: transparent paper, small margins, room for labels."""
    figure.update_layout(
        height=height,
        margin={"l": 8, "r": 8, "t": 12, "b": 8},
        paper_bgcolor="rgba(0,0,0,0)",
        plot_bgcolor="rgba(0,0,0,0)",
        font={"size": 13},
    )
    figure.update_xaxes(automargin=True)
    figure.update_yaxes(automargin=True)

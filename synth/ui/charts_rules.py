"""What a rule takes away, as a picture: a patterned grid of combinations. Pure, no streamlit, no file."""

from __future__ import annotations

import plotly.graph_objects as go

from synth.project.rules import Picture
from synth.ui.charts import INKS, NEUTRAL, NOISY, NOWHERE, REST, frame
from synth.ui.text import rules as text

LOOKS = {"impossible": (NOISY, "x"), "partly": (NEUTRAL, "/"), "possible": (REST, "")}
"""Colour and pattern of every state; no two share both."""

LINE, MARGIN = 26, 130


def state_of(removed: float) -> str:
    """The state of a block of combinations, given which part of it a rule removes."""
    return "impossible" if removed >= 1 else "possible" if removed <= 0 else "partly"


def grid(picture: Picture) -> go.Figure:
    """One block per combination: crossed where the rule excludes it, hatched where it excludes a part."""
    figure = go.Figure()
    blocks = [(x, y, removed) for y, row in enumerate(picture.removed) for x, removed in enumerate(row)]
    for state, (colour, pattern) in LOOKS.items():
        some = [(x, y, removed) for x, y, removed in blocks if state_of(removed) == state]
        figure.add_bar(
            x=[x for x, _, _ in some] or NOWHERE,
            y=[0.92] * len(some) or NOWHERE,
            base=[y - 0.46 for _, y, _ in some] or NOWHERE,
            width=0.92,
            name=text.STATES[state],
            marker={
                "color": colour,
                "pattern": {
                    "shape": pattern,
                    "fgcolor": INKS[1],
                    "fillmode": "overlay",
                    "size": 7,
                    "solidity": 0.3,
                },
                "line": {"width": 0},
            },
            customdata=[_words(picture, x, y) for x, y, _ in some],
            hovertemplate="%{customdata}<extra>" + text.STATES[state] + "</extra>",
        )
    high, wide = len(picture.labels_down), len(picture.labels_across)
    frame(figure, height=MARGIN + LINE * high + (70 if _is_tilted(picture) else 0))
    figure.update_layout(
        barmode="overlay", legend={"orientation": "h", "y": 1.0, "yanchor": "bottom", "x": 0}
    )
    figure.update_xaxes(
        tickvals=list(range(wide)),
        ticktext=list(picture.labels_across),
        tickangle=-40 if _is_tilted(picture) else 0,
        title=picture.across,
        showgrid=False,
        range=[-0.6, wide - 0.4],
    )
    figure.update_yaxes(
        tickvals=list(range(high)),
        ticktext=list(picture.labels_down),
        title=picture.down,
        showgrid=False,
        zeroline=False,
        range=[high - 0.4, -0.6],
    )
    return figure


def _is_tilted(picture: Picture) -> bool:
    return sum(len(label) for label in picture.labels_across) > 70


def _words(picture: Picture, x: int, y: int) -> str:
    across = f"{picture.across}: {picture.labels_across[x]}"
    return f"{picture.down}: {picture.labels_down[y]}<br>{across}" if picture.down else across

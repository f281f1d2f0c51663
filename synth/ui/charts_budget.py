"""The pictures of the budget page: pure functions, no streamlit, no file."""

from __future__ import annotations

from collections.abc import Mapping

import plotly.graph_objects as go

from synth.ui.charts import INKS, NEUTRAL, NOISY, REST, SPENT, SYNTHETIC, frame

LOOKS = {
    "domain": ("#c99a2e", "."),
    "columns": (SYNTHETIC, ""),
    "choosing": (NEUTRAL, "x"),
    "relations": (NOISY, "/"),
    "method": (NOISY, "/"),
    "comparison": (SPENT, "\\"),
    "later": (REST, ""),
}
"""Colour and pattern of every part; no two parts share both."""

WIDE = 0.07
"""A segment below this share has no room for its number; the legend says it."""


def shares(parts: Mapping[str, float], names: Mapping[str, str]) -> go.Figure:
    """One bar of 100 per cent: what every part of a budget gets, by colour, pattern and words."""
    figure = go.Figure()
    for part, share in parts.items():
        colour, pattern = LOOKS[part]
        figure.add_bar(
            y=[""],
            x=[share * 100],
            name=f"{names[part]} {share * 100:.0f} %",
            orientation="h",
            text=[f"<b>{share * 100:.0f} %</b>" if share >= WIDE else ""],
            textposition="inside",
            insidetextanchor="middle",
            textangle=0,
            constraintext="none",
            textfont={"color": INKS[1], "size": 14} if part != "later" else {"size": 14},
            marker={
                "color": colour,
                "pattern": {
                    "shape": pattern,
                    "fgcolor": INKS[1],
                    "fillmode": "overlay",
                    "fgopacity": 0.35,
                    "size": 9,
                    "solidity": 0.2,
                },
                "line": {"width": 1, "color": "rgba(255, 255, 255, 0.5)"},
            },
            hovertemplate=f"{names[part]}: %{{x:.1f}} %<extra></extra>",
        )
    frame(figure, height=150)
    figure.update_layout(
        barmode="stack", bargap=0.1, legend={"orientation": "h", "y": -0.1, "traceorder": "normal"}
    )
    figure.update_xaxes(range=[0, 100], visible=False)
    figure.update_yaxes(visible=False)
    return figure

"""The picture of the run page: a budget line before a run and after it."""

from __future__ import annotations

from collections.abc import Mapping

import plotly.graph_objects as go

from synth.ui.charts import INKS, LINE_LOOKS, frame


def before_after(lines: Mapping[str, Mapping[str, float]]) -> go.Figure:
    """One bar per line, the first on top. `lines` gives each bar's parts as shares of the lifetime limit.

    A line may be longer than the limit: that is a run which does not fit, and the mark at 100 % shows it.
    """
    figure, names = go.Figure(), list(lines)
    for part, (colour, pattern) in LINE_LOOKS.items():
        if not any(part in line for line in lines.values()):
            continue
        figure.add_bar(
            y=names,
            x=[lines[name].get(part, 0.0) * 100 for name in names],
            name=part,
            orientation="h",
            marker={
                "color": colour,
                "pattern": {"shape": pattern, "fgcolor": INKS[1], "fillmode": "overlay", "size": 8},
                "line": {"width": 0},
            },
            hovertemplate=f"%{{y}}: {part} %{{x:.1f}} %<extra></extra>",
        )
    longest = max(sum(line.values()) for line in lines.values()) * 100
    frame(figure, height=190)
    figure.add_vline(x=100, line={"width": 1.5, "dash": "dot"})
    figure.update_layout(
        barmode="stack",
        bargap=0.35,
        legend={"orientation": "h", "y": -0.3, "x": 0, "traceorder": "normal"},
    )
    figure.update_xaxes(
        range=[0, max(100.0, longest) * 1.01], ticksuffix=" %", showgrid=False, zeroline=False
    )
    figure.update_yaxes(range=[len(names) - 0.5, -0.5], ticksuffix="  ")
    return figure

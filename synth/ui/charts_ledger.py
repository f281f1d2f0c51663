"""The picture of the ledger page: one bar for each population. Pure, no streamlit, no file."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go

from synth.project.ledger import BudgetLine
from synth.ui.charts import INKS, LINE_LOOKS, frame


def lines(found: Sequence[BudgetLine]) -> go.Figure:
    """Lifetime budgets in per cent of their limits: what is spent, held by open runs, and left.

    What is left is written beside the name, where it can be read on light and on dark paper.
    """
    figure = go.Figure()
    names = [line.population for line in found]
    shares = [line.parts() for line in found]
    for part in ("spent", "reserved", "left"):
        colour, pattern = LINE_LOOKS[part]
        values = [share[part] for share in shares]
        figure.add_bar(
            y=names,
            x=[value * 100 for value in values],
            name=part,
            orientation="h",
            marker={
                "color": colour,
                "pattern": {"shape": pattern, "fgcolor": INKS[1], "fillmode": "overlay", "size": 8},
                "line": {"width": 0},
            },
            hovertemplate=f"%{{y}}<br>{part}: %{{x:.1f}} %<extra></extra>",
        )
    frame(figure, height=100 + 44 * len(names))
    figure.update_layout(
        barmode="stack",
        bargap=0.4,
        legend={"orientation": "h", "y": 1.0, "yanchor": "bottom", "x": 0, "traceorder": "normal"},
    )
    figure.update_xaxes(range=[0, 101], dtick=25, ticksuffix=" %", title="of the lifetime limit")
    words = [f"{name}<br>{share['left'] * 100:.0f} % left" for name, share in zip(names, shares, strict=True)]
    figure.update_yaxes(
        autorange="reversed", type="category", automargin=True, tickvals=names, ticktext=words
    )
    return figure

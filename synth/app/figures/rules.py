"""The figure of a rule: the combinations that it excludes."""

from __future__ import annotations

import pandas as pd
import plotly.graph_objects as go

from synth.app.figures.figure import Figure, by_value
from synth.app.figures.marks import INK, NEUTRAL, NOISY, REST, colour_bar, finish
from synth.app.project.describe.rules import Picture
from synth.core.numbers import TIMES

STATES = ("possible", "partly impossible", "impossible")
_SIGNS, _COLOURS = ("", "/", "\N{MULTIPLICATION SIGN}"), (REST, NEUTRAL, NOISY)
"""Sign and colour of a combination for each state."""

_LINE, _MARGIN = 26, 130


def combinations(picture: Picture) -> Figure:
    """Draw a cell per combination, with a cross if the rule excludes it and a stroke if the rule excludes
    part of it.

    The table has one row per value of the vertical column, with the values of the other column in three
    lists.
    """
    across, down = list(picture.labels_across), list(picture.labels_down)
    states = [[2 if gone >= 1 else 0 if gone <= 0 else 1 for gone in row] for row in picture.removed]
    marks = go.Figure()
    marks.add_heatmap(
        x=across,
        y=down,
        z=states,
        zmin=-0.5,
        zmax=2.5,
        colorscale=[[(i + end) / 3, colour] for i, colour in enumerate(_COLOURS) for end in (0, 1)],
        colorbar=colour_bar("", tickvals=[0, 1, 2], ticktext=STATES),
        xgap=2,
        ygap=2,
        text=[[_SIGNS[state] for state in row] for row in states],
        texttemplate="%{text}",
        textfont={"color": INK},
        customdata=[[STATES[state] for state in row] for row in states],
        hovertemplate="%{y}, %{x}: %{customdata}<extra></extra>",
    )
    is_tilted = sum(map(len, across)) > 70
    finish(marks, height=_MARGIN + _LINE * len(down) + 70 * is_tilted)
    marks.update_xaxes(type="category", title=picture.across, tickangle=-40 * is_tilted)
    marks.update_yaxes(type="category", title=picture.down, autorange="reversed")
    lists = {
        name.capitalize(): [
            ", ".join(label for label, state in zip(across, row, strict=True) if STATES[state] == name)
            for row in states
        ]
        for name in STATES
    }
    frame = by_value(picture.down, down, lists) if picture.down else pd.DataFrame(lists)
    counted = ", ".join(f"{sum(row.count(i) for row in states)} {name}" for i, name in enumerate(STATES))
    rest = f" Averaged over {', '.join(picture.also)}." if picture.also else ""
    words = f"Grid of {TIMES.join(filter(None, (picture.down, picture.across)))}: {counted}.{rest}"
    return Figure(frame=frame, marks=marks, words=words)

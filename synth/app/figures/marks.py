"""Common parts of figures: colours, patterns and shapes. This module reads no files.

Every picture distinguishes its groups by pattern or shape as well as by colour. Data has medium tones (teal,
vermilion, violet, grey) that colour-blind readers can distinguish, on both light and dark backgrounds. Text
and grids use the theme's colours.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from synth.app.figures.words import share
from synth.app.project.results.released import ColumnView
from synth.release.verdict.figures import Figure as Measured

SYNTHETIC, NOISY, SPENT, NEUTRAL = "#4f94a1", "#d2593a", "#8a79b5", "#8a959b"
REST = "rgba(128, 138, 144, 0.35)"
PAPER = "#ffffff"
SHADES = tuple(f"rgba(42, 116, 128, {part})" for part in (0.1, 0.25, 0.45, 0.68, 1.0))
"""Colours from good to bad. The colour for good values is close to the background, light or dark. The theme's
text colour is readable on all except the last colour, which needs light text.
"""
GRADES = {"very accurate": SYNTHETIC, "accurate": "#6aa3ab", "rough": "#d9a441", "poor": NOISY}
"""The colour of each grade of a measured error."""
MOST_LABELS = 30
"""Number of labels above which some tick labels are left out, but no bars."""
ABOVE = {"orientation": "h", "y": 1.0, "yanchor": "bottom", "x": 0}
"""Settings for a legend between the top of a picture and its marks."""
_RUN_COLOURS = (SYNTHETIC, NOISY, SPENT, "#b08a2e", "#6a8f55", "#b0647c", "#5f82b8", NEUTRAL)
_RUN_SYMBOLS = ("circle", "diamond", "square", "triangle-up", "x", "cross", "star", "pentagon")
IN_FULL = {"separatethousands": True, "exponentformat": "none"}
"""Settings that write numbers on axes and colour scales in full: 10,000 instead of 10k."""
_TITLE_LINE = 19
"""Height of one line of a panel's title, in pixels."""


def _hatched(colour: str | Sequence[str], shape: str, **pattern: float) -> dict[str, Any]:
    """Return a marker with a pattern over its colour."""
    overlay = {"shape": shape, "fgcolor": PAPER, "fillmode": "overlay", **pattern}
    return {"color": colour, "pattern": overlay, "line": {"width": 0}}


INK = "#000037"
"""Colour of text on a coloured background. This is a placeholder for the strongest grey of the theme, which
Streamlit replaces in the browser when it draws the chart.
"""


def tinted(*, both: bool = False) -> list[list[float | str]]:
    """Return a colour scale from the background colour to the strongest of `SHADES`. With `both`, it starts
    at the alarm colour.
    """
    teal, alarm = "rgba(42, 116, 128, {})", "rgba(185, 70, 40, {})"
    if not both:
        return [[0.0, teal.format(0.03)], [1.0, teal.format(1)]]
    return [[0.0, alarm.format(1)], [0.5, teal.format(0.03)], [1.0, teal.format(1)]]


def colour_bar(title: str, **more: Any) -> dict[str, Any]:
    """Return the colour bar of a picture with a title. `more` contains further Plotly arguments."""
    shared = {"thickness": 14, "outlinewidth": 0, "tickfont": {"size": 12}, **IN_FULL}
    return {"title": {"text": title, "side": "right", "font": {"size": 13}}, **shared, **more}


def clear(figure: go.Figure, *, height: int, margin: tuple[int, int, int, int], **layout: Any) -> None:
    """Set a transparent background, margins (left, right, top, bottom), and full numbers on axes."""
    figure.update_xaxes(**IN_FULL)
    figure.update_yaxes(**IN_FULL)
    sides = dict(zip("lrtb", margin, strict=True))
    nothing = "rgba(0,0,0,0)"
    figure.update_layout(height=height, margin=sides, paper_bgcolor=nothing, plot_bgcolor=nothing, **layout)


def finish(figure: go.Figure, *, height: int, right: int = 8, **layout: Any) -> None:
    """Set the layout that all single pictures share: a transparent background, small margins and room for
    labels.
    """
    clear(figure, height=height, margin=(8, right, 12, 8), font={"size": 13}, **layout)
    figure.update_xaxes(automargin=True, ticklabeloverflow="allow")
    figure.update_yaxes(automargin=True, ticklabeloverflow="allow")


def look_of(place: int) -> tuple[str, str]:
    """Return the colour and the symbol of the run at a position. No two of eight runs share both."""
    return _RUN_COLOURS[place % len(_RUN_COLOURS)], _RUN_SYMBOLS[place % len(_RUN_SYMBOLS)]


def panels_across(panels: int) -> int:
    """Return the number of panels side by side, which is at most two so that they fit into a narrow
    window.
    """
    return min(panels, 2)


def title_room(names: Sequence[str]) -> int:
    """Return the height in pixels that the titles of panels with these names need."""
    return 12 + _TITLE_LINE * max((_title(name).count("<br>") + 1 for name in names), default=1)


def between(names: Sequence[str], tall: int, *, below: int = 0) -> float:
    """Return the share of a picture's height to leave between rows of panels with these names, each `tall`
    pixels high. It leaves room for titles, and for `below` pixels of labels under the panel above.
    """
    rows, room = -(-len(names) // panels_across(len(names))), title_room(names) + below
    return room / (rows * (tall + room))


def _title(name: str) -> str:
    """Return a name in short lines, with breaks after the commas and colons of a run's name and before
    brackets. Spaces are kept for readers who see the name without breaks.
    """
    return name.replace(", again", ", <br>again").replace(": ", ": <br>").replace(" (", " <br>(")


def panels(names: Sequence[str], **spacing: Any) -> tuple[go.Figure, list[dict[str, int]]]:
    """Return a figure with small multiples under titles in short lines, and the row and column of each
    panel.
    """
    across = panels_across(len(names))
    rows = -(-len(names) // across)
    figure = make_subplots(rows=rows, cols=across, subplot_titles=[_title(n) for n in names], **spacing)
    figure.update_annotations(font_size=13)
    return figure, [{"row": i // across + 1, "col": i % across + 1} for i in range(len(names))]


def labelled(figure: go.Figure, labels: Sequence[str], *, panels: int = 1, **axis: Any) -> None:
    """Put a label under every bar. Some labels are left out if panels side by side have no room for all of
    them.
    """
    shown = range(0, len(labels), -(-len(labels) * panels // MOST_LABELS))
    words = [labels[i] for i in shown]
    axis = {"autotickangles": [0, -40, -90], "showgrid": False} | axis
    figure.update_xaxes(tickvals=list(shown), ticktext=words, **axis)


def counts(view: ColumnView, *, noisy: str, small: bool = False) -> list[go.Bar | go.Scatter]:
    """Return the synthetic counts of a column as bars, and its noisy counts, with the name `noisy`, as hollow
    diamonds with their noise.
    """
    shared = {"x": list(range(len(view.labels))), "customdata": list(view.labels)}
    bars = go.Bar(
        y=list(view.synthetic),
        name="synthetic rows",
        marker={"color": SYNTHETIC, "line": {"width": 0}},
        hovertemplate="%{customdata}<br>synthetic %{y:,.0f}<extra></extra>",
        **shared,
    )
    if view.noisy is None:
        return [bars]
    size, line, thickness, cap = (7, 1.4, 1, 3) if small else (9, 1.6, 1.2, 4)
    whisker = {"type": "data", "array": list(view.whisker), "thickness": thickness, "width": cap}
    named = [
        f"{label}<br>noisy {n:,.0f} ± {w:,.0f}"
        for label, n, w in zip(view.labels, view.noisy, view.whisker, strict=True)
    ]
    diamonds = go.Scatter(
        y=list(view.noisy),
        name=noisy,
        mode="markers",
        marker={"symbol": "diamond-open", "size": size, "color": NOISY, "line": {"width": line}},
        error_y={"color": NOISY, **whisker},
        hovertemplate="%{customdata}<extra></extra>",
        **{**shared, "customdata": named},
    )
    return [bars, diamonds]


def intervals(
    errors: Sequence[Measured], confidence: float, *, exact: bool
) -> tuple[list[float], dict[str, Any]]:
    """Return measured errors as percentages, or their upper limits unless `exact`, with the error bars of
    their intervals.
    """
    limits = [[100 * limit for limit in error.interval(confidence)] for error in errors]
    shown = [100 * error.limited if exact else high for error, (_, high) in zip(errors, limits, strict=True)]
    bars = {
        "symmetric": False,
        "array": [high - at for at, (_, high) in zip(shown, limits, strict=True)],
        "arrayminus": [at - low for at, (low, _) in zip(shown, limits, strict=True)],
    }
    return shown, bars


def stack(
    lines: pd.DataFrame, looks: Mapping[str, tuple[str, str]], names: Mapping[str, str] | None = None
) -> go.Figure:
    """Draw a stacked bar per row of `lines`, the first row on top.

    The columns are the parts, as shares of one. A single bar whose row has no name shows its shares in the
    legend.
    """
    figure, is_named = go.Figure(), any(lines.index)
    for part in map(str, lines):
        name, percent = (names or {}).get(part, part), (lines[part] * 100).tolist()
        colour, shape = looks[part]
        figure.add_bar(
            y=list(lines.index),
            x=percent,
            name=name if is_named else f"{name} {share(percent[0] / 100)}",
            orientation="h",
            marker=_hatched(colour, shape, size=8),
            hovertemplate=f"{'%{y}<br>' if is_named else ''}{name}: %{{x:.1f}}%<extra></extra>",
        )
    figure.update_layout(barmode="stack")
    return figure

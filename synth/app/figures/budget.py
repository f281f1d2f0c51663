"""Figures for budgets: an attacker's chances, expected errors, and the parts of a budget."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pandas as pd
import plotly.graph_objects as go

from synth.app.figures.figure import Figure
from synth.app.figures.marks import ABOVE, NEUTRAL, NOISY, PAPER, REST, SPENT, SYNTHETIC, finish, stack
from synth.app.figures.words import share

LINE_LOOKS = {
    "spent": (SPENT, ""),
    "reserved": (SPENT, "x"),
    "this run": (NOISY, "/"),
    "given up": (NEUTRAL, "."),
    "left": (REST, ""),
}
"""Colour and pattern of every part of a lifetime budget."""

PART_LOOKS = {
    "domain": ("#c99a2e", "."),
    "columns": (SYNTHETIC, ""),
    "choosing": (NEUTRAL, "x"),
    "relations": (NOISY, "/"),
    "method": (NOISY, "/"),
    "shares": ("#7b5ea7", "+"),
    "means": ("#2e8b7a", "."),
    "verdict": (SPENT, "\\"),
    "later": (REST, ""),
}
"""Colour and pattern of every part of a run's budget. No two parts share both."""

_BAR = 17
"""Height of a bar with its surrounding space, in pixels."""
_SIDE = 10
"""Number of icons per row of an icon array with 100 icons."""

_WIDE = 0.07
"""Share below which a segment has no room for its number, so that only the legend shows the number."""


def odds(posterior: float) -> Figure:
    """Draw two icon arrays with 100 guesses each: coin tosses, and the best guesses after the release."""
    frame = pd.DataFrame(
        {"Guess": ["a coin:", "after the release, at most"], "Right in 100": [50, math.ceil(posterior * 100)]}
    )
    labels = ["50 right", f"{math.ceil(1000 * posterior - 1e-9) / 10:g}"]
    marks = go.Figure()
    for place, (guess, right) in enumerate(frame.itertuples(index=False)):
        left = place * (_SIDE + 4)
        spots = [(left + i % _SIDE, -(i // _SIDE)) for i in range(_SIDE * _SIDE)]
        for name, some, symbol, colour in (
            ("right", spots[:right], "square", SYNTHETIC),
            ("wrong", spots[right:], "square-open", NEUTRAL),
        ):
            marks.add_scatter(
                x=[x for x, _ in some],
                y=[y for _, y in some],
                mode="markers",
                name=name,
                showlegend=place == 0,
                legendgroup=name,
                marker={"symbol": symbol, "size": 11, "color": colour},
                hoverinfo="skip",
            )
        words = f"{guess} {labels[place]}"
        marks.add_annotation(x=left + 4.5, y=1.5, text=words, showarrow=False, font={"size": 13})
    finish(marks, height=250, legend={"orientation": "h", "y": -0.05, "x": 0})
    marks.update_xaxes(visible=False, range=[-1, 2 * _SIDE + 4])
    marks.update_yaxes(visible=False, range=[-_SIDE, 2.3], scaleanchor="x")
    coin, release = frame["Right in 100"]
    words = (
        f"Two arrays of one hundred squares: {coin} filled for a coin toss, at most {release} with the "
        "release."
    )
    return Figure(frame=frame, marks=marks, words=words)


def errors(
    columns: Sequence[str],
    series: Mapping[str, Sequence[float | None]],
    *,
    counted: str,
    write: Callable[[Any], str],
) -> Figure:
    """Draw bars of the 95% error of a count in each column, with one colour per series.

    Unmeasured columns have no bar. `counted` names the unit of a count, and `write` formats an error, which
    may be None.
    """
    marks, looks = go.Figure(), ((SYNTHETIC, ""), (NOISY, "/"))
    for (name, sizes), (colour, shape) in zip(series.items(), looks, strict=True):
        marks.add_bar(
            y=list(columns),
            x=list(sizes),
            name=name,
            orientation="h",
            marker={"color": colour, "pattern": {"shape": shape, "fgcolor": PAPER, "fillmode": "overlay"}},
            hovertemplate=f"%{{y}}, {name.lower()}: ± %{{x:,.1f}} {counted}<extra></extra>",
        )
    height = 90 + 2 * _BAR * len(columns)
    finish(marks, height=height, barmode="group", bargap=0.3, legend={**ABOVE, "traceorder": "normal"})
    marks.update_yaxes(autorange="reversed", ticksuffix="  ")
    marks.update_xaxes(title=f"error of a count, ± {counted}", rangemode="tozero", zeroline=False)
    listed = "; ".join(
        f"{name.lower()} {write(min(known))} to {write(max(known))}"
        for name, sizes in series.items()
        if (known := [size for size in sizes if size is not None])
    )
    frame = pd.DataFrame({"Column": list(columns), **{name: list(sizes) for name, sizes in series.items()}})
    words = f"Expected errors of counts with 95% confidence: {listed}."
    return Figure(frame=frame, written=dict.fromkeys(series, write), marks=marks, words=words)


def ledger(parts: Mapping[str, float]) -> Figure:
    """Draw the bar of a lifetime budget with its parts: spent, reserved, this run, lost, and remaining."""
    marks = stack(pd.DataFrame([parts], index=[""]), LINE_LOOKS)
    return _one_bar(marks, parts, of="the lifetime budget", height=110, legend=-0.1)


def shares(parts: Mapping[str, float], names: Mapping[str, str]) -> Figure:
    """Draw one bar of 100% with the share of each part of a run's budget, in its colour and pattern."""
    marks = stack(pd.DataFrame([parts], index=[""]), PART_LOOKS, names)
    for bar, (part, size) in zip(marks.data, parts.items(), strict=True):
        bar.text = [f"<b>{share(size)}</b>" if size >= _WIDE else ""]
        bar.textfont = {"size": 14} if part == "later" else {"size": 14, "color": PAPER}
    marks.update_traces(
        textposition="inside",
        insidetextanchor="middle",
        textangle=0,
        constraintext="none",
        marker={
            "pattern": {"fgopacity": 0.35, "size": 9, "solidity": 0.2},
            "line": {"width": 1, "color": "rgba(255, 255, 255, 0.5)"},
        },
    )
    named = {names[part]: size for part, size in parts.items()}
    return _one_bar(marks, named, of="the whole budget", height=150, legend=-0.05, bargap=0.1)


def _one_bar(
    marks: go.Figure, parts: Mapping[str, float], *, of: str, height: int, legend: float, **layout: Any
) -> Figure:
    finish(
        marks,
        height=height,
        legend={"orientation": "h", "y": legend, "yanchor": "top", "traceorder": "normal"},
        **layout,
    )
    marks.update_xaxes(range=[0, 100], visible=False)
    marks.update_yaxes(visible=False)
    words = f"A bar of {of}: {_listed({name.lower(): size for name, size in parts.items()})}."
    frame = pd.DataFrame({"Part": list(parts), "Share": list(parts.values())})
    return Figure(frame=frame, written={"Share": share}, marks=marks, words=words)


def before_after(lines: Mapping[str, Mapping[str, float]]) -> Figure:
    """Draw one bar per entry of `lines`, the first on top.

    Each entry has its parts as shares of the lifetime limit. If the run does not fit, a bar exceeds the
    limit, which is marked at 100%.
    """
    parts = pd.DataFrame(lines).reindex(list(LINE_LOOKS)).dropna(how="all").fillna(0.0)
    marks, longest = stack(parts.T, LINE_LOOKS), parts.sum().max() * 100
    legend = {"orientation": "h", "y": -0.3, "x": 0, "traceorder": "normal"}
    finish(marks, height=190, bargap=0.35, legend=legend)
    marks.add_vline(x=100, line={"width": 1.5, "dash": "dot"})
    edge = max(100.0, longest) * 1.01
    marks.update_xaxes(range=[0, edge], ticksuffix="%", showgrid=False, zeroline=False)
    marks.update_yaxes(range=[len(lines) - 0.5, -0.5], ticksuffix="  ")
    bars = "; ".join(f"{name}: {_listed(line)}" for name, line in lines.items())
    words = f"The lifetime budget in two bars. {bars}."
    frame = parts.rename_axis("Part").reset_index()
    return Figure(frame=frame, written=dict.fromkeys(lines, share), marks=marks, words=words)


def _listed(parts: Mapping[str, float]) -> str:
    return ", ".join(f"{name} {share(size)}" for name, size in parts.items())

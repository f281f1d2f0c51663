"""Figures of one release: a column, the pairs and their bounds, the residuals, the rules."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

import pandas as pd
import plotly.graph_objects as go

from synth.check.shares import FoundShare
from synth.figures.figure import Figure, Writing, by_value
from synth.figures.marks import (
    ABOVE,
    INK,
    NEUTRAL,
    NOISY,
    PAPER,
    SCALE,
    SYNTHETIC,
    blocks,
    counts,
    finish,
    labelled,
)
from synth.figures.words import count, plain, share
from synth.project.paper_bounds import PaperBounds
from synth.project.released import ColumnView, Held, PairBound, ResidualView

_KINDS = {
    "measured": ("measured", NEUTRAL, ""),
    "inferred": ("inferred", NEUTRAL, "/"),
    "none": ("no bound", NEUTRAL, "."),
}
"""What a bound rests on: its word, colour without a bound, and pattern."""


def marginal(view: ColumnView) -> Figure:
    """Synthetic counts as bars, noisy counts as hollow diamonds, and the noise as whiskers."""
    columns, noise = {"Synthetic": view.synthetic}, ""
    if view.noisy is not None:
        columns |= {"Noisy count": view.noisy, "Noise, plus or minus": (view.whisker,) * len(view.labels)}
        noise = f" Noise whiskers of plus or minus {count(view.whisker)}."
    frame = by_value(view.title, view.labels, columns)
    marks = go.Figure(counts(view, noisy="noisy count, with its noise"))
    finish(marks, height=360, bargap=0.25, legend={"orientation": "h", "y": 1.14, "x": 0})
    labelled(marks, view.labels, title=view.title)
    marks.update_yaxes(title="people" if view.people else "rows")
    written: Writing = {
        "Synthetic": round,
        "Noisy count": round,
        "Noise, plus or minus": lambda of: round(of, 1),
    }
    top = view.labels[int(frame["Synthetic"].argmax())]
    among = (
        f"{len(frame)} values, the most frequent is {top}" if len(frame) > 1 else f"{top} is its only value"
    )
    words = f"Bar chart of {view.title}: {among}.{noise}"
    return Figure(frame=frame, written=written, marks=marks, words=words)


def bounds(pairs: Sequence[PairBound], names: Sequence[str]) -> Figure:
    """The lower triangle of all pairs: colour for the bound, pattern for its source.

    In the table the loosest come first, those without a bound at the top.
    """
    place = {name: i for i, name in enumerate(names)}
    ordered = sorted(pairs, key=lambda pair: -1.0 if pair.share is None else 1.0 - pair.share)
    spots, numbers = [], []
    for pair in pairs:
        x, y = sorted((place[pair.left], place[pair.right]))
        percent, colour = "-" if pair.share is None else f"{pair.share * 100:.0f}", shade(pair.share)
        spots.append((x, y, pair.kind, colour, f"{pair.name}<br>at most {percent} %"))
        look = {"showarrow": False, "borderpad": 2, "bgcolor": colour}
        numbers.append(
            {"x": x, "y": y, "text": percent, "font": {"size": 12, "color": ink_on(colour)}} | look
        )
    marks = blocks(
        pd.DataFrame(spots, columns=["x", "y", "state", "colour", "hover"]),
        _KINDS,
        across=names[:-1],
        down=names[1:],
        first=1,
        size=0.94,
        fgopacity=0.7,
        solidity=0.25,
    )
    finish(marks, height=150 + 36 * max(len(names) - 1, 1), annotations=numbers)
    marks.update_xaxes(tickangle=-40)
    frame = pd.DataFrame(
        {
            "Pair": [pair.name for pair in ordered],
            "At most": [pair.share for pair in ordered],
            "How it is known": [pair.kind for pair in ordered],
        }
    )
    kinds = Counter(pair.kind for pair in pairs)
    numbers_of_kinds = (
        f"{kinds['measured']} measured, {kinds['inferred']} inferred, {kinds['none']} without a bound"
    )
    words = f"Triangle of {len(frame)} pairs of columns: {numbers_of_kinds}."
    written = {"At most": lambda bound: "no bound" if pd.isna(bound) else share(bound)}
    return Figure(frame=frame, written=written, marks=marks, words=words)


def shade(bound: float | None) -> str:
    """The colour of a bound, grey where there is none."""
    edges = (0.05, 0.1, 0.2, 0.4)
    return NEUTRAL if bound is None else SCALE[sum(bound > edge for edge in edges)]


def ink_on(colour: str) -> str:
    """Ink or paper, whichever is easier to read on a colour."""
    ground = _luminance(colour)
    return max((INK, PAPER), key=lambda hue: abs(math.log((_luminance(hue) + 0.05) / (ground + 0.05))))


def _luminance(colour: str) -> float:
    """Relative luminance of a hex colour (WCAG 2.2)."""
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def paper_bounds(found: PaperBounds) -> Figure:
    """Marginal (Markdown), our bound, that of the MargNet paper, and by which of its theorems."""
    frame = pd.DataFrame(
        {
            "Marginal": [plain(row.name) for row in found.rows],
            "Ours, at most": [row.ours for row in found.rows],
            "Theirs, at most": [row.theirs for row in found.rows],
            "By": [f"Theorem {row.theorem}" for row in found.rows],
        }
    )

    def written(bound: float) -> str:
        return "no bound" if pd.isna(bound) or bound >= 1.0 else share(bound)

    return Figure(
        frame=frame,
        written={"Ours, at most": written, "Theirs, at most": written},
        words=f"{len(frame)} marginals with our bound and that of the MargNet paper.",
    )


def residuals(views: Sequence[ResidualView]) -> Figure:
    """One row of marks per measured table; those beyond three sigmas are crosses in the alarm colour."""
    cells = [(z, place) for place, view in enumerate(views) for z in view.sigmas]
    beyond = [(z, place) for z, place in cells if abs(z) > 3]
    within = [(z, place) for z, place in cells if abs(z) <= 3]
    marks = go.Figure()
    for name, some, symbol, colour in (
        ("within three", within, "line-ns-open", SYNTHETIC),
        ("beyond three", beyond, "x", NOISY),
    ):
        marks.add_scatter(
            x=[z for z, _ in some],
            y=[place for _, place in some],
            name=name,
            mode="markers",
            marker={"symbol": symbol, "size": 9, "color": colour, "line": {"width": 1.2, "color": colour}},
            customdata=[views[place].name for _, place in some],
            hovertemplate="%{customdata}: %{x:.1f} sigma<extra></extra>",
        )
    for limit in (-3, 3):
        marks.add_vline(x=limit, line={"color": NEUTRAL, "width": 1, "dash": "dot"})
    names = [view.name for view in views]
    frame = pd.DataFrame(
        {
            "Measured table": names,
            "Cells": [len(view.sigmas) for view in views],
            "Largest, in sigma": [max(map(abs, view.sigmas), default=0.0) for view in views],
            "Beyond three": [sum(abs(z) > 3 for z in view.sigmas) for view in views],
        }
    )
    finish(marks, height=90 + 22 * len(frame), legend=ABOVE)
    edge = max([1.08 * z for z in frame["Largest, in sigma"]] + [4.0])
    marks.update_xaxes(title="sigma", range=[-edge, edge])
    rows = list(range(len(frame)))
    marks.update_yaxes(tickvals=rows, ticktext=names, range=[len(frame) - 0.5, -0.5])
    alarms = f"{len(beyond)} lie beyond three sigmas"
    words = f"Residuals of {len(cells)} cells in {len(frame)} measured tables; {alarms}."
    written = {"Largest, in sigma": lambda z: round(z, 2)}
    return Figure(frame=frame, written=written, marks=marks, words=words)


def rules(held: Sequence[Held], *, rows: int) -> Figure:
    """Rule (Markdown), where it comes from, and how many of the synthetic rows break it."""
    frame = pd.DataFrame(
        {
            "Rule": [plain(rule.sentence) for rule in held],
            "From": ["stated" if rule.stated else "a column never blank" for rule in held],
            "Rows that break it": [f"{rule.rows:,} of {rows:,}" for rule in held],
        }
    )
    return Figure(frame=frame, words="Every rule with the number of synthetic rows that break it.")


SHARE_FROM = {"bought": "bought, noisy", "declared": "declared", "hidden": "declared, to hide the true one"}
"""Where the number of a share is from, by `check.shares.FoundShare.origin`."""


def shares(found: Sequence[FoundShare]) -> Figure:
    """Rule (Markdown), where its number is from, what was asked for, and what the synthetic rows have."""
    frame = pd.DataFrame(
        {
            "Share": [plain(one.sentence) for one in found],
            "The number is": [SHARE_FROM[one.origin] for one in found],
            "Asked for": [_asked(one) for one in found],
            "Reached": [f"{100 * one.reached:.3f} %" for one in found],
        }
    )
    return Figure(frame=frame, words="Every share that was asked for with the one of the synthetic rows.")


def _asked(one: FoundShare) -> str:
    noise = "" if one.sigma is None else f" (sigma {100 * one.sigma:.3f} %)"
    return f"{100 * one.wanted:.3f} %{noise}"

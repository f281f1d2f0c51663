"""Figures for all pairs of columns: the matrix of errors or bounds, and the sources of the bounds."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from synth.app.figures.figure import Figure
from synth.app.figures.marks import (
    ABOVE,
    INK,
    NEUTRAL,
    NOISY,
    PAPER,
    SHADES,
    SPENT,
    SYNTHETIC,
    colour_bar,
    finish,
    stack,
)
from synth.app.figures.words import share
from synth.app.project.results.released import GROUPS, PairBound
from synth.core.numbers import number_of, per_cent
from synth.release.verdict.sentences import interval_of

EDGES, ERROR_EDGES = (0.05, 0.1, 0.2, 0.4), (0.02, 0.05, 0.1, 0.2)
"""Upper limits of the colour classes for bounds and for measured errors."""
MOST_NUMBERS, MOST_SIGNS = 20, 60
"""Maximum number of columns for which the cells of the matrix show numbers, and signs for the source of a
bound.
"""
_SLOT, _LETTERS = 36, 24
"""Size of a cell in pixels, and maximum number of letters of a title next to it. The hover text has the whole
title.
"""
_MOST_ACROSS, _MOST_DOWN = 22, 60
"""Maximum number of titles under a matrix and next to it."""
_SIGNS = {
    "inferred": ("inferred", "line-ne-open", 0.3, 0.3, 1.0),
    GROUPS: ("for groups of values only", "line-ns-open", 0.0, 0.28, 2.0),
    "none": ("no bound", "line-ew-open", 0.28, 0.0, 2.0),
}
"""How to mark the source of a bound if the pair was not measured: its name, its symbol in the legend, and the
stroke on a cell (half its width and half its height in cells, and its thickness in pixels).
"""
_SUPPORTS = {
    "measured": (SYNTHETIC, ""),
    "measured in groups": (SYNTHETIC, "/"),
    "bounded indirectly": (SPENT, "."),
    "bounded for groups only": (NOISY, "x"),
    "without a bound": (NEUTRAL, "-"),
}
"""The sources of bounds, with the colour and pattern of each part of the bar."""
_WORDS = {"measured": "measured"} | {kind: sign[0] for kind, sign in _SIGNS.items()}


def matrix(
    pairs: Sequence[PairBound],
    names: Sequence[str],
    titles: Mapping[str, str],
    *,
    is_measured: bool = False,
    confidence: float = 0.95,
) -> Figure:
    """Draw the lower triangle of the pairs of the columns `names`, in this order. The colour shows the
    measured error or, if `is_measured` is False, the bound. For up to twenty columns, cells show the
    number as a percentage.

    For up to sixty, they have a sign for the source of a bound. Every cell has a selectable mark, whose
    custom data begins with the two names of the pair. The table has the pairs in the order given.
    """
    edges = ERROR_EDGES if is_measured else EDGES
    place = {name: i for i, name in enumerate(names)}
    shown = [pair for pair in pairs if place.keys() >= {*pair.clique}]
    spots = [sorted((place[name] for name in pair.clique), reverse=True) for pair in shown]
    wide = max(len(names) - 1, 1)
    grid = np.full((wide, wide), np.nan)
    for pair, (y, x) in zip(shown, spots, strict=True):
        grid[y - 1, x] = _class(pair.shown, edges)
    marks = go.Figure()
    marks.add_heatmap(
        x=list(range(wide)), y=list(range(1, wide + 1)), z=grid, hoverinfo="skip", **_steps(len(names), edges)
    )
    if len(names) <= MOST_SIGNS and not is_measured:
        _add_signs(marks, shown, spots)
    _add_marks(marks, shown, spots, confidence)
    if len(names) <= MOST_NUMBERS:
        _add_numbers(marks, shown, spots, edges)
    height = 130 + max(_SLOT * wide if wide < MOST_NUMBERS else 640, 150)
    legend = {"orientation": "h", "y": 1.0, "yanchor": "bottom", "x": 0, "itemclick": False}
    finish(marks, height=height, legend=legend, hovermode="closest", clickmode="event+select", dragmode=False)
    _label(marks, [titles[name] for name in names])
    if is_measured:
        return _measured_matrix(marks, shown, confidence)
    frame = pd.DataFrame(
        {
            "Pair": [pair.name for pair in shown],
            "At most": [pair.share for pair in shown],
            "For groups of values": [pair.coarse for pair in shown],
            "Source": [_WORDS[pair.kind] for pair in shown],
        }
    )
    kinds = Counter(pair.kind for pair in shown)
    known = (
        f"{kinds['measured']:,} measured, {kinds['inferred']:,} inferred, {kinds[GROUPS]:,} with a bound for "
        f"groups of values only, {kinds['none']:,} without a bound"
    )
    return Figure(
        frame=frame,
        written={"At most": bound_in_words, "For groups of values": _coarse_in_words},
        marks=marks,
        words=f"Triangle of {number_of(len(shown), 'pair')} of columns: {known}.",
    )


def _measured_matrix(marks: go.Figure, pairs: Sequence[PairBound], confidence: float) -> Figure:
    """Return the matrix of measured errors, and a table of the errors with their intervals."""
    limits = [(None, None) if pair.error is None else pair.error.interval(confidence) for pair in pairs]
    frame = pd.DataFrame(
        {
            "Pair": [pair.name for pair in pairs],
            "Error": [pair.shown for pair in pairs],
            "At least": [low for low, _ in limits],
            "At most": [high for _, high in limits],
        }
    )
    known = [pair.shown for pair in pairs if pair.shown is not None]
    words = (
        f"Triangle of {number_of(len(pairs), 'pair')} of columns with measured errors from "
        f"{share(min(known))} to {share(max(known))}."
    )
    written = dict.fromkeys(("Error", "At least", "At most"), _coarse_in_words)
    return Figure(frame=frame, written=written, marks=marks, words=words)


def supports(pairs: Sequence[PairBound]) -> Figure:
    """Draw one stacked bar with the share of pairs for each source of bounds."""
    found = Counter(map(_support, pairs))
    kinds = [kind for kind in _SUPPORTS if found[kind]]
    parts = pd.DataFrame([{kind: found[kind] / len(pairs) for kind in kinds}], index=[""])
    marks = stack(parts, _SUPPORTS, {kind: f"{found[kind]:,} {kind}," for kind in kinds})
    finish(marks, height=96, bargap=0.3, legend=ABOVE | {"traceorder": "normal"})
    marks.update_xaxes(range=[0, 100], visible=False)
    marks.update_yaxes(visible=False)
    frame = pd.DataFrame({"Basis": list(_SUPPORTS), "Pairs": [found[kind] for kind in _SUPPORTS]})
    counted = ", ".join(f"{found[kind]:,} {kind}" for kind in _SUPPORTS)
    return Figure(frame=frame, marks=marks, words=f"{number_of(len(pairs), 'pair')}: {counted}.")


def _support(pair: PairBound) -> str:
    """Return the source of a pair's bound, which is a key of `_SUPPORTS`."""
    if pair.merged:
        return "bounded for groups only"
    if pair.grouped or pair.kind == "measured":
        return "measured in groups" if pair.grouped else "measured"
    return "bounded indirectly" if pair.share is not None else "without a bound"


def bound_in_words(bound: float | None) -> str:
    return "none for single values" if bound is None or pd.isna(bound) else share(bound)


def _coarse_in_words(bound: float | None) -> str:
    return "" if bound is None or pd.isna(bound) else share(bound)


def _class(error: float | None, edges: Sequence[float] = EDGES) -> int:
    """Return the index of the colour class of an error or bound. Index 0 is for pairs without one."""
    return 0 if error is None else 1 + sum(error > edge for edge in edges)


def _steps(columns: int, edges: Sequence[float]) -> dict[str, object]:
    """Return the colour scale with one colour per class, and the meaning of each colour."""
    colours = ("rgba(128, 138, 144, 0.22)", *SHADES)
    many = len(colours)
    scale = [[(i + end) / many, colour] for i, colour in enumerate(colours) for end in (0, 1)]
    none = "none for <br>single values" if edges is EDGES else "not <br>measured"
    words = [none, *(per_cent(edge) for edge in edges), per_cent(1.0)]
    bar = colour_bar(
        "at most",
        tickvals=list(range(many)),
        ticktext=words,
        len=min(1.0, 9 / max(columns, 9)) if columns <= MOST_NUMBERS else 0.5,
        lenmode="fraction",
        y=1.0,
        yanchor="top",
    )
    bar["title"]["side"] = "top"
    gap = 2 if columns <= MOST_NUMBERS else 1 if columns <= MOST_SIGNS else 0
    return {"colorscale": scale, "zmin": -0.5, "zmax": many - 0.5, "colorbar": bar, "xgap": gap, "ygap": gap}


def _add_signs(marks: go.Figure, pairs: Sequence[PairBound], spots: Sequence[Sequence[int]]) -> None:
    """Add a stroke on every cell whose pair was not measured. The stroke is light on strong colours and in
    the theme's text colour on all others. All strokes of one kind and colour form a single path, which
    browsers draw quickly.
    """
    for kind, (name, symbol, wide, high, thick) in _SIGNS.items():
        signed = [one for one in zip(pairs, spots, strict=True) if one[0].kind == kind]
        if not signed:
            continue
        for is_strong, ink in ((False, INK), (True, PAPER)):
            some = [spot for pair, spot in signed if (_class(pair.share) == len(SHADES)) == is_strong]
            strokes = (f"M{x - wide:g},{y + high:g}L{x + wide:g},{y - high:g}" for y, x in some)
            if some:
                line = {"width": thick, "color": ink}
                marks.add_shape(type="path", path="".join(strokes), line=line, opacity=0.6)
        line = {"width": thick, "color": NEUTRAL}
        marks.add_scatter(
            x=[None],
            y=[None],
            mode="markers",
            name=name,
            marker={"symbol": symbol, "size": 8, "color": NEUTRAL, "line": line},
            hoverinfo="skip",
        )


def _add_marks(
    marks: go.Figure, pairs: Sequence[PairBound], spots: Sequence[Sequence[int]], confidence: float
) -> None:
    """Add an invisible mark on every cell for hovering and selecting. The browser draws at most one of them
    (`maxdisplayed`), because drawing a mark for each of 1,770 pairs took seconds. Their data is an array,
    because Plotly checks every entry of a list (374,250 entries for 500 columns).
    """
    unseen = {"opacity": 0.0}
    hover = [[*pair.clique, f"{pair.name}<br>{_accuracy(pair, confidence)}"] for pair in pairs]
    marks.add_scatter(
        x=[x for _, x in spots],
        y=[y for y, _ in spots],
        mode="markers",
        marker={"size": 8, "color": NEUTRAL, "maxdisplayed": 1, **unseen},
        selected={"marker": unseen},
        unselected={"marker": unseen},
        customdata=np.array(hover, dtype=object),
        hovertemplate="%{customdata[2]}<extra></extra>",
        showlegend=False,
    )


def _accuracy(pair: PairBound, confidence: float) -> str:
    """Describe the measured error of a pair with its interval, or its bound with the source."""
    if pair.error is not None:
        return f"error {interval_of(pair.error, confidence)}"
    if pair.unmeasured:
        return "error not measured"
    if pair.share is None and pair.coarse is not None:
        return f"at most {share(pair.coarse)} ({_WORDS[pair.kind]})"
    if pair.share is None:
        return "no bound"
    return f"at most {share(pair.share)} ({_WORDS[pair.kind]})"


def _add_numbers(
    marks: go.Figure, pairs: Sequence[PairBound], spots: Sequence[Sequence[int]], edges: Sequence[float]
) -> None:
    """Add errors or bounds as percentages. They are light on the strongest colour, and in the theme's text
    colour on all others.
    """
    for is_strong in (False, True):
        some = [
            (f"{100 * pair.shown:.0f}", spot)
            for pair, spot in zip(pairs, spots, strict=True)
            if pair.shown is not None and (_class(pair.shown, edges) == len(SHADES)) == is_strong
        ]
        marks.add_scatter(
            x=[x for _, (_, x) in some],
            y=[y for _, (y, _) in some],
            text=[text for text, _ in some],
            mode="text",
            textfont={"size": 12, "color": PAPER if is_strong else INK},
            hoverinfo="skip",
            showlegend=False,
        )


def _label(marks: go.Figure, titles: Sequence[str]) -> None:
    """Add titles under the columns of the matrix and next to the rows. Some are left out if there is not
    enough room. The width is that of a window of 800 pixels, in which the matrix is about 260 pixels wide.
    """
    many = len(titles)
    size, angle = (12, 40) if many <= 12 else (10, 60) if many <= MOST_NUMBERS else (9, 60)
    across = range(0, many - 1, max(-(-(many - 1) // _MOST_ACROSS), 1))
    down = range(1, many, max(-(-(many - 1) // _MOST_DOWN), 1))
    short = [
        title if len(title) <= _LETTERS else f"{title[: _LETTERS - 1]}\N{HORIZONTAL ELLIPSIS}"
        for title in titles
    ]
    longest = (
        0.56 * size * max(map(len, short), default=0)
    )  # pixels: a letter is about half as wide as it is high
    shared = {"showgrid": False, "zeroline": False, "tickfont": {"size": size}}
    # fixed margins: to find margins, Plotly would redraw every label several times
    fixed = {"automargin": False, "ticklabeloverflow": "allow"}
    marks.update_xaxes(
        tickvals=list(across),
        ticktext=[short[i] for i in across],
        tickangle=-angle,
        range=[-0.6, len(titles) - 1.4],
        **shared,
        **fixed,
    )
    marks.update_yaxes(
        tickvals=list(down),
        ticktext=[short[i] for i in down],
        range=[len(titles) - 0.4, 0.4],
        **shared,
        **fixed,
    )
    tall = longest * math.sin(math.radians(angle)) + size
    marks.update_layout(margin={"l": longest + 20, "b": tall + 20, "t": 30})

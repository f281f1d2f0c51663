"""Figures for the private evaluation. NOT PRIVATE: each figure contains exact numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from synth.app.figures.best import marked, smallest
from synth.app.figures.figure import Figure, by_value
from synth.app.figures.marks import (
    ABOVE,
    INK,
    MOST_LABELS,
    NEUTRAL,
    NOISY,
    REST,
    SYNTHETIC,
    clear,
    colour_bar,
    finish,
    labelled,
    panels,
    tinted,
    title_room,
)
from synth.app.figures.words import distance, plain, sample
from synth.core.numbers import TIMES, number_of, per_cent
from synth.evaluate.findings import ColumnFinding, Findings, PairFinding, PredictionFinding

SIDE_HEADS = ("Run", "Columns", "Pairs", "Triples", "Query error", "Equivalent random sample (pairs)")
NOT_REQUESTED = "none fit"
_MEASURES = {"accuracy": "right answers", "r2": "variation explained"}
_WAYS = {
    "Guessing": ("guessing", "x-thin-open", NEUTRAL),
    "Trained on synthetic": ("trained on synthetic rows", "diamond", SYNTHETIC),
    "Trained on real": ("trained on real rows", "circle-open", NOISY),
}
"""The ways to predict, with the name, symbol and colour of their marks."""

_MOST_BARS, _MOST_PAIRS, _MOST_CELLS = 40, 20, 40
"""Maximum number of columns drawn as bars, of listed pairs, and of listed cells of a pair. The worst are
shown.
"""
_MOST_NUMBERS, _MOST_ACROSS = 20, 22
"""Maximum numbers of columns for which pairs show numbers, and of titles under the matrix."""

REAL = "Real (confidential)"
"""The heading of each part that shows the private table cell by cell."""

_figure = partial(Figure, confidential=True)


def side_by_side(by_label: Mapping[str, Findings]) -> Figure:
    """Return a table with a row per run and a column per metric, in Markdown. The best value of each metric
    is marked. `by_label` maps the labels of runs to their findings.
    """
    runs = list(by_label.values())
    cells = [
        [f"**{plain(label)}**" for label in by_label],
        *(_best([run.mean[size] for run in runs], distance) for size in (1, 2, 3)),
        _best([run.value_of("conjunction") for run in runs], distance),
        _best([run.subsample.get(2) for run in runs], sample, sign=-1),
    ]
    return _figure(frame=pd.DataFrame(dict(zip(SIDE_HEADS, cells, strict=True))), words="Runs side by side")


def _best(values: Sequence[float | None], write: Callable[[float], str], *, sign: int = 1) -> list[str]:
    """Return the values of a metric with the smallest marked, or the largest if `sign` is -1."""
    cells = [NOT_REQUESTED if value is None else write(value) for value in values]
    return marked(cells, smallest([None if value is None else sign * value for value in values]))


def distances(columns: Sequence[ColumnFinding], titles: Mapping[str, str]) -> Figure:
    """Draw one bar per column, with the largest distance at the top."""
    frame = pd.DataFrame({"Column": [titles[c.name] for c in columns], "Distance": [c.tvd for c in columns]})
    shown = frame[:_MOST_BARS]
    percent = (shown["Distance"] * 100).tolist()
    marks = go.Figure()
    marks.add_bar(
        x=percent,
        y=shown["Column"].tolist(),
        orientation="h",
        marker={"color": SYNTHETIC, "line": {"width": 0}},
        text=[f"{of:.1f}" for of in percent],
        textposition="outside",
        cliponaxis=False,
        hovertemplate="%{y}: %{x:.1f}%<extra></extra>",
    )
    finish(marks, height=70 + 26 * len(shown), right=24, showlegend=False, bargap=0.35)
    marks.update_yaxes(autorange="reversed", type="category", showgrid=False)
    marks.update_xaxes(title="per cent of rows", rangemode="tozero")
    worst = f"{titles[columns[0].name]} has the largest distance, {distance(columns[0].tvd)} of the rows"
    words = f"Distances of {number_of(len(frame), 'column')}; {worst}."
    return _figure(frame=frame, written={"Distance": distance}, marks=marks, words=words)


def overlay(column: ColumnFinding, labels: Sequence[str], title: str) -> Figure:
    """Draw the shares of rows per value side by side, real shares as hatched bars and synthetic shares as
    filled bars.
    """
    frame = by_value(title, labels, {REAL: column.real, "Synthetic": column.synthetic})
    marks = go.Figure()
    for head, colour, shape in ((REAL, NOISY, "/"), ("Synthetic", SYNTHETIC, "")):
        pattern = {"shape": shape, "fillmode": "replace", "size": 6, "solidity": 0.45}
        marks.add_bar(
            x=list(range(len(frame))),
            y=(frame[head] * 100).tolist(),
            name=head.lower(),
            marker={"color": colour, "pattern": pattern, "line": {"width": 1, "color": colour}},
            customdata=list(labels),
            hovertemplate=f"%{{customdata}}<br>{head.lower()} %{{y:.1f}}%<extra></extra>",
        )
    legend = {"orientation": "h", "y": 1.14, "x": 0}
    finish(marks, height=360, right=24, barmode="group", bargap=0.25, legend=legend)
    labelled(marks, labels, title=title)
    marks.update_yaxes(title="per cent of rows", rangemode="tozero")
    words = f"Real and synthetic shares of {title}; they differ by {distance(column.tvd)} of the rows."
    return _figure(frame=frame, written={REAL: _tenths, "Synthetic": _tenths}, marks=marks, words=words)


def pairs(findings: Sequence[PairFinding], titles: Mapping[str, str]) -> Figure:
    """Draw the lower triangle of all pairs, with a number in every cell and the columns in the order of
    `titles`.

    The table lists the worst pairs.
    """
    names = list(titles)
    place = {name: i for i, name in enumerate(names)}
    grid: list[list[float | None]] = [[None] * (len(names) - 1) for _ in names[1:]]
    for pair in findings:
        column, row = sorted((place[pair.left], place[pair.right]))
        grid[row - 1][column] = pair.tvd * 100
    marks = go.Figure()
    marks.add_heatmap(
        x=[titles[n] for n in names[:-1]],
        y=[titles[n] for n in names[1:]],
        z=grid,
        colorscale=tinted(),
        zmin=0,
        zmax=max(5.0, max((p.tvd * 100 for p in findings), default=0.0)),
        texttemplate="%{z:.0f}" if len(names) <= _MOST_NUMBERS else None,
        textfont={"size": 11, "color": INK},
        xgap=2,
        ygap=2,
        hoverongaps=False,
        colorbar=colour_bar("per cent of rows"),
        hovertemplate="%{y}, %{x}<br>%{z:.1f}%<extra></extra>",
    )
    finish(marks, height=150 + min(34 * max(len(names) - 1, 1), 680), right=24)
    small = {"tickfont": {"size": 9}} if len(names) > _MOST_NUMBERS else {}
    across = [titles[name] for name in names[: -1 : -(-len(names) // _MOST_ACROSS)]]
    marks.update_xaxes(tickangle=-40, showgrid=False, type="category", tickvals=across, **small)
    marks.update_yaxes(autorange="reversed", showgrid=False, zeroline=False, type="category", **small)
    listed = [(f"{titles[p.left]}{TIMES}{titles[p.right]}", p.tvd) for p in findings[:_MOST_PAIRS]]
    frame = pd.DataFrame(listed, columns=["Pair", "Distance"])
    left, right, far = titles[findings[0].left], titles[findings[0].right], distance(findings[0].tvd)
    pairs = number_of(len(findings), "pair")
    words = f"Triangle of {pairs} of columns; {left}{TIMES}{right} has the largest distance, {far}."
    return _figure(frame=frame, written={"Distance": distance}, marks=marks, words=words)


def pair(
    found: PairFinding, labels: Mapping[str, Sequence[str]], titles: Mapping[str, str], *, apart: bool = False
) -> Figure:
    """Draw the real and the synthetic table of one pair as heat maps on the same scale, or with `apart` their
    difference.

    The name of the second column is below the panels, because a narrow window has no room for it elsewhere.
    """
    down, across = labels[found.left], labels[found.right]
    real, made = (100 * np.reshape(of, (len(down), len(across))) for of in (found.real, found.synthetic))
    drawn = {"Synthetic minus real": made - real} if apart else {REAL: real, "Synthetic": made}
    most = max(max(float(np.abs(z).max()) for z in drawn.values()), 1e-9)
    marks, places = panels(list(drawn), shared_yaxes="all", horizontal_spacing=0.03)
    for place, (head, z) in zip(places, drawn.items(), strict=True):
        marks.add_heatmap(
            x=list(range(len(across))),
            y=list(range(len(down))),
            z=z.tolist(),
            zmin=-most if apart else 0,
            zmax=most,
            colorscale=tinted(both=apart),
            xgap=1,
            ygap=1,
            showscale=place["col"] == 1,
            colorbar=colour_bar("per cent of rows"),
            customdata=[[f"{one}, {other}" for other in across] for one in down],
            hovertemplate=f"%{{customdata}}<br>{head.lower()} %{{z:.1f}}%<extra></extra>",
            **place,
        )
    room = title_room(list(drawn))
    height = 94 + room + min(max(24 * len(down), 170), 640)
    clear(marks, height=height, margin=(8, 8, room, 8), dragmode=False)
    beside = 2  # the row labels and the colour scale take the room of two panels
    labelled(marks, across, panels=len(drawn) + beside, zeroline=False)
    shown = range(0, len(down), -(-len(down) // MOST_LABELS))
    marks.update_yaxes(range=[len(down) - 0.5, -0.5], automargin=True, showgrid=False, zeroline=False)
    marks.update_yaxes(tickvals=list(shown), ticktext=[down[i] for i in shown])
    marks.update_yaxes(title=titles[found.left], col=1)
    marks.update_xaxes(automargin=True)
    order = np.argsort(-np.abs(made - real), axis=None, kind="stable")[:_MOST_CELLS]
    frame = pd.DataFrame(
        {
            titles[found.left]: np.repeat(down, len(across))[order],
            f"{titles[found.right]} ": np.tile(across, len(down))[order],
            REAL: real.ravel()[order] / 100,
            "Synthetic": made.ravel()[order] / 100,
        }
    )
    far = distance(found.tvd)
    names = f"{titles[found.left]}{TIMES}{titles[found.right]}"
    words = f"Real and synthetic shares of {names}; {far} of the rows differ."
    return _figure(frame=frame, written={REAL: _tenths, "Synthetic": _tenths}, marks=marks, words=words)


def scores(results_of: Sequence[PredictionFinding], titles: Mapping[str, str]) -> Figure:
    """Draw the scores for each predicted column on one scale: of guessing, of training on synthetic rows, and
    of training on real rows.
    """
    names = [titles[score.target] for score in results_of]
    results = pd.DataFrame([(s.guess, s.synthetic, s.real) for s in results_of], columns=list(_WAYS))
    marks = go.Figure()
    for name, low, high in zip(names, results.min(axis=1), results.max(axis=1), strict=True):
        line = {"color": REST, "width": 5}
        ends = [low * 100, high * 100]
        marks.add_scatter(x=ends, y=[name] * 2, mode="lines", line=line, hoverinfo="skip", showlegend=False)
    for head, (name, symbol, colour) in _WAYS.items():
        marks.add_scatter(
            x=(results[head] * 100).tolist(),
            y=names,
            mode="markers",
            name=name,
            marker={"symbol": symbol, "size": 13, "color": colour, "line": {"width": 2.4, "color": colour}},
            hovertemplate=f"%{{y}}: {name} %{{x:.1f}}%<extra></extra>",
        )
    finish(marks, height=110 + 46 * len(results_of), right=24, legend=ABOVE)
    marks.update_yaxes(autorange="reversed", type="category", showgrid=False)
    marks.update_xaxes(title="score, per cent")
    measures, gains = (
        [_MEASURES[score.measure] for score in results_of],
        [_kept(score.kept) for score in results_of],
    )
    frame = pd.DataFrame({"Predicted column": names, "Score": measures, **results, "Kept": gains})
    gains_in_words = "; ".join(f"{name}: {gain} kept" for name, gain in zip(names, gains, strict=True))
    written = dict.fromkeys(_WAYS, _tenths)
    return _figure(
        frame=frame, written=written, marks=marks, words=f"Scores of predictions: {gains_in_words}."
    )


def _kept(share: float | None) -> str:
    """State how much of the possible gain in score was kept.

    >>> _kept(0.957), _kept(None), _kept(-0.2)
    ('96% of the gain', 'nothing to learn', 'none of the gain')
    """
    if share is None:
        return "nothing to learn"
    return "none of the gain" if share <= 0.0 else f"{per_cent(share)} of the gain"


def _tenths(share: float) -> str:
    return per_cent(share, 1)

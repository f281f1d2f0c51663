"""Figures of the steward's view. NOT PRIVATE: a figure carries its numbers with it, drawn, told or listed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd
import plotly.graph_objects as go

from synth.evaluate.findings import ColumnFinding, Findings, PairFinding, Score
from synth.figures.best import marked, smallest
from synth.figures.figure import Figure, by_value
from synth.figures.marks import ABOVE, NEUTRAL, NOISY, REST, SCALE, SYNTHETIC, finish, labelled
from synth.figures.words import distance, plain, sample

SIDE_COLUMNS = {
    "run": "Run",
    "one": "Columns",
    "two": "Pairs",
    "three": "Triples",
    "queries": "Query error",
    "sample": "For pairs as good as a sample of",
}
MEASURES = {"accuracy": "right answers", "r2": "variation explained"}
NOT_ASKED = "none fit"

MOST_BARS, MOST_PAIRS = 40, 20
"""Columns drawn as bars and pairs listed, the worst of them."""


def side_by_side(found: Mapping[str, Findings]) -> Figure:
    """Runs as rows, questions as columns, the best of each named (Markdown). `found` is by run label."""
    runs = list(found.values())
    table = {SIDE_COLUMNS["run"]: [f"**{plain(label)}**" for label in found]}
    for key, size in (("one", 1), ("two", 2), ("three", 3)):
        values = [run.mean[size] for run in runs]
        table[SIDE_COLUMNS[key]] = marked([distance(v) for v in values], smallest(values))
    errors = [run.queries.get("conjunction") for run in runs]
    table[SIDE_COLUMNS["queries"]] = marked(
        [NOT_ASKED if e is None else distance(e) for e in errors], smallest(errors)
    )
    samples = [run.subsample.get(2) for run in runs]
    table[SIDE_COLUMNS["sample"]] = marked(
        [NOT_ASKED if s is None else sample(s) for s in samples],
        smallest([None if s is None else -s for s in samples]),
    )
    return Figure(frame=pd.DataFrame(table), words="Runs side by side", confidential=True)


def distances(columns: Sequence[ColumnFinding], titles: Mapping[str, str]) -> Figure:
    """One bar per column, the furthest off at the top."""
    frame = pd.DataFrame({"Column": [titles[c.name] for c in columns], "Distance": [c.tvd for c in columns]})
    shown = frame[:MOST_BARS]
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
        hovertemplate="%{y}: %{x:.1f} %<extra></extra>",
    )
    finish(marks, height=70 + 26 * len(shown), right=24, showlegend=False, bargap=0.35)
    marks.update_yaxes(autorange="reversed", type="category", showgrid=False)
    marks.update_xaxes(title="per cent of rows", rangemode="tozero")
    worst, far = frame.iloc[0]
    return Figure(
        frame=frame,
        written={"Distance": distance},
        marks=marks,
        words=f"Distances of {len(frame)} columns; {worst} is furthest off, by {distance(far)} of the rows.",
        confidential=True,
    )


def overlay(column: ColumnFinding, labels: Sequence[str], title: str) -> Figure:
    """Shares of rows per value: the real ones as hatched bars, the synthetic ones filled, side by side."""
    frame = by_value(title, labels, {"Real": column.real, "Synthetic": column.synthetic})
    marks = go.Figure()
    for head, colour, pattern in (("Real", NOISY, "/"), ("Synthetic", SYNTHETIC, "")):
        marks.add_bar(
            x=list(range(len(frame))),
            y=(frame[head] * 100).tolist(),
            name=head.lower(),
            marker={
                "color": colour,
                "pattern": {"shape": pattern, "fillmode": "replace", "size": 6, "solidity": 0.45},
                "line": {"width": 1, "color": colour},
            },
            customdata=list(labels),
            hovertemplate=f"%{{customdata}}<br>{head.lower()} %{{y:.1f}} %<extra></extra>",
        )
    legend = {"orientation": "h", "y": 1.14, "x": 0}
    finish(marks, height=360, right=24, barmode="group", bargap=0.25, legend=legend)
    labelled(marks, labels, title=title)
    marks.update_yaxes(title="per cent of rows", rangemode="tozero")
    return Figure(
        frame=frame,
        written=dict.fromkeys(("Real", "Synthetic"), _percent),
        marks=marks,
        words=f"Real and synthetic shares of {title}; they differ by {distance(column.tvd)} of the rows.",
        confidential=True,
    )


def pairs(found: Sequence[PairFinding], titles: Mapping[str, str]) -> Figure:
    """The lower triangle of all pairs, the number in every cell, columns in the order of `titles`.

    The table has the worst of them.
    """
    names = list(titles)
    place = {name: i for i, name in enumerate(names)}
    grid: list[list[float | None]] = [[None] * (len(names) - 1) for _ in names[1:]]
    for pair in found:
        left, right = sorted((place[pair.left], place[pair.right]))
        grid[right - 1][left] = pair.tvd * 100
    marks = go.Figure()
    marks.add_heatmap(
        x=[titles[n] for n in names[:-1]],
        y=[titles[n] for n in names[1:]],
        z=grid,
        colorscale=[[i / (len(SCALE) - 1), colour] for i, colour in enumerate(SCALE)],
        zmin=0,
        zmax=max(5.0, max((p.tvd * 100 for p in found), default=0.0)),
        texttemplate="%{z:.0f}",
        xgap=2,
        ygap=2,
        hoverongaps=False,
        showscale=False,
        hovertemplate="%{y}, %{x}<br>%{z:.1f} %<extra></extra>",
    )
    finish(marks, height=150 + 34 * max(len(names) - 1, 1), right=24)
    marks.update_xaxes(tickangle=-40, showgrid=False, type="category")
    marks.update_yaxes(autorange="reversed", showgrid=False, zeroline=False, type="category")
    listed = [(f"{titles[p.left]} and {titles[p.right]}", p.tvd) for p in found[:MOST_PAIRS]]
    left, right = titles[found[0].left], titles[found[0].right]
    return Figure(
        frame=pd.DataFrame(listed, columns=["Pair", "Distance"]),
        written={"Distance": distance},
        marks=marks,
        words=f"Triangle of {len(found)} pairs of columns; {left} with {right} is furthest off, by "
        f"{distance(found[0].tvd)}.",
        confidential=True,
    )


def scores(found: Sequence[Score], titles: Mapping[str, str]) -> Figure:
    """Per predicted column: guessing, learned on synthetic rows, learned on real rows, on one scale."""
    names = [titles[score.target] for score in found]
    ways = {
        "Guessing": [score.guess for score in found],
        "Learned on synthetic": [score.synthetic for score in found],
        "Learned on real": [score.real for score in found],
    }
    marks = go.Figure()
    for name, values in zip(names, zip(*ways.values(), strict=True), strict=True):
        marks.add_scatter(
            x=[min(values) * 100, max(values) * 100],
            y=[name] * 2,
            mode="lines",
            line={"color": REST, "width": 5},
            hoverinfo="skip",
            showlegend=False,
        )
    for head, name, symbol, colour in (
        ("Guessing", "guessing", "x-thin-open", NEUTRAL),
        ("Learned on synthetic", "learned on synthetic rows", "diamond", SYNTHETIC),
        ("Learned on real", "learned on real rows", "circle-open", NOISY),
    ):
        marks.add_scatter(
            x=[value * 100 for value in ways[head]],
            y=names,
            mode="markers",
            name=name,
            marker={"symbol": symbol, "size": 13, "color": colour, "line": {"width": 2.4, "color": colour}},
            hovertemplate=f"%{{y}}: {name} %{{x:.1f}} %<extra></extra>",
        )
    finish(marks, height=110 + 46 * len(found), right=24, legend=ABOVE)
    marks.update_yaxes(autorange="reversed", type="category", showgrid=False)
    marks.update_xaxes(title="score, per cent")
    gains = [kept(score.kept) for score in found]
    measures = [MEASURES[score.measure] for score in found]
    told = "; ".join(f"{name}: {gain} kept" for name, gain in zip(names, gains, strict=True))
    return Figure(
        frame=pd.DataFrame({"Predicted column": names, "Score": measures, **ways, "Kept": gains}),
        written=dict.fromkeys(ways, _percent),
        marks=marks,
        words=f"Scores of predictions: {told}.",
        confidential=True,
    )


def kept(share: float | None) -> str:
    """How much of what can be learned was kept.

    >>> kept(0.957), kept(None), kept(-0.2)
    ('96 % of the gain', 'nothing to learn', 'none of the gain')
    """
    if share is None:
        return "nothing to learn"
    return "none of the gain" if share <= 0.0 else f"{share * 100:.0f} % of the gain"


def _percent(share: float) -> str:
    return f"{share * 100:.1f} %"

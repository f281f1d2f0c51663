"""Figures of the analyst's kit: answers with intervals, and what is known about each pair of columns."""

from __future__ import annotations

from collections.abc import Sequence

import networkx as nx
import pandas as pd
import plotly.graph_objects as go

from synth.analyst.answers import Answer, Form, Status
from synth.analyst.kept import Known
from synth.app.figures.figure import Figure
from synth.app.figures.marks import ABOVE, NEUTRAL, NOISY, REST, SYNTHETIC, clear, finish
from synth.app.figures.words import share
from synth.core.numbers import TIMES
from synth.core.schema import iso_day

_EDGES = {
    Known.MEASURED: ("measured together", SYNTHETIC, "solid", 2.4),
    Known.JUDGED: ("error known from the accuracy check", "#d9a441", "dash", 1.2),
    Known.BOUNDED: ("only a bound is known", NEUTRAL, "dot", 1.0),
}
"""Name, colour, dash and width of the line of each kind of pair. Other pairs have no line."""

MOST_DRAWN = 40
"""Largest number of columns of a map. With more, the lines overlap too much."""


def answers(found: Sequence[Answer], names: Sequence[str]) -> Figure:
    """Return a row for each answer: its estimate, a thick interval for these records, and a thin one for the
    population. Bounds have no estimate; refusals have no mark.
    """
    marks, scale = go.Figure(), 100.0 if found[0].form is Form.SHARE else 1.0
    shown = [(name, a) for name, a in zip(names, found, strict=True) if a.interval is not None]
    for label, width, colour in (("population", 2, NEUTRAL), ("these records", 7, SYNTHETIC)):
        first = True
        for name, answer in shown:
            span = answer.interval if label == "these records" else answer.population
            if span is None:
                continue
            marks.add_scatter(
                x=[_place(end * scale, answer.form) for end in span],
                y=[name, name],
                mode="lines",
                line={"width": width, "color": colour},
                name=f"interval for {label}",
                legendgroup=label,
                showlegend=first,
                hovertemplate="%{x}<extra></extra>",
            )
            first = False
    exact = [(name, a) for name, a in shown if a.estimate is not None]
    marks.add_scatter(
        x=[_place((a.estimate or 0.0) * scale, a.form) for _, a in exact],
        y=[name for name, _ in exact],
        mode="markers",
        marker={"symbol": "diamond", "size": 10, "color": NOISY},
        name="estimate",
        hovertemplate="%{y}: %{x}<extra></extra>",
    )
    finish(marks, height=110 + 34 * len(found), legend=ABOVE)
    marks.update_yaxes(
        autorange="reversed", ticksuffix="  ", categoryorder="array", categoryarray=list(names)
    )
    marks.update_xaxes(ticksuffix="%" if found[0].form is Form.SHARE else "")
    if found[0].form in (Form.COUNT, Form.SHARE):
        marks.update_xaxes(rangemode="tozero")
    frame = pd.DataFrame({"Question": list(names), "Answer": [answer.sentence for answer in found]})
    return Figure(frame=frame, marks=marks, words=" ".join(answer.sentence for answer in found))


def _place(value: float, form: Form) -> float | str:
    return iso_day(round(value)) if form is Form.DATE else value


def is_drawn(found: Sequence[Answer]) -> bool:
    """Whether any of the answers has an interval or a bound to draw."""
    return any(answer.status is not Status.REFUSED and answer.interval is not None for answer in found)


def relations(graph: nx.Graph) -> Figure:
    """Return a map of the columns, with a line for each pair in the style of what is known about it. On
    the circle, columns that were measured together are near each other where that is possible.
    """
    edges = [(a, b, facts) for a, b, facts in graph.edges(data=True)]
    measured = [(a, b) for a, b, facts in edges if facts["known"] is Known.MEASURED]
    near = nx.Graph(measured)
    near.add_nodes_from(graph.nodes)
    order = [
        name for part in nx.connected_components(near) for name in nx.dfs_preorder_nodes(near, min(part))
    ]
    places = nx.circular_layout(order)
    marks, titles = go.Figure(), {name: facts["title"] for name, facts in graph.nodes(data=True)}
    for known in reversed(_EDGES):
        name, colour, dash, width = _EDGES[known]
        some = [(a, b) for a, b, facts in edges if facts["known"] is known]
        line = {"color": colour, "dash": dash, "width": width}
        x = [at for a, b in some for at in (places[a][0], places[b][0], None)]
        y = [at for a, b in some for at in (places[a][1], places[b][1], None)]
        marks.add_scatter(
            x=x,
            y=y,
            mode="lines",
            name=name,
            line=line,
            hoverinfo="skip",
            visible=True if known is Known.MEASURED else "legendonly",
        )
    middles = [(a, b, facts) for a, b, facts in edges if facts["known"] is Known.MEASURED]
    marks.add_scatter(
        x=[(places[a][0] + places[b][0]) / 2 for a, b, _ in middles],
        y=[(places[a][1] + places[b][1]) / 2 for a, b, _ in middles],
        mode="markers",
        marker={"size": 9, "color": SYNTHETIC, "opacity": 0.01},
        customdata=[[TIMES.join((titles[a], titles[b])), _error(facts)] for a, b, facts in middles],
        hovertemplate="%{customdata[0]}<br>%{customdata[1]}<extra></extra>",
        showlegend=False,
    )
    marks.add_scatter(
        x=[places[name][0] for name in graph.nodes],
        y=[places[name][1] for name in graph.nodes],
        text=[titles[name] for name in graph.nodes],
        mode="markers+text",
        textposition=["middle right" if places[n][0] >= 0 else "middle left" for n in graph.nodes],
        marker={"size": 13, "color": SYNTHETIC, "line": {"width": 1, "color": REST}},
        hoverinfo="skip",
        showlegend=False,
    )
    clear(marks, height=520, margin=(8, 8, 40, 8), legend=ABOVE, font={"size": 13})
    bare = dict.fromkeys(("showticklabels", "showgrid", "zeroline"), False)
    marks.update_xaxes(**bare, range=[-2.2, 2.2])
    marks.update_yaxes(**bare, range=[-1.15, 1.15])
    frame = pd.DataFrame(
        {
            "Pair": [TIMES.join((titles[a], titles[b])) for a, b, _ in edges],
            "Known": [str(facts["known"]) for *_, facts in edges],
            "Error of the synthetic rows": [_error(facts) for *_, facts in edges],
        }
    )
    words = f"Map of {len(titles)} columns. {len(measured)} of {len(edges)} pairs were measured together."
    return Figure(frame=frame, marks=marks, words=words)


def _error(facts: dict[str, float | None]) -> str:
    error, limit = facts["error"], facts["limit"]
    if error is not None:
        return share(max(error, 0.0))
    return "not known" if limit is None else f"at most {share(limit)}"

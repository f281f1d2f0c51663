"""Figures for the analyst's kit: answers with intervals, and what is known about each pair of columns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import networkx as nx
import pandas as pd
import plotly.graph_objects as go

from synth.analyst.answers import Answer, Form, Status
from synth.analyst.kept import Known
from synth.app.figures.figure import Figure
from synth.app.figures.marks import ABOVE, GRADES, NEUTRAL, NOISY, REST, SYNTHETIC, clear, finish
from synth.app.figures.words import plain, share
from synth.core.numbers import TIMES, per_cent
from synth.core.schema import iso_day
from synth.release.verdict.sentences import GRADES as LIMITS
from synth.release.verdict.sentences import grade

_WIDTHS = dict(zip(GRADES, (3.6, 2.4, 1.6, 1.0), strict=True))
"""Width of the line of a pair in pixels, by the grade of its error."""
_UNJUDGED = {
    Known.MEASURED: ("error not measured", SYNTHETIC, "solid", 2.4),
    Known.BOUNDED: ("only a bound is known", NEUTRAL, "dot", 1.0),
}
"""Name, colour, dash and width of the line of a pair without a measured error. Other kinds of pairs have no
line.
"""

MOST_DRAWN = 40
"""Maximum number of columns on a map. With more columns, the lines overlap too much."""


def answers(found: Sequence[Answer], names: Sequence[str]) -> Figure:
    """Draw a row for each answer, with its estimate, a thick interval for these records and a thin interval
    for the population. A bound has no estimate, and a refusal has no mark.
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
    return Figure(
        frame=_frame(found, names), marks=marks, words=" ".join(answer.sentence for answer in found)
    )


def coefficients(found: Sequence[Answer], names: Sequence[str]) -> Figure:
    """Return a table of the coefficients of a regression. There is no picture, because the coefficients have
    different units.
    """
    return Figure(
        frame=_frame(found, [plain(name) for name in names]),
        words=" ".join(answer.sentence for answer in found),
    )


def _frame(found: Sequence[Answer], names: Sequence[str]) -> pd.DataFrame:
    """Return a row per answer, with its estimate or, if there is none, its status."""
    spans = {
        "Interval for these records": [answer.interval for answer in found],
        "Interval for the population": [answer.population for answer in found],
    }
    ends = {
        head: ["" if span is None else answer.ends(span) for answer, span in zip(found, some, strict=True)]
        for head, some in spans.items()
    }
    estimates = [answer.figure or answer.status.value for answer in found]
    return pd.DataFrame({"Question": list(names), "Estimate": estimates, **ends})


def _place(value: float, form: Form) -> float | str:
    return iso_day(round(value)) if form is Form.DATE else value


def is_drawn(found: Sequence[Answer]) -> bool:
    """Return whether any of the answers has an interval or a bound to draw."""
    return any(answer.status is not Status.REFUSED and answer.interval is not None for answer in found)


def relations(graph: nx.Graph) -> Figure:
    """Draw a map of the columns on a circle, with a line for each pair in the colour of its grade.

    Solid lines are pairs that were measured together. Dashed lines are other pairs whose error was measured.
    Columns that were measured together are placed near each other if possible.
    """
    edges = list(graph.edges(data=True))
    measured = [(a, b) for a, b, facts in edges if facts["known"] is Known.MEASURED]
    near = nx.Graph(measured)
    near.add_nodes_from(graph.nodes)
    order = [
        name for part in nx.connected_components(near) for name in nx.dfs_preorder_nodes(near, min(part))
    ]
    places = nx.circular_layout(order)
    marks, titles = go.Figure(), {name: facts["title"] for name, facts in graph.nodes(data=True)}

    def place(a: str, b: str, part: float) -> tuple[float, float]:
        """Return the position of a point on the line of a pair."""
        x, y = (1 - part) * places[a] + part * places[b]
        return x, y

    for name, look, some, is_shown in _lines(edges):
        ends = [at for a, b, _ in some for at in (place(a, b, 0.0), place(a, b, 1.0), (None, None))]
        x, y = zip(*ends, strict=True) if ends else ((None,), (None,))
        is_named = look["dash"] != "dash"
        shown = {"visible": True if is_shown else "legendonly", "legendgroup": name}
        marks.add_scatter(
            x=x, y=y, mode="lines", name=name, line=look, hoverinfo="skip", showlegend=is_named, **shown
        )
        thirds = [place(a, b, 1 / 3) for a, b, _ in some]
        marks.add_scatter(
            x=[x for x, _ in thirds],
            y=[y for _, y in thirds],
            mode="markers",
            marker={"size": 9, "color": look["color"], "opacity": 0.01},
            customdata=[[TIMES.join((titles[a], titles[b])), _error(facts)] for a, b, facts in some],
            hovertemplate="%{customdata[0]}<br>%{customdata[1]}<extra></extra>",
            showlegend=False,
            **shown,
        )
    marks.add_scatter(
        x=[places[name][0] for name in graph.nodes],
        y=[places[name][1] for name in graph.nodes],
        text=[titles[name] for name in graph.nodes],
        mode="markers+text",
        textposition=[_beside(*places[name]) for name in graph.nodes],
        marker={"size": 13, "color": NEUTRAL, "line": {"width": 1, "color": REST}},
        hoverinfo="skip",
        showlegend=False,
    )
    clear(marks, height=560, margin=(8, 8, 40, 8), legend=ABOVE, font={"size": 13})
    bare = dict.fromkeys(("showticklabels", "showgrid", "zeroline"), False)
    marks.update_xaxes(**bare, range=[-2.2, 2.2])
    marks.update_yaxes(**bare, range=[-1.2, 1.2])
    frame = pd.DataFrame(
        {
            "Pair": [TIMES.join((titles[a], titles[b])) for a, b, _ in edges],
            "Known": [str(facts["known"]) for *_, facts in edges],
            "Error of the synthetic rows": [_error(facts) for *_, facts in edges],
        }
    )
    grades = [_grade(facts) for *_, facts in edges if facts["error"] is not None]
    counted = ", ".join(f"{grades.count(name):,} {name}" for name in GRADES)
    words = f"Map of {len(titles)} columns. {len(measured)} of {len(edges)} pairs were measured together."
    words += f" Measured errors of pairs: {counted}." if grades else ""
    return Figure(frame=frame, marks=marks, words=words)


Edge = tuple[str, str, Mapping[str, Any]]


def _lines(edges: Sequence[Edge]) -> Iterator[tuple[str, dict[str, Any], list[Edge], bool]]:
    """Yield the lines by style: the name in the legend, the style, the pairs, and whether they are shown
    initially.

    The dashed lines of a grade have the same name as its solid lines, and no entry in the legend.
    """
    judged = [edge for edge in edges if edge[2]["error"] is not None]
    for (most, name), low in zip(LIMITS, (0.0, *(most for most, _ in LIMITS)), strict=False):
        look = {"color": GRADES[name], "width": _WIDTHS[name]}
        mine = [edge for edge in judged if _grade(edge[2]) == name]
        if mine:
            title = f"{name} ({f'up to {per_cent(most)}' if most < 1 else f'above {per_cent(low)}'})"
            yield title, {**look, "dash": "solid"}, [e for e in mine if _is_solid(e)], True
            yield title, {**look, "dash": "dash"}, [e for e in mine if not _is_solid(e)], True
    for known, (name, colour, dash, width) in _UNJUDGED.items():
        mine = [edge for edge in edges if edge[2]["error"] is None and edge[2]["known"] is known]
        if mine:
            look = {"color": colour, "dash": dash, "width": width}
            yield name, look, mine, known is Known.MEASURED


def _is_solid(edge: Edge) -> bool:
    return edge[2]["known"] is Known.MEASURED


def _grade(facts: Mapping[str, Any]) -> str:
    return grade(min(1.0, max(0.0, facts["error"])))


def _beside(x: float, y: float) -> str:
    """Return where to write the name of a column so that it is outside the circle."""
    if abs(x) < 0.2:
        return "top center" if y > 0 else "bottom center"
    return "middle right" if x > 0 else "middle left"


def _error(facts: Mapping[str, Any]) -> str:
    error, limit = facts["error"], facts["limit"]
    if error is not None:
        return share(max(error, 0.0))
    return "not known" if limit is None else f"at most {share(limit)}"

"""Figures for the analyst's kit: answers with intervals, and what is known about each pair of columns."""

from __future__ import annotations

from collections import defaultdict
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

_WIDTHS = ((0.2, 4.5), (0.1, 3.0), (0.0, 1.6))
"""Least strength of a relation, as a share of the rows, and the width of its line in pixels."""
_UNJUDGED = "error not measured"

LEAST_STRENGTH = 0.02
"""Minimum strength of a relation that is drawn, as a share of the rows."""

MOST_LINES = 40
"""Maximum number of relations that are drawn, the strongest first."""

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
    """Draw a map of the columns on a circle, with a line for each of the strongest relations.

    The width of a line shows how strongly two columns are related in the synthetic rows, and its colour shows
    the grade of the error of the pair. Solid lines are pairs that were measured together. Related columns are
    placed near each other if possible. The table behind the figure lists all pairs, the strongest first.
    """
    edges = sorted(graph.edges(data=True), key=lambda edge: -edge[2]["strength"])
    drawn = [edge for edge in edges if edge[2]["strength"] >= LEAST_STRENGTH][:MOST_LINES]
    near = nx.Graph()
    near.add_nodes_from(graph.nodes)
    near.add_weighted_edges_from((a, b, facts["strength"]) for a, b, facts in drawn)
    tree = nx.maximum_spanning_tree(near)
    order = [
        name for part in nx.connected_components(tree) for name in nx.dfs_preorder_nodes(tree, min(part))
    ]
    places = nx.circular_layout(order)
    marks, titles = go.Figure(), {name: facts["title"] for name, facts in graph.nodes(data=True)}

    def place(a: str, b: str, part: float) -> tuple[float, float]:
        """Return the position of a point on the line of a pair."""
        x, y = (1 - part) * places[a] + part * places[b]
        return x, y

    named = set[str]()
    for name, look, some in _lines(drawn):
        ends = [at for a, b, _ in some for at in (place(a, b, 0.0), place(a, b, 1.0), (None, None))]
        x, y = zip(*ends, strict=True)
        shown = {"legendgroup": name, "showlegend": name not in named}
        named.add(name)
        marks.add_scatter(x=x, y=y, mode="lines", name=name, line=look, hoverinfo="skip", **shown)
        thirds = [place(a, b, 1 / 3) for a, b, _ in some]
        marks.add_scatter(
            x=[x for x, _ in thirds],
            y=[y for _, y in thirds],
            mode="markers",
            marker={"size": 9, "color": look["color"], "opacity": 0.01},
            customdata=[
                [TIMES.join((titles[a], titles[b])), share(facts["strength"]), _error(facts)]
                for a, b, facts in some
            ],
            hovertemplate="%{customdata[0]}<br>relation %{customdata[1]}, error %{customdata[2]}"
            "<extra></extra>",
            showlegend=False,
            legendgroup=name,
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
            "Strength of the relation": [share(facts["strength"]) for *_, facts in edges],
            "Known": [str(facts["known"]) for *_, facts in edges],
            "Error of the synthetic rows": [_error(facts) for *_, facts in edges],
        }
    )
    words = f"Map of {len(titles)} columns with the {len(drawn)} strongest of {len(edges)} relations."
    if drawn:
        a, b, facts = drawn[0]
        words += f" The strongest is {TIMES.join((titles[a], titles[b]))} ({share(facts['strength'])})."
    return Figure(frame=frame, marks=marks, words=words)


Edge = tuple[str, str, Mapping[str, Any]]


def _lines(edges: Sequence[Edge]) -> Iterator[tuple[str, dict[str, Any], list[Edge]]]:
    """Yield the lines by look: the name in the legend, the look, and the pairs."""
    alike: dict[tuple[str, str, str, float], list[Edge]] = defaultdict(list)
    for edge in edges:
        facts = edge[2]
        name, colour = _UNJUDGED, SYNTHETIC
        if facts["error"] is not None:
            name = _grade(facts)
            colour = GRADES[name]
        dash = "solid" if facts["known"] is Known.MEASURED else "dash"
        width = next(width for least, width in _WIDTHS if facts["strength"] >= least)
        alike[name, colour, dash, width].append(edge)
    grades = [*GRADES, _UNJUDGED]
    for (name, colour, dash, width), some in sorted(alike.items(), key=lambda item: grades.index(item[0][0])):
        yield _title(name), {"color": colour, "dash": dash, "width": width}, some


def _title(grade: str) -> str:
    """Return the name of a grade in the legend, with its limits."""
    low = 0.0
    for most, name in LIMITS:
        if name == grade:
            return f"error: {name} ({f'up to {per_cent(most)}' if most < 1 else f'above {per_cent(low)}'})"
        low = most
    return grade


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

"""The figure for the Method page: accuracy and time of methods on a benchmark."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import pandas as pd
import plotly.graph_objects as go

from synth.app.figures.figure import Figure
from synth.app.figures.marks import ABOVE, NEUTRAL, SYNTHETIC, finish
from synth.app.figures.words import plain
from synth.app.project.spend.advice import Matter
from synth.app.project.spend.measured import Finding
from synth.core.numbers import number_of, per_cent
from synth.mechanisms import MECHANISMS

_SHORTEST = 0.1
"""Time in seconds below which marks are drawn at the edge."""


def methods(found: Mapping[str, Finding], matter: Matter, *, ranked: Collection[str]) -> Figure:
    """Draw a mark per method, with seconds against the error for `matter`. Marks are hollow unless
    `ranked`.
    """
    titles = {name: MECHANISMS[name].title for name in found}
    front, least = set(), float("inf")  # methods more accurate than all faster ones: they have labels
    for name in sorted(found, key=lambda name: found[name].seconds):
        if matter.error(found[name]) < least:
            front.add(name)
            least = matter.error(found[name])
    marks = go.Figure()
    for label, names, symbol, colour in (
        ("ranked", [name for name in found if name in ranked], "circle", SYNTHETIC),
        ("other source", [name for name in found if name not in ranked], "circle-open", NEUTRAL),
    ):
        if names:
            marks.add_scatter(
                x=[max(found[name].seconds, _SHORTEST) for name in names],
                y=[100 * matter.error(found[name]) for name in names],
                text=[titles[name] if name in front else "" for name in names],
                customdata=[titles[name] for name in names],
                mode="markers+text",
                textposition="top right",
                name=label,
                marker={"symbol": symbol, "size": 11, "color": colour, "line": {"width": 2, "color": colour}},
                hovertemplate="%{customdata}: error %{y:.2f}%, %{x:.3g} s<extra></extra>",
            )
    finish(marks, height=380, legend=ABOVE)
    marks.update_xaxes(title="seconds of one core", type="log", dtick=1, showgrid=True)
    marks.update_yaxes(title=f"error of {matter.value}, per cent", rangemode="tozero")
    frame = pd.DataFrame(
        {
            "Method": [plain(titles[name]) for name in found],
            "Columns": [of.columns for of in found.values()],
            "Pairs": [of.pairs for of in found.values()],
            "Triples": [of.triples for of in found.values()],
            "Seconds": [of.seconds for of in found.values()],
            "Runs": [of.runs for of in found.values()],
        }
    )
    errors = dict.fromkeys(("Columns", "Pairs", "Triples"), lambda of: per_cent(of, 2))
    best = min(found, key=lambda name: matter.error(found[name]))
    words = f"Error and time of {number_of(len(found), 'method')}. {titles[best]} has the lowest error."
    return Figure(frame=frame, written=errors | {"Seconds": lambda of: f"{of:.0f}"}, marks=marks, words=words)

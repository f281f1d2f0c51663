"""Figures of one pair of columns, cell by cell."""

from __future__ import annotations

from enum import StrEnum

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from numpy.typing import NDArray

from synth.app.figures.figure import Figure, Writing
from synth.app.figures.marks import INK, NOISY, PAPER, colour_bar, finish, labelled, tinted
from synth.app.figures.words import count
from synth.app.project.results.pairs import PairTable, PairView
from synth.app.project.results.released import PairBound
from synth.core.numbers import per_cent

MOST_WRITTEN = 260
"""Maximum number of cells of a pair that are drawn with numbers."""


class Quantity(StrEnum):
    """What the cells of a pair's heat map can show."""

    SYNTHETIC = "synthetic"
    NOISY = "noisy"
    DIFFERENCE = "difference"


def heat(
    view: PairView, table: PairTable, quantity: Quantity = Quantity.SYNTHETIC, *, percent: bool = False
) -> Figure:
    """Draw one pair cell by cell, with the first column as rows.

    The table gives the interval of each cell. Crosses mark cells whose synthetic count is outside its
    interval.
    """
    unit = "people" if view.people else "rows"
    factor, unit = (100.0 / view.total, f"per cent of {unit}") if percent else (1.0, unit)
    z = {
        Quantity.SYNTHETIC: table.synthetic,
        Quantity.NOISY: table.noisy,
        Quantity.DIFFERENCE: None if table.noisy is None else table.synthetic - table.noisy,
    }[quantity]
    z = (table.synthetic if z is None else z) * factor
    marks = go.Figure(cells(z, table, hover=_hover(view, table, factor, unit), unit=unit))
    outside = np.argwhere(table.outside)
    if len(outside):
        marks.add_scatter(
            x=outside[:, 1].tolist(),
            y=outside[:, 0].tolist(),
            mode="markers",
            name="outside its interval",
            marker={
                "symbol": "square-open",
                "size": 20,
                "color": NOISY,
                "line": {"width": 2.5, "color": NOISY},
            },
            hoverinfo="skip",
            showlegend=True,
        )
    if z.size <= MOST_WRITTEN:
        for trace in numbers(z, percent=percent):
            marks.add_trace(trace)
    legend = {"orientation": "h", "y": 1.0, "yanchor": "bottom", "x": 0}
    height = 120 + min(max(30 * len(table.down), 170), 760)
    finish(marks, height=height, legend=legend, dragmode=False)
    named(marks, table, view.bound)
    return Figure(frame=_frame(view, table), written=_written(), marks=marks, words=_words(view, table))


def cells(
    z: NDArray[np.float64],
    table: PairTable,
    *,
    hover: list[list[str]] | None = None,
    unit: str,
) -> go.Heatmap:
    """Return the cells of a pair on one colour scale, with the background colour at zero and the alarm colour
    below zero.
    """
    most = max(float(np.abs(z).max()), 1e-9)
    low = float(z.min()) < 0
    scale = tinted(both=low)
    return go.Heatmap(
        x=list(range(len(table.across))),
        y=list(range(len(table.down))),
        z=z.tolist(),
        zmin=-most if low else 0,
        zmax=most,
        colorscale=scale,
        xgap=1,
        ygap=1,
        customdata=hover,
        hovertemplate="%{customdata}<extra></extra>" if hover else None,
        colorbar=colour_bar(unit),
    )


def numbers(z: NDArray[np.float64], *, percent: bool) -> list[go.Scatter]:
    """Return the numbers in the cells, which are light on strong colours and in the theme's text colour
    elsewhere.
    """
    most, traces = max(float(np.abs(z).max()), 1e-9), []
    for is_strong in (False, True):
        some = [(i, j) for i, j in np.ndindex(z.shape) if (abs(z[i, j]) > 0.75 * most) == is_strong]
        traces.append(
            go.Scatter(
                x=[j for _, j in some],
                y=[i for i, _ in some],
                text=[f"{z[spot]:.1f}" if percent else f"{z[spot]:,.0f}" for spot in some],
                mode="text",
                textfont={"size": 11, "color": PAPER if is_strong else INK},
                hoverinfo="skip",
                showlegend=False,
            )
        )
    return traces


def named(marks: go.Figure, table: PairTable, bound: PairBound, *, panels: int = 1) -> None:
    """Label the rows and columns of a pair with their values, and the axes with the titles of the two
    columns.
    """
    labelled(marks, table.across, panels=panels, title=bound.right, zeroline=False)
    shown = range(0, len(table.down), -(-len(table.down) // 30))
    marks.update_yaxes(
        tickvals=list(shown),
        ticktext=[table.down[i] for i in shown],
        title=bound.left,
        showgrid=False,
        zeroline=False,
        range=[len(table.down) - 0.5, -0.5],
    )


def _hover(view: PairView, table: PairTable, factor: float, unit: str) -> list[list[str]]:
    """Return the hover text of each cell, which states what is known about it."""
    least, most, words = table.least, table.most, []
    for i, down in enumerate(table.down):
        line = []
        for j, across in enumerate(table.across):
            own = table.synthetic[i, j]
            said = f"{down}, {across}<br>synthetic {count(own)} ({per_cent(own / view.total, 1)})"
            if table.noisy is not None and least is not None and most is not None:
                said += f"<br>noisy {table.noisy[i, j]:,.0f}"
                said += f"<br>the true count is between {least[i, j]:,.0f} and {most[i, j]:,.0f}"
            line.append(said)
        words.append(line)
    return words


def _frame(view: PairView, table: PairTable) -> pd.DataFrame:
    bound, least, most = view.bound, table.least, table.most
    down = np.repeat(table.down, len(table.across))
    across = np.tile(table.across, len(table.down))
    second = bound.right if bound.right != bound.left else f"{bound.right} "
    columns: dict[str, object] = {
        bound.left: down,
        second: across,
        "Synthetic count": table.synthetic.ravel(),
        "Per cent": 100 * table.synthetic.ravel() / view.total,
    }
    if table.noisy is not None and least is not None and most is not None:
        columns |= {"Noisy count": table.noisy.ravel(), "At least": least.ravel(), "At most": most.ravel()}
    return pd.DataFrame(columns)


def _written() -> Writing:
    whole = dict.fromkeys(("Synthetic count", "Noisy count", "At least", "At most"), _whole)
    return {**whole, "Per cent": lambda part: round(part, 2)}


def _whole(number: float) -> int:
    return round(number)


def _words(view: PairView, table: PairTable) -> str:
    at = np.unravel_index(int(table.synthetic.argmax()), table.synthetic.shape)
    top = f"{table.down[at[0]]} with {table.across[at[1]]}"
    said = f"Heat map of {view.bound.name}: {table.synthetic.size:,} cells, most often {top}."
    if table.noisy is None:
        return f"{said} The counts of this pair were not measured."
    outside = int(table.outside.sum())
    are = "is" if outside == 1 else "are"
    return f"{said} Of the synthetic counts, {outside:,} {are} outside the interval."

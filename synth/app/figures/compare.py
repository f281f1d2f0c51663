"""Figures that compare several runs. The best run is marked for each metric, without an overall score."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from numpy.typing import NDArray
from plotly.subplots import make_subplots

from synth.analyst.drift import Changed, Drift
from synth.app.figures.best import TIGHT, level, marked, smallest
from synth.app.figures.figure import Figure, by_value
from synth.app.figures.heat import cells, named
from synth.app.figures.marks import (
    ABOVE,
    NEUTRAL,
    NOISY,
    between,
    clear,
    counts,
    finish,
    intervals,
    labelled,
    look_of,
    panels,
    panels_across,
    tinted,
    title_room,
)
from synth.app.figures.words import plain, share
from synth.app.project.results.compare import Standing, gaps
from synth.app.project.results.pairs import PairView
from synth.app.project.results.released import ColumnView
from synth.app.project.runs import SyntheticTable
from synth.core.numbers import TIMES, number_of
from synth.release.verdict import figures as verdict
from synth.release.verdict.sentences import USES, interval_of

RUN, PAID = "Run", "Epsilon"
BOUND = "[Pairs](#pair): mean bound"
BROKEN, FLAGS = "Rule violations", "Warnings"
NOTHING = "none in common"
UNMEASURED = "not measured"
OTHERS = "not chosen"
MOST_CHANGES = 20
"""Maximum number of changes to draw."""

_HEIGHT, _SMALL = 250, 170
"""Heights in pixels of a panel, and of a small panel without its labels."""
_MOST_LETTERS, _LETTER = 14, 7
"""Maximum number of letters of a label under a small panel, and the width of a letter in pixels."""


def standings(rows: Sequence[Standing]) -> Figure:
    """Return a table with a row per run and a column per metric, in Markdown."""
    bounds = level(
        [None if s.bound is None else s for s in rows],
        key=lambda s: float(s.bound or 0.0),
        ties=lambda one, other: share(one.bound or 0.0) == share(other.bound or 0.0),
    )
    uses = [use for use in USES if any(s.mean(use) for s in rows)]
    frame = {
        RUN: [f"**{plain(s.run.name).replace(' ', TIGHT)}** {plain(s.run.method)}" for s in rows],
        PAID: [f"{s.run.epsilon:g}" for s in rows],
        **{_heading(use): _errors(rows, use) for use in uses},
        **_predictions(rows),
        **({} if uses else {BOUND: marked([_bound(s) for s in rows], bounds)}),
        BROKEN: _counts([s.release.broken for s in rows]),
        FLAGS: [f"{len(s.release.flags):,}" for s in rows],
    }
    listed = number_of(len(rows), "run")
    words = f"Table of {listed}; the best of each metric is marked."
    return Figure(frame=pd.DataFrame(frame), words=words)


def errors(rows: Sequence[Standing]) -> Figure:
    """Draw a dot with its interval for each run and use, or the limit for a table without its own
    measurement.
    """
    uses = [use for use in USES if any(s.mean(use) for s in rows)]
    marks, frame = go.Figure(), []
    for place, row in enumerate(rows):
        colour, symbol = look_of(place)
        known = [(use, error) for use in uses if (error := row.mean(use)) is not None]
        confidence = row.release.confidence
        is_exact = row.release.is_judged
        dots, bars = intervals([error for _, error in known], confidence, exact=is_exact)
        shift = 0.5 * (place - (len(rows) - 1) / 2) / len(rows)
        marks.add_scatter(
            x=dots,
            y=[uses.index(use) + shift for use, _ in known],
            mode="markers",
            name=row.run.name,
            marker={"symbol": symbol if is_exact else "line-ns-open", "size": 10, "color": colour},
            error_x=bars,
            hovertemplate=f"{row.run.label}<br>%{{x:.2f}}%<extra></extra>",
        )
        frame += [{RUN: row.run.label, "Use": USES[use], "Error": _said(row, error)} for use, error in known]
    finish(marks, height=110 + 24 * len(rows) * len(uses), legend=ABOVE)
    marks.update_yaxes(
        tickvals=list(range(len(uses))), ticktext=[f"{USES[use]}  " for use in uses], autorange="reversed"
    )
    marks.update_xaxes(title="mean error (%)", rangemode="tozero", zeroline=False)
    words = f"Dots with intervals: mean errors of {number_of(len(rows), 'run')}."
    return Figure(frame=pd.DataFrame(frame), marks=marks, words=words)


def drift(found: Drift, titles: Mapping[str, str]) -> Figure:
    """Draw the interval of the change in each table of counts, for up to `MOST_CHANGES` tables. Those with a
    clear change come first.
    """
    shown, marks = found.tables[:MOST_CHANGES], go.Figure()
    name = {table.columns: TIMES.join(titles.get(n, n) for n in table.columns) for table in found.tables}
    for is_found, label, symbol, colour in (
        (True, "changed", "diamond", NOISY),
        (False, "no change found", "circle-open", NEUTRAL),
    ):
        some = [table for table in shown if table.is_found == is_found]
        middles = [50 * sum(table.interval) for table in some]
        halves = [50 * (table.interval[1] - table.interval[0]) for table in some]
        marks.add_scatter(
            x=middles,
            y=[name[table.columns] for table in some],
            mode="markers",
            name=label,
            marker={"symbol": symbol, "size": 9, "color": colour},
            error_x={"type": "data", "array": halves, "color": colour, "thickness": 3},
            hovertemplate="%{y}: %{x:.1f} ± %{error_x.array:.1f}%<extra></extra>",
        )
    finish(marks, height=110 + 24 * len(shown), legend=ABOVE)
    marks.update_yaxes(
        autorange="reversed",
        ticksuffix="  ",
        categoryorder="array",
        categoryarray=[name[t.columns] for t in shown],
    )
    marks.update_xaxes(title="records that differ (%, TVD)", rangemode="tozero")
    frame = pd.DataFrame(
        {
            "Table": [name[table.columns] for table in found.tables],
            "Records that differ": [
                f"{share(table.interval[0])} to {share(table.interval[1])}" for table in found.tables
            ],
            "Changed": ["yes" if table.is_found else "not found" for table in found.tables],
            "Largest change": [_largest(table) for table in found.tables],
        }
    )
    return Figure(frame=frame, marks=marks, words=found.sentence)


def _largest(table: Changed) -> str:
    cell = table.cells[0]
    if not cell.is_found:
        return ""
    return f"{', '.join(cell.labels)}: {share(cell.before)} to {share(cell.after)}"


def _heading(use: str) -> str:
    """Return the heading of a use. It is a link, so that keyboard users can reach and scroll the table."""
    place = {"columns": "columns", "pairs": "pair"}.get(use)
    return f"[{USES[use]}](#{place})" if place else USES[use]


def _errors(rows: Sequence[Standing], use: str) -> list[str]:
    """Return the mean errors for a use. All errors that cannot be distinguished from the lowest are marked as
    best.
    """
    said = [_said(s, s.mean(use)) for s in rows]
    if (found := gaps(rows, use)) is None:
        return said
    real = {gap.run.run for gap in found[1] if gap.is_real}
    places = [i for i, s in enumerate(rows) if s.mean(use) is not None and s.run.run not in real]
    return marked(said, frozenset(places))


def _said(standing: Standing, figure: verdict.Figure | None) -> str:
    release = standing.release
    return UNMEASURED if figure is None else interval_of(figure, release.confidence, exact=release.is_judged)


def _predictions(rows: Sequence[Standing]) -> dict[str, list[str]]:
    """Return the share of private rows whose target is predicted correctly, by heading."""
    predicted = [
        {} if s.release.verdict is None else {p.target: p.correct for p in s.release.verdict.predicted}
        for s in rows
    ]
    targets = {
        target: s.release.titles[target] for s, of in zip(rows, predicted, strict=True) for target in of
    }
    return {
        f"{title} predicted": [_said(s, of.get(target)) for s, of in zip(rows, predicted, strict=True)]
        for target, title in targets.items()
    }


def _bound(standing: Standing) -> str:
    if standing.bound is None:
        return NOTHING
    without = f", {number_of(standing.unbound, 'pair')} without" if standing.unbound else ""
    return share(standing.bound) + without


def _counts(values: Sequence[int]) -> list[str]:
    return marked([f"{v:,}" for v in values], smallest([float(v) for v in values]))


def column(views: Sequence[tuple[SyntheticTable, ColumnView]]) -> Figure:
    """Draw one column in a panel per run, with the run's synthetic counts and its noisy counts.

    All panels have the same labels in the same order and the same scale.
    """
    first, across = views[0][1], panels_across(len(views))
    marks, places = panels(
        [run.label for run, _ in views],
        shared_xaxes="all",
        shared_yaxes="all",
        horizontal_spacing=0.04,
        vertical_spacing=between([run.label for run, _ in views], _HEIGHT),
    )
    for where, (_, view) in zip(places, views, strict=True):
        for trace in counts(view, noisy="noisy measurement, with its noise", small=True):
            trace.update(legendgroup=trace.name, showlegend=where is places[0])
            marks.add_trace(trace, **where)
    labelled(marks, first.labels, panels=across)
    marks.update_yaxes(automargin=True, tickformat=",")
    marks.update_yaxes(title="people" if first.people else "rows", col=1)
    marks.update_annotations(yshift=4)
    legend = {"orientation": "h", "yref": "container", "y": 0.0, "yanchor": "bottom", "x": 0}
    room = title_room([run.label for run, _ in views])
    height = (_HEIGHT + room) * places[-1]["row"] + 60
    clear(marks, height=height, margin=(8, 8, room + 4, 8), bargap=0.25, legend=legend)
    runs = {run.name: view.synthetic for run, view in views}
    frame, written = by_value(first.title, first.labels, runs), dict.fromkeys(runs, "{:,.0f}".format)
    words = f"Bar charts of {first.title} on one scale, one for each of {', '.join(runs)}."
    return Figure(frame=frame, written=written, marks=marks, words=words)


def tradeoff(
    known: Sequence[tuple[SyntheticTable, verdict.Figure]],
    seconds: Mapping[str, float | None],
    *,
    chosen: Sequence[str],
    confidence: float,
) -> Figure:
    """Draw the mean error of pairs of every run, with its interval, against epsilon and the seconds of the
    fit.

    Marks at the same place are drawn side by side. Runs that are not `chosen` are small and grey. `seconds`
    maps runs to seconds, or to None if unknown.
    """
    is_timed = any(seconds.get(run.run) is not None for run, _ in known)
    marks = make_subplots(rows=1, cols=1 + is_timed, shared_yaxes=True, horizontal_spacing=0.06)
    named_once: set[str] = set()
    ordered = sorted(known, key=lambda one: one[0].run in chosen)
    paid = [run.epsilon for run, _ in ordered]
    took = [seconds.get(run.run) for run, _ in ordered]
    edges = [math.log10(min(paid)) - 0.2, math.log10(max(paid)) + 0.2]
    last = 1.08 * max([of for of in took if of is not None], default=0.0) or 1.0
    for place, (run, figure) in enumerate(ordered):
        off, bars = intervals([figure], confidence, exact=True)
        said = interval_of(figure, confidence)
        is_chosen = run.run in chosen
        colour, symbol = look_of(chosen.index(run.run)) if is_chosen else (NEUTRAL, "circle")
        name = run.name if is_chosen else OTHERS
        for where, own in ((1, run.epsilon), (2, took[place])):
            if own is None:
                continue
            marks.add_scatter(
                x=[own],
                y=off,
                error_y=bars,
                mode="markers",
                name=name,
                legendgroup=name,
                legendrank=1000 + (chosen.index(run.run) if is_chosen else len(chosen)),
                showlegend=name not in named_once,
                marker={
                    "symbol": symbol,
                    "size": 12 if is_chosen else 8,
                    "color": colour,
                    "line": {"width": 2, "color": colour},
                },
                hovertemplate=f"{run.label}<br>{own:,.3g}: error {said}<extra></extra>",
                row=1,
                col=where,
            )
            named_once.add(name)
    legend = {"orientation": "h", "yref": "container", "y": 0.0, "yanchor": "bottom", "x": 0}
    finish(marks, height=320 + 22 * -(-len(named_once) // 3), legend=legend)
    marks.update_yaxes(title="mean error of pairs (%)", rangemode="tozero", col=1)
    ticks = sorted(set(paid))
    labels = {"tickvals": ticks, "ticktext": [f"{of:,.3g}" for of in ticks]}
    marks.update_xaxes(title="epsilon", type="log", range=edges, **labels, col=1)
    if is_timed:
        marks.update_xaxes(title="seconds of fitting", range=[-0.04 * last, last], tickformat=",", col=2)
    frame = pd.DataFrame(
        {
            RUN: [run.label for run, _ in known],
            PAID: [run.epsilon for run, _ in known],
            "Seconds of fitting": [seconds.get(run.run) for run, _ in known],
            "Error": [interval_of(figure, confidence) for _, figure in known],
        }
    )
    words = f"Error of pairs of {len(known)} runs against epsilon and time."
    written = {"Seconds of fitting": lambda of: "unknown" if pd.isna(of) else f"{of:,.0f}"}
    return Figure(frame=frame, written=written, marks=marks, words=words)


def pair(
    views: Sequence[tuple[SyntheticTable, PairView]], *, against: str | None = None, percent: bool = True
) -> Figure:
    """Draw one pair with a panel per run, all on the same scale. With `against`, draw the differences from
    that run.
    """
    base = next((view for run, view in views if run.run == against), None)
    shown = [(run, view) for run, view in views if run.run != against]
    unit = "per cent" if percent else "people" if views[0][1].people else "rows"
    drawn = [
        _share_of(view, percent) - (0.0 if base is None else _share_of(base, percent)) for _, view in shown
    ]
    most = max(max(float(np.abs(z).max()) for z in drawn), 1e-9)
    tall = min(max(20 * len(views[0][1].own.down), 120), 320)
    marks, places = panels(
        [run.label for run, _ in shown],
        shared_xaxes="all",
        shared_yaxes="all",
        horizontal_spacing=0.04,
        vertical_spacing=between([run.label for run, _ in shown], tall),
    )
    for where, z, (_, view) in zip(places, drawn, shown, strict=True):
        hover = [
            [f"{down}, {across}: {of:,.2f} {unit}" for across, of in zip(view.own.across, line, strict=True)]
            for down, line in zip(view.own.down, z, strict=True)
        ]
        trace = cells(z, view.own, hover=hover, unit=unit)
        trace.update(
            zmin=0 if base is None else -most,
            zmax=most,
            colorscale=tinted(both=base is not None),
            showscale=where is places[0],
        )
        marks.add_trace(trace, **where)
    first = views[0][1]
    named(marks, first.own, first.bound, panels=panels_across(len(shown)))
    marks.update_xaxes(title=None, automargin=True)
    marks.update_yaxes(title=None, automargin=True)
    marks.update_annotations(yshift=4)
    room = title_room([run.label for run, _ in shown])
    height = (tall + room) * places[-1]["row"] + 110
    clear(marks, height=height, margin=(8, 8, room + 4, 8), dragmode=False)
    frame = pd.DataFrame(
        {
            first.bound.left: np.repeat(first.own.down, len(first.own.across)),
            f"{first.bound.right} ": np.tile(first.own.across, len(first.own.down)),
            **{run.name: z.ravel() for (run, _), z in zip(shown, drawn, strict=True)},
        }
    )
    names = ", ".join(run.name for run, _ in shown)
    less = "" if base is None else f", each minus {next(run.name for run, _ in views if run.run == against)}"
    words = f"Heat maps of {first.bound.name} on one scale, in {unit}: {names}{less}."
    written = {run.name: lambda of: round(of, 2) for run, _ in shown}
    return Figure(frame=frame, written=written, marks=marks, words=words)


def _share_of(view: PairView, percent: bool) -> NDArray[np.float64]:
    return view.own.synthetic * (100.0 / view.total if percent else 1.0)


def apart(columns: Sequence[Sequence[tuple[SyntheticTable, ColumnView]]]) -> Figure:
    """Draw a panel for each column in which runs differ by more than their noise, with a line per run."""
    names = [views[0][1].title for views in columns]
    labels = [[_brief(label) for label in views[0][1].labels] for views in columns]
    below = _LETTER * max(len(label) for of in labels for label in of) + 16
    marks, places = panels(
        names, horizontal_spacing=0.14, vertical_spacing=between(names, _SMALL, below=below)
    )
    runs = list(dict.fromkeys(run.run for views in columns for run, _ in views))
    named_once: set[str] = set()
    for where, views, shown in zip(places, columns, labels, strict=True):
        for run, view in views:
            colour, symbol = look_of(runs.index(run.run))
            marks.add_scatter(
                x=list(range(len(view.labels))),
                y=list(view.synthetic),
                mode="lines+markers",
                name=run.name,
                legendgroup=run.run,
                showlegend=run.run not in named_once,
                line={"color": colour, "width": 1.4},
                marker={"symbol": symbol, "size": 8, "color": colour},
                customdata=list(view.labels),
                hovertemplate="%{customdata}: %{y:,.0f}<extra>" + run.name + "</extra>",
                **where,
            )
            named_once.add(run.run)
        labelled(marks, shown, panels=panels_across(len(columns)), **where)
    marks.update_xaxes(automargin=True)
    unit = "people" if columns[0][0][1].people else "rows"
    marks.update_yaxes(automargin=True, rangemode="tozero", tickformat=",")
    marks.update_yaxes(title=unit, col=1)
    legend = {"orientation": "h", "yref": "container", "y": 0.0, "yanchor": "bottom", "x": 0}
    height = (_SMALL + title_room(names) + below) * places[-1]["row"] + 60
    clear(marks, height=height, margin=(8, 8, 36, 8), legend=legend)
    frame = pd.DataFrame(
        [
            {"Column": view.title, "Value": label, RUN: run.name, "Synthetic": of}
            for views in columns
            for run, view in views
            for label, of in zip(view.labels, view.synthetic, strict=True)
        ]
    )
    return Figure(
        frame=frame,
        written={"Synthetic": round},
        marks=marks,
        words=f"Lines of every run for columns in which they differ by more than noise: {', '.join(names)}.",
    )


def _brief(label: str) -> str:
    """Return a label that is short enough to be written vertically under a small panel. The hover text has
    the whole label.
    """
    return label if len(label) <= _MOST_LETTERS else f"{label[: _MOST_LETTERS - 1]}…"

"""The page of the scaling runs: seconds, memory and error along rows, columns, epsilon and cliques.

Which axis a record belongs to follows from its table: grown Adult is rows, a chain columns, Adult with a cap
the cliques, and Adult without one epsilon.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from statistics import fmean, stdev

from synth.bench.page import STYLE
from synth.bench.plots import Point, Series, chart, legend
from synth.bench.results import FAILED, LAST, Record

TITLES = {
    "rows": "Rows: Adult grown, epsilon 1",
    "columns": "Columns: an invented chain of 50,000 rows, epsilon 1",
    "epsilons": "Epsilon: Adult",
    "caps": "The largest clique of the tree: Adult, epsilon 10",
}
CROSS = {"rows": "rows", "columns": "columns", "epsilons": "epsilon", "caps": "cells of the largest clique"}
DRAWN = (("seconds", "seconds"), ("peak_mb", "peak memory, MB"), ("tvd2", "mean TVD, 2-way"))
TOLD = (
    ("seconds", "seconds", ".2f"),
    ("CPU seconds", "cpu_seconds", ".2f"),
    ("peak MB", "peak_mb", ".0f"),
    ("cells of the model", "model_cells", ",.0f"),
    ("measurements", "measurements", ".0f"),
    ("TVD 2-way", "tvd2", ".4f"),
    ("TVD 3-way", "tvd3", ".4f"),
)
LEDE = (
    "What a release costs as tables and promises grow. Every run has a process of its own; seconds count "
    "from the first question to the last record, with exact noise and the ledger on disk, and memory is the "
    "largest the process has been, the table read in included."
)


@dataclass(kw_only=True)
class Spot:
    """All runs of one method at one size."""

    axis: str
    size: float
    method: str
    figures: dict[str, list[float]] = field(default_factory=dict)
    failures: list[str] = field(default_factory=list)


def place_of(record: Record) -> tuple[str, float] | None:
    """Axis and size of a record; None for one of another benchmark."""
    if found := re.fullmatch(r"adult-(\d+)-rows", record.table):
        return "rows", float(found[1])
    if found := re.fullmatch(r"chain-(\d+)", record.table):
        return "columns", float(found[1])
    if record.table != "adult" or record.epsilon is None:
        return None
    if found := re.fullmatch(r"clique_cells=(\d+)", record.variant):
        return "caps", float(found[1])
    return None if record.variant else ("epsilons", record.epsilon)


def spots_of(records: Sequence[Record]) -> list[Spot]:
    """Records gathered, from small to large."""
    found: dict[tuple[str, float, str], Spot] = {}
    for record in records:
        place = place_of(record)
        if place is None:
            continue
        spot = found.setdefault(
            (*place, record.method), Spot(axis=place[0], size=place[1], method=record.method)
        )
        if record.figure == FAILED:
            spot.failures.append(record.note)
        elif record.figure != LAST:
            spot.figures.setdefault(record.figure, []).append(record.value)
    return sorted(found.values(), key=lambda s: s.size)


def html(records: Sequence[Record], told: Mapping[str, str]) -> str:
    """The page of these records; `told` says when, how and on what they were measured."""
    spots = spots_of(records)
    kicker = f'<p class="kicker">Marginalia, measured {escape(told["measured"])}</p>'
    parts = [f"<header>{kicker}<h1>How it scales</h1><p>{escape(LEDE)}</p></header>"]
    for axis, title in TITLES.items():
        here = [spot for spot in spots if spot.axis == axis]
        if here:
            parts.append(_section(title, _charts(here, axis) + _table(here, axis)))
    engine = [r for r in records if r.table == "engine" and r.figure != LAST]
    if engine:
        parts.append(_section("The engine's parts", _engine(engine)))
    facts = "".join(f"<dt>{escape(k)}</dt><dd>{escape(v)}</dd>" for k, v in told.items())
    parts.append(_section("How it was measured", f"<dl>{facts}</dl>"))
    style = STYLE.read_text(encoding="utf-8")
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>How it scales</title><style>\n{style}</style></head>\n"
        f"<body><main>\n{''.join(parts)}</main></body></html>\n"
    )


def _section(title: str, body: str) -> str:
    return f"<section><h2>{escape(title)}</h2>{body}</section>"


def _charts(here: Sequence[Spot], axis: str) -> str:
    drawn = []
    methods = list(dict.fromkeys(spot.method for spot in here))
    for figure, title in DRAWN:
        series = [
            Series(
                name=method,
                points=tuple(_point(s, figure) for s in here if s.method == method and figure in s.figures),
                place=place,
            )
            for place, method in enumerate(methods)
        ]
        svg = chart(series, x=CROSS[axis], y=title, title=f"{title} against {CROSS[axis]}")
        if svg:
            heading = title[0].upper() + title[1:]
            drawn.append(f"<figure><figcaption>{escape(heading)}</figcaption>{svg}{legend(series)}</figure>")
    return f'<div class="charts">{"".join(drawn)}</div>'


def _point(spot: Spot, figure: str) -> Point:
    values = spot.figures[figure]
    mean, spread = fmean(values), stdev(values) if len(values) > 1 else 0.0
    return Point(x=spot.size, y=mean, low=mean - spread, high=mean + spread)


def _table(here: Sequence[Spot], axis: str) -> str:
    shown = [c for c in TOLD if any(c[1] in spot.figures for spot in here)]
    heads = "".join(f'<th class="num">{escape(head)}</th>' for head, _, _ in shown)
    rows = "".join(_row(spot, shown) for spot in here)
    return (
        f'<div class="scroll"><table><thead><tr><th>method</th><th class="num">{escape(CROSS[axis])}</th>'
        f"{heads}</tr></thead><tbody>{rows}</tbody></table></div>"
    )


def _row(spot: Spot, shown: Sequence[tuple[str, str, str]]) -> str:
    cells = "".join(
        f'<td class="num">{format(fmean(spot.figures[f]), form) if f in spot.figures else "-"}</td>'
        for _, f, form in shown
    )
    if spot.failures and not spot.figures:
        cells = f'<td colspan="{len(shown)}" class="failed">no table: {escape(spot.failures[0])}</td>'
    return f'<tr><td>{escape(spot.method)}</td><td class="num">{_size(spot.size)}</td>{cells}</tr>'


def _size(size: float) -> str:
    return f"{size:,.0f}" if size >= 1000 else f"{size:g}"


def _engine(records: Sequence[Record]) -> str:
    rows = "".join(
        f"<tr><td>{escape(r.method)}</td><td>{escape(r.variant)}</td><td>{escape(r.figure.replace('_', ' '))}"
        f'</td><td class="num">{r.value:.4g}</td></tr>'
        for r in records
    )
    return (
        '<div class="scroll"><table><thead><tr><th>part</th><th>size</th><th>figure</th>'
        f'<th class="num">value</th></tr></thead><tbody>{rows}</tbody></table></div>'
    )

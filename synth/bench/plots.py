"""Small charts as inline SVG: lines with error bars, or points, on axes that are logarithmic by default.

A chart carries classes, no colours: the page's style sheet gives every series its colour, in light and in
dark. Shapes and dashes differ as well as colours, and the table under a chart says the same in numbers.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

WIDTH, HEIGHT = 560, 320
LEFT, RIGHT, TOP, BOTTOM = 62, 14, 14, 46
SHAPES = ("circle", "square", "diamond", "triangle")
NARROWEST = 3.0
"""A logarithmic axis spans at least this factor, so that small differences look small."""

SERIES = 8
"""Colours the style sheet knows; further series repeat them in another shape."""


@dataclass(frozen=True, kw_only=True)
class Point:
    """`low` and `high` end the error bar; equal to `y` for none."""

    x: float
    y: float
    low: float
    high: float


@dataclass(frozen=True, kw_only=True)
class Series:
    """A named line. `place` is its colour and shape, the same in every chart of a page."""

    name: str
    points: tuple[Point, ...]
    place: int
    dashed: bool = False


@dataclass(frozen=True, kw_only=True)
class Level:
    """A horizontal line: a reference that has no place on the x axis."""

    name: str
    y: float


@dataclass(frozen=True)
class Scale:
    """From values to pixels."""

    low: float
    high: float
    start: float
    end: float
    log: bool

    def __call__(self, value: float) -> float:
        a, b, v = (math.log10(x) if self.log else x for x in (self.low, self.high, value))
        return self.start + (v - a) / (b - a) * (self.end - self.start)

    def ticks(self) -> list[float]:
        if not self.log:
            return _round_steps(self.low, self.high)
        found = [
            m * 10.0**e
            for e in range(math.floor(math.log10(self.low)), math.ceil(math.log10(self.high)) + 1)
            for m in (1, 2, 5)
            if self.low <= m * 10.0**e <= self.high
        ]
        if len(found) < 2:
            return _round_steps(self.low, self.high)
        decades = [t for t in found if math.isclose(math.log10(t), round(math.log10(t)))]
        return found if len(found) <= 7 else decades


def _round_steps(low: float, high: float) -> list[float]:
    raw = (high - low) / 5
    power = 10.0 ** math.floor(math.log10(raw))
    step = next(m * power for m in (1, 2, 5, 10) if m * power >= raw)
    first = math.ceil(low / step)
    return [i * step for i in range(first, math.floor(high / step) + 1)]


def _scale(values: Sequence[float], start: float, end: float, *, log: bool) -> Scale:
    """With a little air on both sides, and never of width zero. Shapes: at least one value."""
    low, high = min(values), max(values)
    if log:
        air = max((high / low) ** 0.06, 1.15, (NARROWEST * low / high) ** 0.5)
        return Scale(low / air, high * air, start, end, log)
    air = max((high - low) * 0.06, abs(high) * 0.05, 1e-12)
    return Scale(min(low - air, 0.0) if low >= 0 else low - air, high + air, start, end, log)


def chart(
    series: Sequence[Series],
    *,
    x: str,
    y: str,
    levels: Sequence[Level] = (),
    log_x: bool = True,
    log_y: bool = True,
    joined: bool = True,
    title: str = "",
) -> str:
    """An SVG with axes, grid and marks; the legend is the page's (see `legend`). Values on a logarithmic axis
    must be above 0. `joined` draws lines between a series' points."""
    points = [p for s in series for p in s.points]
    if not points:
        return ""
    heights = [v for p in points for v in (p.low, p.high)] + [level.y for level in levels]
    if log_y:
        heights = [v for v in heights if v > 0]
    across = _scale([p.x for p in points], LEFT, WIDTH - RIGHT, log=log_x)
    up = _scale(heights, HEIGHT - BOTTOM, TOP, log=log_y)
    drawn = [*_axes(across, up, x, y), *(_level(level, up) for level in levels)]
    for one in series:
        drawn.extend(_series(one, across, up, joined=joined))
    return (
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{escape(title or f"{y} against {x}")}">'
        f"{''.join(drawn)}</svg>"
    )


def _axes(across: Scale, up: Scale, x: str, y: str) -> list[str]:
    drawn = []
    for t in across.ticks():
        at = across(t)
        drawn.append(f'<line class="grid" x1="{at:.1f}" x2="{at:.1f}" y1="{TOP}" y2="{HEIGHT - BOTTOM}"/>')
        drawn.append(
            f'<text class="tick" x="{at:.1f}" y="{HEIGHT - BOTTOM + 16}" text-anchor="middle">{t:g}</text>'
        )
    for t in up.ticks():
        at = up(t)
        drawn.append(f'<line class="grid" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{at:.1f}" y2="{at:.1f}"/>')
        drawn.append(
            f'<text class="tick" x="{LEFT - 6}" y="{at + 4:.1f}" text-anchor="end">{_short(t)}</text>'
        )
    middle = (LEFT + WIDTH - RIGHT) / 2
    drawn.append(f'<text class="axis" x="{middle}" y="{HEIGHT - 8}" text-anchor="middle">{escape(x)}</text>')
    half = (TOP + HEIGHT - BOTTOM) / 2
    drawn.append(
        f'<text class="axis" transform="translate(13 {half}) rotate(-90)" text-anchor="middle">'
        f"{escape(y)}</text>"
    )
    return drawn


def _short(value: float) -> str:
    return f"{value:.0f}" if value >= 1000 else f"{value:.3g}"


def _level(level: Level, up: Scale) -> str:
    at = up(level.y)
    return (
        f'<line class="level" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{at:.1f}" y2="{at:.1f}"/>'
        f'<text class="tick" x="{LEFT + 4}" y="{at - 4:.1f}">'
        f"{escape(level.name)}</text>"
    )


def _series(one: Series, across: Scale, up: Scale, *, joined: bool) -> list[str]:
    kind = f"s{one.place % SERIES}"
    placed = [(across(p.x), up(p.y), p) for p in sorted(one.points, key=lambda p: p.x)]
    drawn = []
    if joined and len(placed) > 1:
        path = " ".join(f"{a:.1f},{b:.1f}" for a, b, _ in placed)
        dash = " dashed" if one.dashed else ""
        drawn.append(f'<polyline class="line {kind}{dash}" points="{path}"/>')
    for a, b, p in placed:
        low = p.low if not up.log or p.low > 0 else up.low
        if p.high > p.low:
            ends = f'y1="{up(low):.1f}" y2="{up(p.high):.1f}"'
            drawn.append(f'<line class="bar {kind}" x1="{a:.1f}" x2="{a:.1f}" {ends}/>')
        told = escape(f"{one.name}: {p.y:.4g} at {p.x:.4g}")
        drawn.append(f'<g class="mark {kind}"><title>{told}</title>{_mark(one, a, b)}</g>')
    return drawn


def _mark(one: Series, a: float, b: float) -> str:
    shape = SHAPES[(one.place + one.place // SERIES) % len(SHAPES)]
    hollow = ' class="hollow"' if one.dashed else ""
    if shape == "circle":
        return f'<circle{hollow} cx="{a:.1f}" cy="{b:.1f}" r="4.5"/>'
    if shape == "square":
        return f'<rect{hollow} x="{a - 4:.1f}" y="{b - 4:.1f}" width="8" height="8"/>'
    if shape == "diamond":
        return f'<path{hollow} d="M{a:.1f} {b - 6:.1f} l6 6 l-6 6 l-6 -6 z"/>'
    return f'<path{hollow} d="M{a:.1f} {b - 6:.1f} l6 10 l-12 0 z"/>'


def legend(series: Sequence[Series]) -> str:
    """Every series with its mark."""
    items = []
    for one in series:
        mark = f'<g class="mark s{one.place % SERIES}">{_mark(one, 8, 8)}</g>'
        items.append(
            f'<li><svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">{mark}</svg>'
            f"{escape(one.name)}</li>"
        )
    return f'<ul class="legend">{"".join(items)}</ul>'


@dataclass(frozen=True, kw_only=True)
class Row:
    """One line of a strip: a mean with its spread."""

    name: str
    place: int
    point: Point
    dashed: bool = False


ROW, NAMES = 24, 178


def strip(rows: Sequence[Row], *, x: str, levels: Sequence[Level] = (), title: str = "") -> str:
    """Names at the left, one mark each along a logarithmic axis (the points' `y`); levels become vertical
    lines. For a single promise, where there is nothing to draw against it."""
    if not rows:
        return ""
    bottom = TOP + ROW * len(rows)
    height = bottom + BOTTOM
    values = [v for r in rows for v in (r.point.low, r.point.y, r.point.high) if v > 0]
    along = _scale([*values, *(level.y for level in levels)], NAMES, WIDTH - RIGHT, log=True)
    drawn = []
    for t in along.ticks():
        at = along(t)
        drawn.append(f'<line class="grid" x1="{at:.1f}" x2="{at:.1f}" y1="{TOP}" y2="{bottom}"/>')
        drawn.append(
            f'<text class="tick" x="{at:.1f}" y="{bottom + 16}" text-anchor="middle">{_short(t)}</text>'
        )
    for level in levels:
        at = along(level.y)
        drawn.append(f'<line class="level" x1="{at:.1f}" x2="{at:.1f}" y1="{TOP - 2}" y2="{bottom}"/>')
    for i, row in enumerate(rows):
        drawn.extend(_row(row, along, TOP + ROW * (i + 0.5)))
    middle = (NAMES + WIDTH - RIGHT) / 2
    drawn.append(f'<text class="axis" x="{middle}" y="{height - 8}" text-anchor="middle">{escape(x)}</text>')
    return (
        f'<svg viewBox="0 0 {WIDTH} {height}" role="img" aria-label="{escape(title or x)}">'
        f"{''.join(drawn)}</svg>"
    )


def _row(row: Row, along: Scale, b: float) -> list[str]:
    p, kind = row.point, f"s{row.place % SERIES}"
    drawn = [
        f'<text class="name" x="{NAMES - 12}" y="{b + 4:.1f}" text-anchor="end">{escape(row.name)}</text>'
    ]
    if p.high > p.low > 0:
        ends = f'x1="{along(p.low):.1f}" x2="{along(p.high):.1f}"'
        drawn.append(f'<line class="bar {kind}" {ends} y1="{b:.1f}" y2="{b:.1f}"/>')
    mark = _mark(Series(name=row.name, points=(p,), place=row.place, dashed=row.dashed), along(p.y), b)
    drawn.append(f'<g class="mark {kind}"><title>{escape(f"{row.name}: {p.y:.4g}")}</title>{mark}</g>')
    return drawn

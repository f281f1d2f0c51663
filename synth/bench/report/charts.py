"""Small charts as inline SVG: lines with error bars, or marks in a strip, on logarithmic axes.

Charts are static because a report is one file without scripts that opens and prints everywhere. Plotly would
add 4.8 MB of scripts to every report, and its static export needs a browser. A chart has classes and no
colours: the style sheet of the page sets the colour of every series, in light and dark mode. Series also
differ in shapes and dashes, and the table under a chart has the same numbers.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from markupsafe import Markup

WIDTH, HEIGHT = 560, 320
LEFT, RIGHT, TOP, BOTTOM = 62, WIDTH - 14, 14, 46
ROW, NAMES = 24, 178
_NARROWEST = 3.0
"""A logarithmic axis spans at least this factor, so that small differences look small."""

_SHAPES = (
    '<circle{} cx="{:.1f}" cy="{:.1f}" r="4.5"/>',
    '<path{} d="M{:.1f} {:.1f} m-4 -4 h8 v8 h-8 z"/>',
    '<path{} d="M{:.1f} {:.1f} m0 -6 l6 6 l-6 6 l-6 -6 z"/>',
    '<path{} d="M{:.1f} {:.1f} m0 -6 l6 10 l-12 0 z"/>',
)
_COLOURS = 8
"""Number of colours in the style sheet. Further series repeat them with another shape."""


@dataclass(frozen=True, kw_only=True)
class Mean:
    """A value at `x`. `low` and `high` are the ends of its error bar; both equal `y` if there is none."""

    x: float
    y: float
    low: float
    high: float


@dataclass(frozen=True, kw_only=True)
class Series:
    """A named line, or a row of a strip. `place` determines its colour and shape on the whole page. A `muted`
    series is drawn in grey behind the others, with its name in a tooltip.
    """

    name: str
    points: tuple[Mean, ...]
    place: int
    dashed: bool = False
    muted: bool = False

    @property
    def colour(self) -> str:
        return "muted" if self.muted else f"s{self.place % _COLOURS}"

    def mark(self, x: float, y: float) -> Markup:
        shape = _SHAPES[(self.place + self.place // _COLOURS) % len(_SHAPES)]
        return Markup(shape.format(' class="hollow"' if self.dashed else "", x, y))

    @property
    def key(self) -> Markup:
        """Return the mark alone, for a legend."""
        return Markup('<g class="mark {}">{}</g>').format(self.colour, self.mark(8, 8))


Levels = Sequence[tuple[str, float]]
"""References by name, which have no position on the other axis."""


@dataclass(frozen=True)
class Scale:
    """A mapping from values above 0 to pixels by their logarithms."""

    low: float
    high: float
    start: float
    end: float

    @staticmethod
    def over(values: Iterable[float], start: float, end: float) -> Scale:
        """Return a scale with some space on both sides and a positive width. Shapes: at least one value above
        0.
        """
        above = [value for value in values if value > 0]
        low, high = min(above), max(above)
        air = max((high / low) ** 0.06, 1.15, (_NARROWEST * low / high) ** 0.5)
        return Scale(low / air, high * air, start, end)

    def __call__(self, value: float) -> float:
        a, b, v = (math.log10(x) for x in (self.low, self.high, max(value, self.low)))
        return self.start + (v - a) / (b - a) * (self.end - self.start)

    def ticks(self) -> list[float]:
        """Return at most eight ticks: 1, 2 and 5 times every power of ten, or powers of ten only, or else
        round steps.
        """
        powers = range(math.floor(math.log10(self.low)), math.ceil(math.log10(self.high)) + 1)
        ticks = [m * 10.0**e for e in powers for m in (1, 2, 5) if self.low <= m * 10.0**e <= self.high]
        if len(ticks) > 7:
            return [10.0**e for e in powers if self.low <= 10.0**e <= self.high]
        if len(ticks) >= 2:
            return ticks
        raw = (self.high - self.low) / 5
        power = 10.0 ** math.floor(math.log10(raw))
        step = next(m * power for m in (1, 2, 5, 10) if m * power >= raw)
        return [i * step for i in range(math.ceil(self.low / step), math.floor(self.high / step) + 1)]


class _Drawing:
    """Shapes on a sheet of the usual width. `bottom` is the position of the lower axis. Inserted text is
    escaped.
    """

    def __init__(self, bottom: float, along: Scale) -> None:
        """Start a drawing with a grid for the horizontal axis."""
        self._shapes: list[Markup] = []
        for t in along.ticks():
            self.line("grid", along(t), TOP, along(t), bottom)
            self.text("tick", along(t), bottom + 16, _short(t))

    def add(self, shape: str, *values: object) -> None:
        self._shapes.append(Markup(shape).format(*values))

    def line(self, kind: str, x1: float, y1: float, x2: float, y2: float) -> None:
        line = '<line class="{}" x1="{:.1f}" y1="{:.1f}" x2="{:.1f}" y2="{:.1f}"/>'
        self.add(line, kind, x1, y1, x2, y2)

    def text(
        self, kind: str, x: float, y: float, text: str, *, anchor: str = "middle", turn: int = 0
    ) -> None:
        written = '<text class="{}" transform="translate({:.1f} {:.1f}){}" text-anchor="{}">{}</text>'
        self.add(written, kind, x, y, f" rotate({turn})" if turn else "", anchor, text)

    def mark(self, series: Series, x: float, y: float, title: str) -> None:
        self.add('<g class="mark {}"><title>{}</title>{}</g>', series.colour, title, series.mark(x, y))

    def svg(self, height: int, label: str) -> Markup:
        whole = Markup('<svg viewBox="0 0 {} {}" role="img" aria-label="{}">{}</svg>')
        return whole.format(WIDTH, height, label, Markup("").join(self._shapes))


def chart(
    series: Sequence[Series],
    *,
    x: str,
    y: str,
    levels: Levels = (),
    joined: bool = True,
    title: str = "",
) -> Markup:
    """Return axes, grid and marks; the legend is part of the page. `joined` draws lines between the
    points.
    """
    points = [p for s in series for p in s.points]
    if not points:
        return Markup("")
    bottom = HEIGHT - BOTTOM
    across = Scale.over([p.x for p in points], LEFT, RIGHT)
    values = [v for p in points for v in (p.low, p.high)] + [v for _, v in levels]
    up = Scale.over(values, bottom, TOP)
    drawing = _Drawing(bottom, across)
    for t in up.ticks():
        drawing.line("grid", LEFT, up(t), RIGHT, up(t))
        drawing.text("tick", LEFT - 6, up(t) + 4, _short(t), anchor="end")
    drawing.text("axis", (LEFT + RIGHT) / 2, HEIGHT - 8, x)
    drawing.text("axis", 13, (TOP + bottom) / 2, y, turn=-90)
    for name, level in levels:
        drawing.line("level", LEFT, up(level), RIGHT, up(level))
        drawing.text("tick", LEFT + 4, up(level) - 4, name, anchor="start")
    for one in sorted(series, key=lambda one: not one.muted):
        placed = sorted(one.points, key=lambda p: p.x)
        if joined and len(placed) > 1:
            path = " ".join(f"{across(p.x):.1f},{up(p.y):.1f}" for p in placed)
            dash = " dashed" if one.dashed else ""
            drawing.add(
                '<polyline class="line {}{}" points="{}"><title>{}</title></polyline>',
                one.colour,
                dash,
                path,
                one.name,
            )
        for p in placed:
            if p.high > p.low:
                drawing.line(f"bar {one.colour}", across(p.x), up(p.low), across(p.x), up(p.high))
            drawing.mark(one, across(p.x), up(p.y), f"{one.name}: {p.y:.4g} at {p.x:.4g}")
    return drawing.svg(HEIGHT, title or f"{y} against {x}")


def strip(rows: Sequence[Series], *, x: str, levels: Levels = (), title: str = "") -> Markup:
    """Return a strip: names on the left, with one mark each along an axis (the `y` of its first point).
    Levels become vertical lines. Use it for a single privacy guarantee, for which no curve can be drawn.
    """
    if not rows:
        return Markup("")
    bottom, means = TOP + ROW * len(rows), [row.points[0] for row in rows]
    along = Scale.over(
        [v for p in means for v in (p.low, p.y, p.high)] + [v for _, v in levels], NAMES, RIGHT
    )
    drawing = _Drawing(bottom, along)
    drawing.text("axis", (NAMES + RIGHT) / 2, bottom + BOTTOM - 8, x)
    for _, level in levels:
        drawing.line("level", along(level), TOP - 2, along(level), bottom)
    for i, (row, p) in enumerate(zip(rows, means, strict=True)):
        y = TOP + ROW * (i + 0.5)
        drawing.text("name", NAMES - 12, y + 4, row.name, anchor="end")
        if p.high > p.low > 0:
            drawing.line(f"bar {row.colour}", along(p.low), y, along(p.high), y)
        drawing.mark(row, along(p.y), y, f"{row.name}: {p.y:.4g}")
    return drawing.svg(bottom + BOTTOM, title or x)


def _short(value: float) -> str:
    return f"{value:.0f}" if value >= 1000 else f"{value:.3g}"

"""Draw the small pictures of the report: static SVG without scripts, in the colours of the page.

Every text from a schema is escaped by `escape`. Colours are CSS classes, so the light theme, the dark theme
and the print style can each define them. No difference is shown by colour alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from math import cos, pi, sin

from markupsafe import Markup

from synth.core.numbers import number_of, per_cent

PANEL_WIDTH, PANEL_HEIGHT = 200, 96
ROWS = 7
"""Maximum number of labelled rows in the figure of a column of values.

If there are more values, only the most frequent ones are shown.
"""


_PAIR_WORDS = {
    "measured": "measured",
    "inferred": "inferred",
    "groups": "with a bound for groups of values only",
    "none": "without a claim",
}
_RADII = {"measured": 4.4, "inferred": 3.8, "groups": 2.4}


@dataclass(frozen=True, kw_only=True)
class Drawing:
    """A picture and its text alternative.

    `words` is the text for screen readers. `key` has the names and shares of the parts of a bar.
    """

    svg: Markup
    words: str
    key: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, kw_only=True)
class Panel:
    """The content of the figure of one column.

    Units: rows of the table that the release represents. `margins` has half the length of each
    whisker; the whiskers of a column hold together.
    Shapes: `labels`, `synthetic` and (if measured) `noisy` have one entry per code. The last entry belongs to
    the missing code if `may_be_blank` is True. `ends` are the labels of the first and the last bar, not
    counting the bar of the missing code.
    """

    title: str
    labels: tuple[str, ...]
    synthetic: tuple[float, ...]
    noisy: tuple[float, ...] | None
    margins: tuple[float, ...]
    listed: bool
    may_be_blank: bool
    ends: tuple[str, str] = ("", "")
    note: str = ""

    @property
    def cells(self) -> int:
        """Return the number of codes, not counting the missing code."""
        return len(self.labels) - self.may_be_blank


def panel(data: Panel) -> Drawing:
    """Return the figure of a column: labelled rows for values, bars side by side for ranges."""
    biggest = max(range(len(data.labels)), key=data.synthetic.__getitem__)
    kind = "value" if data.listed else "bin"
    if len(data.labels) == 1:
        alt = f"{data.title}: {data.labels[biggest]} is the only {kind}."
    elif data.cells == 1:
        have = "have" if data.listed else "lie in"
        share = (
            "more than half of the rows are blank, and the others" if biggest else "at least half of the rows"
        )
        alt = f"{data.title}: {share} {have} the only {kind}, {data.labels[0]}."
    elif data.may_be_blank and biggest == data.cells:
        each = "have any one of its" if data.listed else "lie in any one of its"
        alt = f"{data.title}: more rows are blank than {each} {number_of(data.cells, kind)}."
    else:
        alt = f"{data.title}: {data.labels[biggest]} is the most frequent of {number_of(data.cells, kind)}."
    if data.note:
        alt += f" The error of this column is {data.note}."
    drawn = _rows(data) if data.listed else _bars(data)
    figure = (
        f'<figure class="panel"><figcaption><b>{escape(data.title)}</b><span>{escape(data.note)}</span>'
        f"</figcaption>{_svg(drawn, size=(PANEL_WIDTH, PANEL_HEIGHT), alt=alt)}</figure>"
    )
    return Drawing(svg=Markup(figure), words=alt)


def _svg(drawn: Sequence[str], *, size: tuple[int, int], alt: str, of: str = "", more: str = "") -> str:
    """Return a picture of class `of`. `alt` is its text for screen readers."""
    kind = f'class="{of}" ' if of else ""
    return (
        f'<svg {kind}viewBox="0 0 {size[0]} {size[1]}"{more} role="img" aria-label="{escape(alt)}">'
        f"{''.join(drawn)}</svg>"
    )


def _top(data: Panel) -> float:
    marks = [] if data.noisy is None else [sum(one) for one in zip(data.noisy, data.margins, strict=True)]
    return max([*data.synthetic, *marks, 1e-9])


def _bars(data: Panel) -> list[str]:
    """Return bars side by side. The bar of the missing code, if there is one, is separate, on the right."""
    top, base, height = _top(data), PANEL_HEIGHT - 16.0, PANEL_HEIGHT - 20.0
    cells, span, y = data.cells, PANEL_WIDTH - 16.0 * data.may_be_blank, PANEL_HEIGHT - 3
    step = span / max(cells, 1)
    parts = [f'<line class="rule" x1="0" x2="{PANEL_WIDTH}" y1="{base:g}" y2="{base:g}"/>']
    for i, count in enumerate(data.synthetic):
        left, width = (i * step, step) if i < cells else (PANEL_WIDTH - 10.0, 8.0)
        tall, gap = height * count / top, min(1.0, width * 0.12)
        parts.append(
            f'<rect class="{"bar" if i < cells else "bar blank"}" x="{left + gap:.2f}" y="{base - tall:.2f}" '
            f'width="{width - 2 * gap:.2f}" height="{tall:.2f}"/>'
        )
        if data.noisy is not None:
            whisker = (data.noisy[i] + off for off in (-data.margins[i], 0.0, data.margins[i]))
            up = [min(max(base - height * end / top, 1.0), base + 4.0) for end in whisker]
            parts.append(_mark([left + width / 2] * 3, up, f"{min(2.2, max(width * 0.28, 0.9)):.2f}"))
    first, last = (escape(short(end, 16)) for end in data.ends)
    parts.append(
        f'<text x="0" y="{y}">{first}</text><text x="{span:g}" y="{y}" text-anchor="end">{last}</text>'
    )
    if data.may_be_blank:
        parts.append(f'<text x="{PANEL_WIDTH}" y="{y}" text-anchor="end">∅</text>')
    return parts


def _rows(data: Panel) -> list[str]:
    """Return one labelled row per value.

    If there are more than `ROWS` values, only the most frequent ones have rows, and a note states the number
    of others.
    """
    order = list(range(len(data.labels)))
    if len(order) > ROWS:
        order = sorted(order, key=lambda i: -data.synthetic[i])[: ROWS - 1]
    top, line, left = _top(data), PANEL_HEIGHT / ROWS, 82.0
    room, bottom, more = PANEL_WIDTH - left - 6, len(order) * line, len(data.labels) - len(order)
    parts = []
    for row, i in enumerate(order):
        y, middle = row * line, row * line + line / 2
        parts.append(
            f'<text x="74" y="{middle + 3:.2f}" text-anchor="end">{escape(short(data.labels[i], 14))}</text>'
            f'<rect class="{"bar blank" if i == data.cells else "bar"}" x="{left:g}" y="{y + 2.2:.2f}" '
            f'width="{room * data.synthetic[i] / top:.2f}" height="{line - 4.4:.2f}"/>'
        )
        if data.noisy is not None:
            whisker = (data.noisy[i] + off for off in (-data.margins[i], 0.0, data.margins[i]))
            along = [left + min(max(room * end / top, -4.0), room + 5) for end in whisker]
            parts.append(_mark(along, [middle] * 3, "2.2"))
    parts.append(f'<line class="rule" x1="{left:g}" x2="{left:g}" y1="0" y2="{bottom:.2f}"/>')
    if more:
        parts.append(
            f'<text x="{left:g}" y="{bottom + line / 2 + 3:.2f}">and {number_of(more, "more value")}</text>'
        )
    return parts


def _mark(x: Sequence[float], y: Sequence[float], radius: str) -> str:
    """Return the marks of a noisy count and its whisker.

    The positions are the low end of the whisker, the count, and the high end.
    """
    return (
        f'<line class="whisker" x1="{x[0]:.2f}" x2="{x[2]:.2f}" y1="{y[0]:.2f}" y2="{y[2]:.2f}"/>'
        f'<circle class="mark" cx="{x[1]:.2f}" cy="{y[1]:.2f}" r="{radius}"/>'
    )


def short(text: str, most: int) -> str:
    """Return a text, shortened to at most `most` characters.

    >>> short("Marginalia", 6)
    'Margi…'
    """
    return text if len(text) <= most else f"{text[: most - 1]}…"


def odds(after: int, *, word: str) -> Drawing:
    """Return a picture of the number of guesses in a hundred that can be right, before and after the release.

    `word` is the exact number after the release, as text.
    """
    drawn = []
    for left, right, caption in ((0, 50, "before: 50"), (128, after, f"after: at most {word}")):
        drawn += [
            f'<circle class="{"hit" if i < right else "miss"}" cx="{left + 5 + 10.4 * (i % 10):.1f}" '
            f'cy="{5 + 8.6 * (i // 10):.1f}" r="3"/>'
            for i in range(100)
        ]
        drawn.append(f'<text x="{left}" y="102">{caption} in 100</text>')
    alt = f"Right guesses out of a hundred: 50 before the release, at most {word} after it."
    return Drawing(svg=Markup(_svg(drawn, size=(232, 104), alt=alt, of="odds")), words=alt)


def stacked(parts: Sequence[tuple[str, float]], *, tints: Sequence[int] = (0, 1, 2, 3, 4)) -> Drawing:
    """Return one bar whose parts sum to one, with its key in the same order."""
    x, drawn, listed = 0.0, [], []
    key = tuple((name, _percent(share)) for name, share in parts)
    for i, ((_, share), (name, percent)) in enumerate(zip(parts, key, strict=True)):
        tint = f"p{tints[i % len(tints)]}"
        drawn.append(f'<rect class="part {tint}" x="{x:.3f}" y="0" width="{600 * share:.3f}" height="14"/>')
        listed.append(f'<li><i class="key {tint}"></i>{escape(name)} <b>{percent}</b></li>')
        x += 600 * share
    words, stretched = ", ".join(f"{name} {percent}" for name, percent in key), ' preserveAspectRatio="none"'
    picture = _svg(drawn, size=(600, 14), alt=words, of="stack", more=stretched)
    return Drawing(svg=Markup(f'{picture}<ul class="key">{"".join(listed)}</ul>'), words=words, key=key)


def _percent(share: float) -> str:
    """Return a share of a budget, which was rounded down, as a percentage: 0.9999% may be a declared 1%."""
    return per_cent(share) if share > 0.00995 or share == 0 else "under 1%"


def pairs(titles: Mapping[str, str], kinds: Mapping[tuple[str, str], str]) -> Drawing:
    """Return a picture of the bounds of all pairs of columns.

    A full dot means a measured bound, a ring an inferred bound, a small ring a bound only for groups of
    values, and a small dot no bound. `titles` are the titles of the columns by name, in order. Each title is
    at the end of its row and at the top of its column.
    """
    names = list(titles)
    size, parts = 14, []
    for row, name in enumerate(names):
        y = row * size + 8
        parts.append(f'<text x="{row * size}" y="{y + 3}">{escape(short(titles[name], 18))}</text>')
        for column in range(row):
            kind = kinds.get((names[column], name), "none")
            radius = _RADII.get(kind, 1.1)
            parts.append(f'<circle class="pair {kind}" cx="{column * size + 5}" cy="{y}" r="{radius}"/>')
    bounds = list(kinds.values())
    numbers_of = {
        word: bounds.count(kind) for kind, word in _PAIR_WORDS.items() if kind != "groups" or kind in bounds
    }
    counts = ", ".join(f"{number:,} {word}" for word, number in numbers_of.items())
    alt = f"Pairs of columns: {counts}."
    width, height = size * len(names) + 90, size * len(names) + 4
    style = f' style="max-width:{width * 1.2:.0f}px"'
    return Drawing(svg=Markup(_svg(parts, size=(width, height), alt=alt, of="pairs", more=style)), words=alt)


def relations(
    titles: Mapping[str, str], grades: Mapping[tuple[str, str], int], key: Sequence[str]
) -> Drawing:
    """Return a circle of the columns, with a line for each pair in the colour and width of its grade.

    `titles` are the titles of the columns by name, in order. `key` has the names of the grades, from best to
    worst, and `grades` has the index of the grade of each pair.
    """
    angles = {name: 2 * pi * i / len(titles) for i, name in enumerate(titles)}
    places = {name: (160 + 84 * sin(angle), 104 - 84 * cos(angle)) for name, angle in angles.items()}
    parts = []
    for (a, b), number in sorted(grades.items(), key=lambda item: -item[1]):
        (x1, y1), (x2, y2) = places[a], places[b]
        ends = f'x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"'
        parts.append(f'<line class="edge g{number}" {ends}/>')
    for name, (x, y) in places.items():
        side = 0 if abs(x - 160) < 17 else 1 if x > 160 else -1
        lift = 3.0 if side else (-6.0 if y < 104 else 12.0)
        anchor = ("end", "middle", "start")[side + 1]
        parts.append(f'<circle class="node" cx="{x:.1f}" cy="{y:.1f}" r="2.6"/>')
        parts.append(
            f'<text x="{x + 6 * side:.1f}" y="{y + lift:.1f}" text-anchor="{anchor}">'
            f"{escape(short(titles[name], 16))}</text>"
        )
    counts = ", ".join(f"{list(grades.values()).count(i):,} {name}" for i, name in enumerate(key))
    alt = f"Pairs of columns by measured error: {counts}."
    listed = "".join(f'<li><i class="key g{i}"></i>{escape(name)}</li>' for i, name in enumerate(key))
    picture = _svg(parts, size=(320, 214), alt=alt, of="relations")
    return Drawing(svg=Markup(f'{picture}<ul class="key">{listed}</ul>'), words=alt)

"""Draw a picture of answers with one row for each, as a static SVG for notebooks and as text."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from synth.analyst.answers import Answer, Form, written
from synth.analyst.crossed import Crossed
from synth.core.numbers import TIMES
from synth.estimates.estimated import Span

WIDTH, LINE, TOP, BOTTOM = 720, 26, 30, 30
LETTER = 6.6
"""Maximum mean width of a letter, in pixels, at a font size of 12 pixels."""
MOST_LETTERS = 34
INK, SOFT, RULE, THICK, THIN = "#24292f", "#57606a", "#d0d7de", "#4c78a8", "#9aa4ae"
"""The colours. The background is white, because a viewer with a dark theme may show the picture as an
image.
"""


@dataclass(frozen=True, eq=False, kw_only=True)
class Picture:
    """A picture of answers of the same form, each with a short name. Jupyter shows an image, and `print`
    shows text.
    """

    names: tuple[str, ...]
    answers: tuple[Answer, ...]

    @staticmethod
    def of(found: Answer | Crossed | Sequence[Answer]) -> Picture:
        """Return the picture of an answer, several answers, or a table."""
        if isinstance(found, Crossed):
            names = tuple(TIMES.join(label) for label in found.labels)
            cells = zip(names, found.cells, strict=True)
            return Picture(
                names=names, answers=tuple(Answer.of(cell, name, found.level) for name, cell in cells)
            )
        answers = (found,) if isinstance(found, Answer) else tuple(found)
        return Picture(names=_names([answer.question for answer in answers]), answers=answers)

    def __repr__(self) -> str:
        lines = [["", "estimate", "these records", "population"]]
        for name, answer in zip(self.names, self.answers, strict=True):
            spans = (answer.interval, answer.population)
            ends = ["" if span is None else answer.ends(span) for span in spans]
            lines.append([name, answer.figure or answer.status.value, *ends])
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        padded = [[text.rjust(width) for text, width in zip(line, widths, strict=True)] for line in lines]
        for cells, (name, *_) in zip(padded, lines, strict=True):
            cells[0] = name.ljust(widths[0])
        return "\n".join(map("  ".join, padded))

    def _repr_svg_(self) -> str:
        return self.svg

    @property
    def svg(self) -> str:
        """Return the picture as SVG.

        It has a diamond for an estimate, a thick interval for these records, and a thin interval for the
        population.
        """
        left = 16 + LETTER * min(MOST_LETTERS, max(map(len, self.names), default=0))
        ticks = self._ticks()
        low, high = ticks[0], ticks[-1]
        right = WIDTH - max(24.0, LETTER * len(self._tick(high)) / 2 + 4)

        def place(value: float) -> float:
            return left + (right - left) * (value - low) / (high - low)

        height = TOP + LINE * len(self.names) + BOTTOM
        parts = [_legend()]
        for tick in ticks:
            x = place(tick)
            parts.append(_line(x, x, TOP, height - BOTTOM, RULE, 1))
            parts.append(_text(x, height - 10, self._tick(tick), SOFT, "middle"))
        for row, (name, answer) in enumerate(zip(self.names, self.answers, strict=True)):
            y = TOP + LINE * (row + 0.5)
            parts.append(_text(left - 8, y + 4, _short(name), INK, "end"))
            for span, width, colour in ((answer.population, 2, THIN), (answer.interval, 7, THICK)):
                if span is not None:
                    parts.append(_line(place(span[0]), place(span[1]), y, y, colour, width))
            if answer.estimate is not None:
                parts.append(_diamond(place(min(high, max(low, answer.estimate))), y))
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" '
            f'height="{height}" font-family="sans-serif" font-size="12" role="img">'
            f"<title>{escape(self._words)}</title>"
            f'<rect width="{WIDTH}" height="{height}" fill="#fff"/>{"".join(parts)}</svg>'
        )

    @property
    def _words(self) -> str:
        return " ".join(answer.sentence for answer in self.answers)

    @property
    def _form(self) -> Form:
        return self.answers[0].form if self.answers else Form.COUNT

    def _spans(self) -> list[Span]:
        return [span for a in self.answers for span in (a.interval, a.population) if span is not None]

    def _ticks(self) -> list[float]:
        """Return the positions of four to eight round numbers around all intervals."""
        ends = [end for span in self._spans() for end in span]
        ends += [0.0] if self._form in (Form.COUNT, Form.SHARE) or not ends else []
        low, high = min(ends), max(ends)
        width = (high - low) or 1.0
        size = 10.0 ** math.floor(math.log10(width / 4))
        step = size * max(factor for factor in (1, 2, 5) if size * factor <= width / 4)
        first, last = math.floor(low / step), math.ceil(high / step)
        return [step * number for number in range(first, max(last, first + 1) + 1)]

    def _tick(self, value: float) -> str:
        step = self._ticks()[1] - self._ticks()[0]
        scale = 100 if self._form is Form.SHARE else 1
        return written(value, self._form, max(0, -math.floor(math.log10(step * scale) + 1e-9)))


def _names(questions: Sequence[str]) -> tuple[str, ...]:
    """Return the parts in which questions about the groups of a column differ, or the questions themselves.

    >>> _names(["mean age of records where sex is f", "mean age of records where sex is m"])
    ('f', 'm')
    """
    head, sign, _ = questions[0].rpartition(" is ")
    if len(questions) > 1 and all(question.startswith(head + sign) for question in questions):
        return tuple(question[len(head + sign) :] for question in questions)
    return tuple(questions)


def _short(name: str) -> str:
    return name if len(name) <= MOST_LETTERS else f"{name[: MOST_LETTERS - 1]}…"


def _legend() -> str:
    x, y = 16, 16
    return (
        _diamond(x, y)
        + _text(x + 12, y + 4, "estimate", SOFT)
        + _line(x + 80, x + 108, y, y, THICK, 7)
        + _text(x + 116, y + 4, "interval for these records", SOFT)
        + _line(x + 280, x + 308, y, y, THIN, 2)
        + _text(x + 316, y + 4, "interval for the population", SOFT)
    )


def _line(x1: float, x2: float, y1: float, y2: float, colour: str, width: int) -> str:
    ends = f'x1="{x1:.1f}" x2="{x2:.1f}" y1="{y1:.1f}" y2="{y2:.1f}"'
    return f'<line {ends} stroke="{colour}" stroke-width="{width}"/>'


def _diamond(x: float, y: float) -> str:
    return f'<path d="M{x - 5:.1f} {y:.1f}l5 -5l5 5l-5 5z" fill="{INK}"/>'


def _text(x: float, y: float, text: str, colour: str, anchor: str = "start") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" fill="{colour}" text-anchor="{anchor}">{escape(text)}</text>'

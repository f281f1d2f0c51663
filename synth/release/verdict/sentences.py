"""Describe the measured accuracy in words, for the pages of the app and for all documents of a release."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from synth.core.numbers import TIMES, about, per_cent
from synth.estimates.likely_errors import Likely
from synth.release.verdict.figures import Figure, Verdict

USES = {
    "columns": "Columns",
    "pairs": "Pairs of columns",
    "triples": "Triples of columns",
    "ranges": "Random ranges",
}
"""Titles of the means of a verdict, by name."""

CAREFUL = 0.1
"""Error above which a pair should be used with care."""

GRADES = ((0.02, "very accurate"), (0.05, "accurate"), (0.1, "rough"), (1.0, "poor"))
"""Largest mean error (TVD) of each grade, with the name of the grade."""

DEFINITION = (
    "The error is the total variation distance: the share of rows that would have to change for the counts "
    "to be equal."
)


@dataclass(frozen=True, kw_only=True)
class Graded:
    """One use of the table: its name, its grade ("" for predictions), and the measured figure in words."""

    use: str
    grade: str
    words: str


def grade(error: float) -> str:
    """Return the grade of a mean error."""
    return next(name for most, name in GRADES if error <= most)


def grades(figure: Figure, confidence: float, *, exact: bool = True) -> str:
    """Return the grade of a mean error, or two grades if its interval contains several. If `exact` is False,
    return the grade of its upper limit.

    >>> grades(Figure(estimate=0.039, sd=0.001), 0.95), grades(Figure(estimate=0.0, sd=0.04), 0.95)
    ('accurate', 'very accurate to rough')
    """
    low, high = map(grade, _ends(figure, confidence))
    return high if low == high or not exact else f"{low} to {high}"


def graded(verdict: Verdict, confidence: float, titles: Mapping[str, str]) -> list[Graded]:
    """Return one line for each use that was measured. `titles` has the titles of columns by name."""
    lines = []
    for name, title in USES.items():
        if name not in verdict.means:
            continue
        figure = verdict.means[name]
        exact = verdict.is_of_this_table
        words = interval_of(figure, confidence, exact=exact)
        if exact:
            words += _singles(verdict, {"columns": 1, "pairs": 2}.get(name, 0), confidence, titles)
        lines.append(Graded(use=title, grade=grades(figure, confidence, exact=exact), words=words))
    for predicted in verdict.predicted:
        words = f"{interval_of(predicted.correct, confidence)} of the private rows correct; "
        words += f"the most frequent value alone {interval_of(predicted.constant, confidence)}"
        lines.append(Graded(use=f"Predicting {titles[predicted.target]}", grade="", words=words))
    return lines


def _singles(verdict: Verdict, width: int, confidence: float, titles: Mapping[str, str]) -> str:
    """Return the highest error of single tables, and how many are above `CAREFUL`, in words.

    Earlier versions stored no posteriors. For them, the highest noisy figure and a limit for all are stated.
    """
    one = verdict.highest(width)
    if one is None:
        return ""
    named = TIMES.join(titles[column] for column in one.clique)
    if one.likely is None:
        highest = "" if _is_zero(one.error) else f" highest {points(one.error.estimate)} ({named}),"
        return f";{highest} none above {points(_up(verdict.limit(width, confidence)))}"
    words = f"; probably highest: {named}, {interval_of(one.likely, confidence)}"
    expected = verdict.above(width, CAREFUL)
    if width == 2 and expected is not None:
        words += f"; {about_above(expected, len(verdict.of_width(width)), CAREFUL)}"
    return words


def about_above(expected: float, of: int, error: float) -> str:
    """Return the expected number of tables with a higher error in words.

    >>> about_above(25.7, 231, 0.1), about_above(0.2, 6, 0.1)
    ('about 26 of 231 above 10%', 'probably none above 10%')
    """
    if round(expected) == 0:
        return f"probably none above {per_cent(error)}"
    return f"about {round(expected):,} of {of:,} above {per_cent(error)}"


def sentences(verdict: Verdict, confidence: float, titles: Mapping[str, str]) -> list[str]:
    """Return the sentences about a verdict, as documents contain them."""
    lines = [f"{one.use}: {one.words}." for one in graded(verdict, confidence, titles)]
    about_it = (
        f"Error of this table, measured with part of the privacy budget after its rows were drawn "
        f"(intervals at {per_cent(confidence)} confidence)."
        if verdict.is_of_this_table
        else (
            f"Limits of the error of this table at {per_cent(confidence)} confidence. They come from a "
            "measurement of another table from the same run, and include the distance between the two "
            "tables."
        )
    )
    return [about_it, *lines, *filter(None, [as_sample(verdict)]), DEFINITION]


def as_sample(verdict: Verdict) -> str:
    """Return a sentence about the size of a random sample that is as accurate, "" if the size is unknown.

    Earlier versions stored no interval of the size.
    """
    if verdict.sample is None or not verdict.is_of_this_table:
        return ""
    part, *ends = (about(100 * share, digits=2) for share in (verdict.sample, *verdict.sample_interval))
    interval = f" ({ends[0]} to {ends[1]}%)" if ends else ""
    return f"Pairs are about as accurate as in a random sample of {part}%{interval} of the private rows."


def against(forecast: Mapping[str, float], verdict: Verdict, confidence: float) -> str:
    """Return a sentence that compares the forecast made before the run with the measured accuracy, "" without
    a forecast.
    """
    if "pairs" not in forecast or "pairs" not in verdict.means or not verdict.is_of_this_table:
        return ""
    return (
        f"Before the run, the expected mean error of pairs was about {points(forecast['pairs'])}; the "
        f"measured error is {interval_of(verdict.means['pairs'], confidence)}."
    )


def interval_of(figure: Figure | Likely, confidence: float, *, exact: bool = True) -> str:
    """Return a figure with its interval in per cent, or only its upper limit if the figure rounds to zero or
    `exact` is False.

    >>> [interval_of(Figure(estimate=error, sd=0.0005), 0.95) for error in (0.039, -0.001)]
    ['3.9% (3.8 to 4.0%)', 'at most 0.1%']
    """
    low, high = _ends(figure, confidence)
    if _is_zero(figure) or not exact:
        return f"at most {points(high)}"
    return f"{points(figure.estimate)} ({points(low)[:-1]} to {points(high)})"


def _is_zero(figure: Figure | Likely) -> bool:
    return points(figure.estimate) == points(0.0)


def _ends(figure: Figure | Likely, confidence: float) -> tuple[float, float]:
    """Return an interval whose ends are rounded outwards to tenths of a per cent, as words state it."""
    low, high = figure.interval(confidence)
    return math.floor(1000 * low + 1e-9) / 1000, _up(high)


def _up(share: float) -> float:
    return min(math.ceil(1000 * share - 1e-9) / 1000, 1.0)


def points(share: float) -> str:
    """Return a share as a percentage, with one decimal below 100%.

    >>> points(0.0391), points(-0.001), points(1.0)
    ('3.9%', '0.0%', '100%')
    """
    share = min(max(share, 0.0), 1.0)
    return per_cent(share, 0 if share == 1.0 else 1)

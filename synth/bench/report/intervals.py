"""Write tables, in Markdown, of how often intervals hold.

Each table has one line per cell, per table of the grid and for all releases, and one column per kind of
question. Only questions with an interval are included. The first table has the share of the 95% intervals for
the population that hold and, in brackets, the same share for the usual intervals of the synthetic rows. The
second table has the share of the intervals for these records that hold. The third table has the median width
for the population, relative to the width without privacy, and the same for the usual intervals. `worst` is
the lowest share for a single question with at least `LEAST` answers, with the number of such questions. `null
slope` is how often the linear and the logistic regression find that a slope of 0 differs from 0. `answered`
is the share of all questions that have an interval, and `bounds` is the share of bounds that hold.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from statistics import fmean, median

from synth.analyst.answers import Status

REGRESSIONS, NULL = ("linear", "logistic"), "no slope"
KINDS = {
    "count": ("one value", "several values", "two columns"),
    "share": ("share of a group",),
    "difference": ("difference",),
    "mean": ("mean from values", "mean of a group from values"),
    "difference of means": ("difference of means from values",),
    "from bins": ("mean from bins", "mean of a group from bins", "difference of means from bins", "quantile"),
    "linear": ("linear regression",),
    "logistic": ("logistic regression",),
}
"""The columns of the tables, with the kinds of question in each column."""

TITLES = (
    "Holds for the population (synthetic rows)",
    "Holds for these records",
    "Width for the population (synthetic rows)",
)

LEAST = 50
"""Minimum number of answers to a question for `worst`."""

ALL = "all"


@dataclass(frozen=True)
class Cell:
    """A cell of the grid."""

    table: str
    epsilon: float
    method: str


@dataclass(frozen=True, kw_only=True)
class Held:
    """Whether the intervals of an answer hold, and their widths. A field is None if it does not apply."""

    kind: str
    question: int
    status: str
    records: bool | None = None
    population: bool | None = None
    width: float | None = None
    naive: bool | None = None
    naive_width: float | None = None


def figures(held: Sequence[Held]) -> dict[str, float | None]:
    """Return the figures that are defined in the docstring of this module."""
    found = [one for one in held if one.status == Status.INTERVAL]
    single = defaultdict[tuple[str, int, str], list[bool]](list)
    for one, about in product(found, ("records", "population")):
        if (holds := getattr(one, about)) is not None:
            single[one.kind, one.question, about].append(holds)
    worst = [fmean(holds) for holds in single.values() if len(holds) >= LEAST]
    return {
        "answered": len(found) / len(held) if held else None,
        "records": _of(fmean, [one.records for one in found]),
        "population": _of(fmean, [one.population for one in found]),
        "worst": min(worst, default=None),
        "questions": len(worst),
        "width": _of(median, [one.width for one in found]),
        "naive": _of(fmean, [one.naive for one in found]),
        "naive width": _of(median, [one.naive_width for one in found]),
        "bounds": _of(fmean, [one.records for one in held if one.status == Status.BOUND]),
    }


def _of(how: Callable[[list[float]], float], values: Sequence[float | None]) -> float | None:
    known = [float(value) for value in values if value is not None]
    return how(known) if known else None


def tables(cells: Mapping[Cell, Mapping[int, Sequence[Held]]]) -> Iterator[str]:
    """Yield the lines of the three tables."""
    lines: tuple[list[list[str]], ...] = ([], [], [])
    for about, some in _pooled(cells):
        every = [one for cell in some for held in cells[cell].values() for one in held]
        head = [*about, str(sum(len(cells[cell]) for cell in some))]
        parts = [figures([one for one in every if one.kind in kinds]) for kinds in KINDS.values()]
        null = [figures([one for one in every if one.kind == f"{NULL}, {r}"]) for r in REGRESSIONS]
        whole = figures([one for one in every if not one.kind.startswith(NULL)])
        found = " / ".join(_word(None if (p := one["population"]) is None else 1 - p) for one in null)
        held = [f"{_word(p['population'])} ({_word(p['naive'], 2)})" for p in parts]
        widths = [f"{_word(p['width'], 1)} ({_word(p['naive width'], 1)})" for p in parts]
        records = [_word(p["records"]) for p in parts]
        worst = "-" if about[0] == ALL else f"{_word(whole['worst'])} of {whole['questions']}"
        lines[0].append([*head, *held, worst, found])
        lines[1].append([*head, *records, _word(whole["answered"], 2), _word(whole["bounds"])])
        lines[2].append([*head, *widths])
    more: tuple[list[str], ...] = (["worst", "null slope"], ["answered", "bounds"], [])
    for title, columns, rows in zip(TITLES, more, lines, strict=True):
        yield f"\n{title}\n"
        names = ["table", "method", "epsilon", "releases", *KINDS, *columns]
        for row in (names, ["---"] * len(names), *rows):
            yield f"| {' | '.join(row)} |"


def _pooled(cells: Iterable[Cell]) -> Iterator[tuple[tuple[str, str, str], list[Cell]]]:
    """Yield each cell, each table with all its cells, and all cells, with the words that name them."""
    known = list(cells)
    for cell in known:
        yield (cell.table, cell.method, f"{cell.epsilon:g}"), [cell]
    for table in dict.fromkeys(cell.table for cell in known):
        yield (table, ALL, ALL), [cell for cell in known if cell.table == table]
    yield (ALL, ALL, ALL), known


def _word(value: float | None, places: int = 3) -> str:
    return "-" if value is None else f"{value:.{places}f}"

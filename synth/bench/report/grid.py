"""Selections down, generators across: which selection with which generator has the least error of pairs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from synth.bench.report.kinds import FIGURE
from synth.bench.report.standing import told_apart
from synth.bench.report.tally import Outcome
from synth.bench.trials.trial import Part
from synth.mechanisms import MECHANISMS
from synth.mechanisms.shared.recipe import COMPRESS

LEAST = 3
"""Selections with so many generators each make a grid worth drawing."""


@dataclass(frozen=True, kw_only=True)
class Grid:
    """Of one table at one epsilon: rows of errors, one for every generator, None where none was measured.
    `best` is the place of the least error of every row, of those that count; None where none does."""

    title: str
    generators: tuple[str, ...]
    rows: dict[str, tuple[float | None, ...]]
    best: dict[str, int | None]
    is_single: bool

    def cell(self, error: float | None) -> str:
        return "-" if error is None else told_apart(error, error)[0]


def grids(outcomes: Sequence[Outcome], counted: Sequence[Outcome]) -> Iterator[Grid]:
    """One per table, task, variant and epsilon with enough of both."""
    ours = [one for one in outcomes if one.kind is Part.MECHANISM and one.mean(FIGURE) is not None]
    for what in dict.fromkeys((*one.place, one.variant, one.epsilon) for one in ours):
        here = [one for one in ours if (*one.place, one.variant, one.epsilon) == what]
        found: dict[str, dict[str, Outcome]] = {}
        for one in here:
            selection, generator = parts_of(one.method)
            found.setdefault(selection, {})[generator] = one
        found = {name: row for name, row in found.items() if len(row) >= LEAST}
        if len(found) >= LEAST:
            table, task, variant, epsilon = what
            words = (table, "" if task == "all-2way" else task, variant, f"epsilon {epsilon:g}")
            yield _grid(", ".join(filter(None, words)), found, counted)


def _grid(title: str, found: dict[str, dict[str, Outcome]], counted: Sequence[Outcome]) -> Grid:
    generators = tuple(dict.fromkeys(name for row in found.values() for name in row))
    best: dict[str, int | None] = {}
    for selection, row in found.items():
        counting = [i for i, name in enumerate(generators) if name in row and row[name] in counted]
        best[selection] = min(counting, key=lambda i: row[generators[i]].mean(FIGURE) or 0.0, default=None)
    return Grid(
        title=title,
        generators=generators,
        rows={
            selection: tuple(row[name].mean(FIGURE) if name in row else None for name in generators)
            for selection, row in found.items()
        },
        best=best,
        is_single=all(one.runs == 1 for row in found.values() for one in row.values()),
    )


def parts_of(method: str) -> tuple[str, str]:
    """Selection, with the merge of rare values where there is one, and generator, its own where none is
    named."""
    name, *rest = method.split("+")
    merging = [word for word in rest if word == COMPRESS]
    own = MECHANISMS[name].generator if name in MECHANISMS else "its own"
    return "+".join([name, *merging]), next((word for word in rest if word != COMPRESS), own)

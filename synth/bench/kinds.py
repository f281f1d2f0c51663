"""Kinds of tables, and which method is first on which kind, by rank.

Errors of different tables do not average; ranks do. A method is ranked by its error of pairs among all of
ours at the same table, task and promise, and its rank on a kind of table is the mean over those cells. Only
methods that were measured in every cell of a kind are ranked there, so that all are ranked by the same
cells.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean

from synth.bench.tally import Outcome
from synth.bench.trial import Part

FIGURE = "tvd2"

KINDS: dict[str, tuple[str, ...]] = {
    "names and numbers mixed": ("adult", "titanic", "bank", "bank-split", "survey", "survey-split"),
    "two codes a column": ("nltcs",),
    "numbers in order": ("bank-ordered", "heavy-tails", "thresholds", "zero-inflated", "gauss"),
    "invented, dense": ("factor-mixture",),
    "invented, sparse": ("chain",),
}
"""Kinds by the names of their tables, or what these begin with."""

OTHER = "other tables"


def kind_of(table: str) -> str:
    """By the longest name that a table has or begins with."""
    named = {name: kind for kind, names in KINDS.items() for name in names}
    fitting = [name for name in named if table == name or table.startswith((f"{name}-", name))]
    return named[max(fitting, key=len)] if fitting else OTHER


@dataclass(frozen=True, kw_only=True)
class Ranked:
    """A method on a kind of table: its mean rank, over how many cells, and in how many it is first."""

    kind: str
    method: str
    rank: float
    cells: int
    firsts: int

    def __str__(self) -> str:
        times = f"first in {self.firsts} of {self.cells}"
        return f"{self.kind[0].upper()}{self.kind[1:]}: {self.method}, mean rank {self.rank:.2f}, {times}."


def ranked(outcomes: Sequence[Outcome]) -> Iterator[Ranked]:
    """Kind by kind, the best first; of kinds on which several methods were measured."""
    cells: dict[tuple[str, str, float], dict[str, float]] = {}
    for one in outcomes:
        error = one.mean(FIGURE)
        if one.kind is Part.MECHANISM and one.epsilon is not None and error is not None:
            cells.setdefault((*one.place, one.epsilon), {})[one.name] = error
    kinds: dict[str, list[dict[str, int]]] = {}
    for (table, *_), errors in cells.items():
        if len(errors) > 1:
            places = {m: 1 + sum(e < errors[m] for e in errors.values()) for m in errors}
            kinds.setdefault(kind_of(table), []).append(places)
    for kind, ranks in kinds.items():
        everywhere = [m for m in ranks[0] if all(m in places for places in ranks)]
        found = [
            Ranked(
                kind=kind,
                method=method,
                rank=fmean(places[method] for places in ranks),
                cells=len(ranks),
                firsts=sum(places[method] == 1 for places in ranks),
            )
            for method in everywhere
        ]
        yield from sorted(found, key=lambda one: (one.rank, one.method))


def first_of_each(ranks: Sequence[Ranked]) -> list[Ranked]:
    """The first of every kind."""
    firsts: dict[str, Ranked] = {}
    for one in ranks:
        firsts.setdefault(one.kind, one)
    return list(firsts.values())

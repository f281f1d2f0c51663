"""Kinds of tables, and which method is first on which kind, by rank.

Errors of different tables do not average; ranks do. A method is ranked by its error of pairs among all of
ours at the same table, task and promise, and its rank on a kind of table is the mean over those cells. Only
methods that were measured in every cell of a kind are ranked there, so that all are ranked by the same
cells.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean

from synth.bench.report.tally import Outcome
from synth.bench.tables.laws import LAWS, Law
from synth.bench.tables.separating import SEPARATING
from synth.bench.trials.trial import Part

FIGURE = "tvd2"

MIXED, TWO, ORDERED = "names and numbers mixed", "two codes a column", "numbers in order"
NAMES, DENSE, SPARSE = "names alone", "invented, dense", "invented, sparse"
KINDS: dict[str, tuple[str, ...]] = {
    MIXED: ("adult", "titanic", "bank", "bank-split"),
    TWO: ("nltcs",),
    ORDERED: ("bank-ordered", "gauss", "artificial-characters"),
    DENSE: ("factor-mixture",),
    SPARSE: ("chain",),
}
"""Kinds of published and grown tables by their names, or what these begin with; other tables that are drawn
by a law have the kind of its columns."""

OTHER = "other tables"


def kind_of(table: str) -> str:
    """By the longest name that a table has or begins with; of a law by its columns."""
    named = {name: kind for kind, names in KINDS.items() for name in names} | {
        name: _kind_of_law(law) for name, law in (LAWS | SEPARATING).items() if name not in KINDS[DENSE]
    }
    fitting = [name for name in named if table == name or table.startswith((f"{name}-", name))]
    return named[max(fitting, key=len)] if fitting else OTHER


def _kind_of_law(law: Law) -> str:
    """The order of columns of two codes is not one, and that of the one to predict is left aside."""
    wide = [name for name, size in law.sizes.items() if size > 2 and name != law.target]
    if not wide:
        return TWO
    ordered = sum(name not in law.nominal for name in wide)
    return ORDERED if ordered == len(wide) else MIXED if ordered else NAMES


@dataclass(frozen=True, kw_only=True)
class Ranked:
    """A method on a kind of table: its mean rank, over how many cells, and in how many it is first. `runs`:
    how many each of the errors of the kind is of."""

    kind: str
    method: str
    rank: float
    cells: int
    firsts: int
    runs: tuple[int, ...] = ()

    @property
    def single(self) -> str:
        return by_single_runs(self.runs)

    def __str__(self) -> str:
        times = f"first in {self.firsts} of {self.cells}" + self.single
        return f"{self.kind[0].upper()}{self.kind[1:]}: {self.method}, mean rank {self.rank:.2f}, {times}."


def by_single_runs(runs: Collection[int]) -> str:
    """Whether a comparison of means over so many runs is by one run, in brackets; empty where it is not."""
    if all(count > 1 for count in runs):
        return ""
    return " (by one run)" if all(count <= 1 for count in runs) else " (some by one run)"


def ranked(outcomes: Sequence[Outcome]) -> Iterator[Ranked]:
    """Kind by kind, the best first; of kinds on which several methods were measured."""
    cells: dict[tuple[str, str, float], dict[str, float]] = {}
    runs: dict[str, list[int]] = {}
    for one in outcomes:
        error = one.mean(FIGURE)
        if one.kind is Part.MECHANISM and one.epsilon is not None and error is not None:
            cells.setdefault((*one.place, one.epsilon), {})[one.name] = error
            runs.setdefault(kind_of(one.table), []).append(one.runs)
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
                runs=tuple(runs[kind]),
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

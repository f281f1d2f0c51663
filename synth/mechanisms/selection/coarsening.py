"""Choose which codes of a column to count together, from its noisy one-way counts.

A table of pairs shows nothing about a code whose own count is below the noise of one cell. If the code is
merged with its neighbours, the table can show a relation, and all tables of the column become smaller. In
ordered columns, neighbours are merged. In other columns, codes have no neighbours, so only rare codes are
merged, into a few groups.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from synth.core.axis import Grouping
from synth.core.domain import Domain
from synth.core.zeros import Zero

HEAP = 4.0
"""A group of rare unordered codes has at most this many times the minimum count: there are fewer groups than
runs of neighbours, because more groups would show no order.
"""


def coarsen(
    column: str, counts: NDArray[np.float64], *, least: float, ordered: int = 0, kinds: Sequence[int] = ()
) -> Grouping | None:
    """Return groups of at least `least` expected records each, as far as possible; None if nothing is merged.

    Shapes: `counts` float64[n], non-negative; they are also the weights by which groups are split again.
    `ordered`: the number of first codes that are in order; in an ordered column, the other codes are never
    merged. `kinds`: codes of different kinds are never merged (see `kinds_of`).
    """
    n = counts.size
    kind = list(kinds) or [0] * n
    if ordered:
        groups = [*_runs(counts[:ordered], kind, least), *([i] for i in range(ordered, n))]
    else:
        groups = _heaps(counts, kind, least)
    if len(groups) == n:
        return None
    groups.sort(key=min)
    group_of = [0] * n
    for number, members in enumerate(groups):
        for code in members:
            group_of[code] = number
    return Grouping(column=column, group_of=tuple(group_of), weights=tuple(float(c) for c in counts))


def _runs(counts: NDArray[np.float64], kind: Sequence[int], least: float) -> list[list[int]]:
    """Return runs of neighbours, from left to right, each with at least the minimum count. A frequent code
    starts its own run unless the previous run is too small; a small rest joins the last run.
    """
    runs: list[list[int]] = []
    mass = least
    for code, count in enumerate(counts):
        full = mass >= least or (count >= least and mass >= least / 2)
        if not runs or full or kind[code] != kind[runs[-1][0]]:
            runs.append([])
            mass = 0.0
        runs[-1].append(code)
        mass += float(count)
    if len(runs) > 1 and mass < least / 2 and kind[runs[-1][0]] == kind[runs[-2][0]]:
        runs[-2].extend(runs.pop())
    return runs


def _heaps(counts: NDArray[np.float64], kind: Sequence[int], least: float) -> list[list[int]]:
    """Return frequent codes alone, and the rare codes of each kind, most frequent first, in groups."""
    groups: list[list[int]] = []
    open_heap: dict[int, tuple[list[int], float]] = {}
    for code in np.argsort(-counts, kind="stable").tolist():
        if counts[code] >= least:
            groups.append([code])
            continue
        heap, mass = open_heap.get(kind[code], ([], HEAP * least))
        if mass >= HEAP * least:
            heap, mass = [], 0.0
            groups.append(heap)
        heap.append(code)
        open_heap[kind[code]] = (heap, mass + float(counts[code]))
    return groups


def kinds_of(domain: Domain, column: str, zeros: Iterable[Zero]) -> tuple[int, ...]:
    """Return a number for each code of a column; codes with the same number are forbidden in exactly the same
    cells.

    If only such codes are merged, structural zeros stay exact: a group's cell is forbidden for all or none of
    its codes. So splitting a group never gives a forbidden cell and loses no possible cell.
    """
    marks: list[tuple[bytes, ...]] = [()] * domain.size([column])
    for zero in zeros:
        if column in zero.clique:
            slices = np.moveaxis(zero.forbidden, zero.clique.index(column), 0)
            marks = [(*mark, part.tobytes()) for mark, part in zip(marks, slices, strict=True)]
    numbers: dict[tuple[bytes, ...], int] = {}
    return tuple(numbers.setdefault(mark, len(numbers)) for mark in marks)

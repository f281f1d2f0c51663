"""Choose which codes of a column to merge, based on its noisy one-way counts.

If the count of a code is below the noise of one cell, a table of pairs contains no usable information about
it. If the code is merged with its neighbours, the table can show a relation, and all tables of the column
become smaller. In ordered columns, neighbouring codes are merged. In other columns, only rare codes are
merged, into a few groups, because codes have no neighbours.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from synth.core.axis import Grouping
from synth.core.domain import Domain
from synth.core.zeros import Zero

HEAP = 4.0
"""Maximum size of a group of rare unordered codes, in units of the minimum count. Such groups are larger than
groups of neighbours, because more groups would show no order.
"""


def coarsen(
    column: str, counts: NDArray[np.float64], *, least: float, ordered: int = 0, kinds: Sequence[int] = ()
) -> Grouping | None:
    """Return groups that contain at least `least` expected records each, as far as possible. Return None if
    no codes are merged.

    Shapes: `counts` float64[n], non-negative; groups are later split in proportion to these counts.
    `ordered`: the number of leading codes that are in order. In an ordered column, the other codes are never
    merged. `kinds`: the kind of each code; codes of different kinds are never merged (see `kinds_of`).
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
    """Return groups of neighbouring codes, from left to right, that each reach the minimum count. A frequent
    code starts a new group unless the previous group is too small. A remainder below the minimum joins the
    last group.
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
    """Return one group for each frequent code, and larger groups for the rare codes of each kind, most
    frequent first.
    """
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
    """Return a number for each code of a column. Codes have the same number if they are forbidden in exactly
    the same cells.

    If only such codes are merged, structural zeros stay exact, because a cell of a group is forbidden for all
    of its codes or for none. Splitting a group then creates no forbidden cell and loses no possible cell.
    """
    marks: list[tuple[bytes, ...]] = [()] * domain.size([column])
    for zero in zeros:
        if column in zero.clique:
            slices = np.moveaxis(zero.forbidden, zero.clique.index(column), 0)
            marks = [(*mark, part.tobytes()) for mark, part in zip(marks, slices, strict=True)]
    numbers: dict[tuple[bytes, ...], int] = {}
    return tuple(numbers.setdefault(mark, len(numbers)) for mark in marks)

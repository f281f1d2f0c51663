"""Count many tables in few passes: blocks of columns that fit a cache, summed to their cliques.

The inner loop is compiled if there is much to count and numba is installed; otherwise numpy runs it.
`numpy.bincount` widens every number to 64 bits and searches for the largest before it counts. A compiled pass
does neither and takes two fifths of the time, but the compiler takes a second to start.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from synth.core.blocks import Axes, blocks
from synth.core.domain import CodeColumn, smallest_dtype
from synth.core.system.device import cores
from synth.private.counting.engine import NO_GROUPS, Asked
from synth.private.counting.numpy_engine import NumpyEngine

CACHED_CELLS = (1 << 16) - 1
"""Largest number of cells of a block: half a megabyte of counts, and a cell number then has 16 bits."""

ROWS_A_CELL = 8
"""Minimum rows per cell of a block: summing a cell takes about as long as counting a row."""

ROWS_AT_A_TIME = 1 << 16

WORTH = 1e9
"""The compiler is started from this many numbers on: it saves at least a nanosecond for each."""

Cells = NDArray[np.unsignedinteger[Any]]
Counter = Callable[[Cells, NDArray[np.int64]], object]
"""Add one to the count of every number. Shapes: uint8 or uint16[rows], int64[256 or 65,536]: one count for
each number that the type can hold, so that none is outside.
"""


class BlockEngine(NumpyEngine):
    """Count one table as the base does, and several by blocks, on every core that this process may use.

    A pass forms the cell number of each row in the smallest type that holds it, some rows at a time, so that
    it stays in the cache until it is counted.
    """

    def all_counts(
        self, asked: Sequence[Asked], *, groups: Mapping[int, CodeColumn] = NO_GROUPS
    ) -> list[NDArray[np.int64]]:
        cells = min(CACHED_CELLS, self._rows // ROWS_A_CELL)
        sizes = {axis: size for axes, shape in asked for axis, size in zip(axes, shape, strict=True)}
        wanted = [tuple(sorted(axes)) for axes, _ in asked]
        for axis in sizes:
            self._column(axis, groups.get(axis))  # made once, before several threads ask for it
        plan = blocks([clique for clique in wanted if clique], sizes, cells=cells)
        tables: dict[Axes, NDArray[np.int64]] = {(): np.array(self._rows)}
        count = counter(self._rows * len(plan))

        def counted(block: Axes) -> None:
            shape = [sizes[axis] for axis in block]
            small = math.prod(shape) <= CACHED_CELLS
            if small:
                table = self._block(block, shape, groups, count)
            else:
                table = self.counts(block, shape, groups=groups)
            for clique in plan[block]:
                tables[clique] = table.sum(
                    axis=tuple(i for i, axis in enumerate(block) if axis not in clique)
                )

        with ThreadPoolExecutor(cores()) as pool:
            list(pool.map(counted, plan))
        return [
            tables[clique].transpose([clique.index(axis) for axis in axes]).copy()
            for clique, (axes, _) in zip(wanted, asked, strict=True)
        ]

    def _block(
        self, axes: Axes, shape: Sequence[int], groups: Mapping[int, CodeColumn], count: Counter
    ) -> NDArray[np.int64]:
        """Shapes: int64[shape], at most `CACHED_CELLS` cells. ValueError for a code beyond its column's."""
        columns = [self._column(axis, groups.get(axis)) for axis in axes]
        cells = math.prod(shape)
        kind = smallest_dtype(cells + 1)
        counts = np.zeros(np.iinfo(kind).max + 1, dtype=np.int64)
        for start in range(0, self._rows, ROWS_AT_A_TIME):
            part = slice(start, start + ROWS_AT_A_TIME)
            cell = columns[0][part].astype(kind)
            for column, size in zip(columns[1:], shape[1:], strict=True):
                cell *= kind.type(size)
                np.add(cell, column[part], out=cell, dtype=kind, casting="unsafe")
            count(cell, counts)
        if counts[cells:].any():
            raise ValueError("a code lies outside its column's range")
        return counts[:cells].reshape(shape)


def counter(numbers: float) -> Counter:
    """Return the fastest counter for this many numbers."""
    compiled = _compiled() if numbers >= WORTH else None
    return compiled or _plain


def _plain(cells: Cells, counts: NDArray[np.int64]) -> None:
    found = np.bincount(cells.astype(np.intp))
    counts[: len(found)] += found


@cache
def _compiled() -> Counter | None:
    """Return the compiled counter; None where numba is missing, cannot be imported or cannot compile.

    Also None where the environment disables its compiler (`NUMBA_DISABLE_JIT`). numpy counts the same, and a
    run must not fail for a lack of speed after its charge.
    """

    def count(cells: Cells, counts: NDArray[np.int64]) -> None:
        for i in range(len(cells)):
            counts[cells[i]] += 1

    kinds = [f"void({kind}[::1], int64[::1])" for kind in ("uint8", "uint16")]
    try:
        import numba

        compiled: Counter = numba.njit(kinds, nogil=True)(count)
    except Exception:
        return None
    return None if compiled is count else compiled

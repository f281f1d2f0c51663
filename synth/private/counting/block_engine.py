"""Count many tables in few passes: the tables of blocks of columns that fit into the cache are counted, then
summed to cliques.

The inner loop is compiled if there is much to count and numba is installed; otherwise it runs in numpy.
`numpy.bincount` converts every number to 64 bits and searches for the largest one before it counts. A
compiled pass does neither and takes two fifths of the time, but compiling takes a second.
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
from synth.private.counting.engine import NO_GROUPS, Requested
from synth.private.counting.numpy_engine import NumpyEngine

CACHED_CELLS = (1 << 16) - 1
"""Largest number of cells of a block: its counts take half a megabyte, and a cell number takes 16 bits."""

ROWS_A_CELL = 8
"""Minimum number of rows per cell of a block: summing a cell takes about as long as counting a row."""

ROWS_AT_A_TIME = 1 << 16

WORTH = 1e9
"""The loop is compiled for at least this many numbers: each then saves at least a nanosecond."""

Cells = NDArray[np.unsignedinteger[Any]]
Counter = Callable[[Cells, NDArray[np.int64]], object]
"""Adds one to the count of every number. Shapes: uint8 or uint16[rows], int64[256 or 65,536]: one count for
each possible number of the type, so that none is out of range.
"""


class BlockEngine(NumpyEngine):
    """Counts one table like its base class, and several tables by blocks, on all cores that this process may
    use.

    A pass computes the cell number of each row in the smallest type that can store it, in batches of rows, so
    that the numbers stay in the cache until they are counted.
    """

    def all_counts(
        self, requested: Sequence[Requested], *, groups: Mapping[int, CodeColumn] = NO_GROUPS
    ) -> list[NDArray[np.int64]]:
        cells = min(CACHED_CELLS, self._rows // ROWS_A_CELL)
        sizes = {axis: size for axes, shape in requested for axis, size in zip(axes, shape, strict=True)}
        wanted = [tuple(sorted(axes)) for axes, _ in requested]
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
            for clique, (axes, _) in zip(wanted, requested, strict=True)
        ]

    def _block(
        self, axes: Axes, shape: Sequence[int], groups: Mapping[int, CodeColumn], count: Counter
    ) -> NDArray[np.int64]:
        """Shapes: int64[shape], at most `CACHED_CELLS` cells. Raises: ValueError for a code outside its
        column's range.
        """
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
            raise ValueError("a code is outside its column's range")
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
    """Return the compiled counter; None if numba is missing, cannot be imported or cannot compile.

    Also None if the environment disables the compiler (`NUMBA_DISABLE_JIT`). numpy gives the same counts, and
    a run must not fail for lack of speed after it was charged.
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

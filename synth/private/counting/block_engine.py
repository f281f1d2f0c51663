"""Count many tables in a few passes.

Columns are grouped into blocks whose tables fit into the cache. The tables of the blocks are counted and then
summed to the tables of the cliques.

The inner loop is compiled if numba is installed and there are enough rows. Otherwise it runs in numpy.
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

from synth.core.blocks import Axes, blocks, summed
from synth.core.domain import CodeColumn, smallest_dtype
from synth.core.system.device import cores
from synth.private.counting.engine import NO_GROUPS, Requested
from synth.private.counting.numpy_engine import NumpyEngine

CACHED_CELLS = (1 << 16) - 1
"""Maximum number of cells in a block. Its counts take half a megabyte, and a cell number takes 16 bits."""

ROWS_A_CELL = 8
"""Minimum number of rows per cell of a block. Summing a cell takes about as long as counting a row."""

ROWS_AT_A_TIME = 1 << 16

WORTH = 1e9
"""Minimum number of counted numbers for which the loop is compiled. Compiling saves at least a nanosecond per
number.
"""

Cells = NDArray[np.unsignedinteger[Any]]
Counter = Callable[[Cells, NDArray[np.int64]], object]
"""A function that adds one to the count of each number.

Shapes: uint8 or uint16[rows], int64[256 or 65,536]. There is one count for each possible value of the type,
so no number is out of range.
"""


class BlockEngine(NumpyEngine):
    """Counts one table like its base class, and several tables by blocks.

    It uses all cores that this process may use.

    A pass processes the rows in batches and computes the cell number of each row in the smallest type that
    can store it. So the numbers stay in the cache until they are counted.
    """

    def all_counts(
        self, requested: Sequence[Requested], *, groups: Mapping[int, CodeColumn] = NO_GROUPS
    ) -> list[NDArray[np.int64]]:
        cells = min(CACHED_CELLS, self._rows // ROWS_A_CELL)
        sizes = {axis: size for axes, shape in requested for axis, size in zip(axes, shape, strict=True)}
        wanted = [tuple(sorted(axes)) for axes, _ in requested]
        for axis in sizes:
            self._column(axis, groups.get(axis))  # cached before several threads use it
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
                tables[clique] = summed(clique, block, table)

        with ThreadPoolExecutor(cores()) as pool:
            list(pool.map(counted, plan))
        return [
            tables[clique].transpose([clique.index(axis) for axis in axes]).copy()
            for clique, (axes, _) in zip(wanted, requested, strict=True)
        ]

    def _block(
        self, axes: Axes, shape: Sequence[int], groups: Mapping[int, CodeColumn], count: Counter
    ) -> NDArray[np.int64]:
        """Return the counts of one block.

        Shapes: int64[shape], at most `CACHED_CELLS` cells. Raises: ValueError if a code is outside its
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
    """Return the fastest counter for this number of counted numbers (rows times blocks)."""
    compiled = _compiled() if numbers >= WORTH else None
    return compiled or _plain


def _plain(cells: Cells, counts: NDArray[np.int64]) -> None:
    found = np.bincount(cells.astype(np.intp))
    counts[: len(found)] += found


@cache
def _compiled() -> Counter | None:
    """Return the compiled counter, or None if numba is missing, cannot be imported or cannot compile.

    Return None also if the environment disables the compiler (`NUMBA_DISABLE_JIT`). numpy returns the same
    counts, and a run that was already charged must not fail only because it would be slower.
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

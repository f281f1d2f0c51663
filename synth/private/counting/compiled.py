"""The inner loop of counting: compiled where there is much to count and numba is installed, else numpy's.

`numpy.bincount` widens every number to 64 bits and looks for the largest before it counts. A compiled pass
does neither and takes two fifths of the time, but the compiler needs a second to start.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

WORTH = 1e9
"""Numbers to count from which on the compiler is started: it saves a nanosecond and more of each."""

Cells = NDArray[np.unsignedinteger[Any]]
Counter = Callable[[Cells, NDArray[np.int64]], object]
"""Adds one to the count of every number. Shapes: uint8 or uint16[rows], int64[256 or 65,536]: one count for
each number that the type can hold, so that none lies outside."""


def counter(numbers: float) -> Counter:
    """What counts so many numbers in least time."""
    compiled = _compiled() if numbers >= WORTH else None
    return compiled or _plain


def _plain(cells: Cells, counts: NDArray[np.int64]) -> None:
    found = np.bincount(cells.astype(np.intp))
    counts[: len(found)] += found


@cache
def _compiled() -> Counter | None:
    """None where numba is not installed, cannot be imported or cannot compile, and where the environment
    switches its compiler off (`NUMBA_DISABLE_JIT`): numpy counts the same, and a run must not end for a lack
    of speed after its charge."""

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

"""Choose blocks of columns to count together, so that many tables need only a few passes over the rows.

The table of each clique in a block can be summed from the table of the block. The choice of blocks depends
only on the cliques and the numbers of codes.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

MOST_COLUMNS = 16
"""Maximum number of columns in a block. A block of 16 columns with two codes each has 120 pairs and 560
triples.
"""

Axes = tuple[int, ...]


def blocks(cliques: Sequence[Axes], sizes: Mapping[int, int], *, cells: int) -> dict[Axes, tuple[Axes, ...]]:
    """Return blocks of columns, each with the cliques whose tables can be summed from its table.

    Every clique is in one block. A clique is an increasing tuple of columns, and `sizes` contains the number
    of codes of each column. A clique with more than `cells` cells is a block by itself. Other blocks have at
    most `cells` cells. The algorithm is greedy: a block starts with the largest remaining clique. Then the
    column with the largest ratio (cliques shared with the block) / log(number of codes) is added repeatedly.
    """
    left = dict.fromkeys(sorted(set(cliques), key=lambda clique: (-_size(clique, sizes), clique)))
    lengths = sorted({len(clique) for clique in left})
    shared: dict[int, Counter[int]] = {column: Counter() for column in sizes}
    for clique in left:
        _share(shared, clique, 1)
    found = dict[Axes, tuple[Axes, ...]]()
    while left:
        seed = next(iter(left))
        block = seed
        held: tuple[Axes, ...] = (seed,)
        if _size(seed, sizes) <= cells:
            block = _grown(seed, shared, sizes, cells=cells)
            held = tuple(c for length in lengths for c in combinations(block, length) if c in left)
        for clique in held:
            del left[clique]
            _share(shared, clique, -1)
        found[block] = held
    return found


def summed(clique: Axes, block: Axes, table: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the table of a clique in a block, summed from the table of the block.

    Both are increasing tuples of columns.
    """
    rest = tuple(place for place, axis in enumerate(block) if axis not in clique)
    return np.asarray(table.sum(axis=rest) if rest else table)


def _grown(seed: Axes, shared: dict[int, Counter[int]], sizes: Mapping[int, int], *, cells: int) -> Axes:
    block, size = list(seed), _size(seed, sizes)
    gains: Counter[int] = Counter()
    for column in block:
        gains.update(shared[column])
    while len(block) < MOST_COLUMNS:
        fitting = (
            (gain / math.log(sizes[column] + 1), -column)
            for column, gain in gains.items()
            if gain > 0 and size * sizes[column] <= cells and column not in block
        )
        best = max(fitting, default=None)
        if best is None:
            break
        block.append(-best[1])
        size *= sizes[-best[1]]
        gains.update(shared[-best[1]])
    return tuple(sorted(block))


def _share(shared: dict[int, Counter[int]], clique: Axes, by: int) -> None:
    for one, other in _neighbours(clique):
        shared[one][other] += by
        if not shared[one][other]:
            del shared[one][other]


def _neighbours(clique: Axes) -> Iterator[tuple[int, int]]:
    for one, other in combinations(clique, 2):
        yield one, other
        yield other, one


def _size(clique: Axes, sizes: Mapping[int, int]) -> int:
    return math.prod(sizes[column] for column in clique)

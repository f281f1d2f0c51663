"""Choose many tables of a target and several columns, with different groups of codes in each table.

A table of five or more columns has too many cells to be measured with a useful number of codes per column.
With two or three groups per column, it has few cells. Many such tables, with different cuts and different
columns, together show where records concentrate. This is tile coding (Albus 1975, "A new approach to
manipulator control"; Sutton and Barto 2018, "Reinforcement learning", section 9.5.4). Difference from tile
coding: cuts are drawn at random instead of shifted evenly, because there are many columns and few tables.

Privacy: the cuts are public. They depend only on noisy columns and the run's own random number generator.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from synth.core.domain import Clique, Domain
from synth.mechanisms.blend import constants as c
from synth.private.queries import Marginal


def tilings(
    domain: Domain,
    names: Sequence[str],
    columns: Mapping[str, NDArray[np.float64]],
    *,
    target: str,
    ordered: Mapping[str, int],
    rng: np.random.Generator,
) -> list[Marginal]:
    """Draw up to `TILINGS` tables of the target, in its own codes, with some of the columns `names`.

    Columns are added to a table in random order while it has at most `MOST_TABLE_CELLS` cells. The groups of
    a column contain about the same number of records, except for smaller groups at the ends. In each table,
    at least one column is grouped differently than in another table (`Evidence.tilings`). If no two tables
    differ, for example because all columns have two codes, the list is empty. Shapes: `columns`
    float64[codes], likely counts.
    """
    found = dict[tuple[Clique, tuple[tuple[str, tuple[int, ...]], ...]], Marginal]()
    cuts: dict[str, set[tuple[int, ...]]] = defaultdict(set)
    for _ in range(c.TILINGS):
        cells, groups, others = domain.size([target]), dict[str, tuple[int, ...]](), list[str]()
        for name in rng.permutation(sorted(names)).tolist():
            group_of = _cut(columns[name], is_ordered=name in ordered, rng=rng)
            size = max(group_of) + 1
            if size > 1 and cells * size <= c.MOST_TABLE_CELLS:
                cells *= size
                others.append(name)
                if size < len(group_of):
                    groups[name] = group_of
        if len(others) > 1:
            requested = Marginal(domain.clique((target, *others))).within(groups)
            found[requested.clique, tuple(sorted(groups.items()))] = requested
            for name, group_of in groups.items():
                cuts[name].add(group_of)
    return [q for q in found.values() if any(len(cuts[name]) > 1 for name in q.groups)]


def _cut(counts: NDArray[np.float64], *, is_ordered: bool, rng: np.random.Generator) -> tuple[int, ...]:
    """Cut the codes, in their order or in random order, into groups with the same number of records. The
    position of the first cut is random.
    """
    likely = np.maximum(counts, 1e-9)
    places = np.arange(len(counts)) if is_ordered else rng.permutation(len(counts))
    ends = np.cumsum(likely[places]) / likely.sum()
    middle = np.empty(len(counts))
    middle[places] = ends - likely[places] / likely.sum() / 2
    first = np.searchsorted((np.arange(round(1 / c.TILE)) + rng.random()) * c.TILE, middle)
    return tuple(np.unique(first, return_inverse=True)[1].tolist())

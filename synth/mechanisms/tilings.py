"""Tables of a target with many columns at once, in groups that are cut elsewhere every time.

A table of five columns or more has too many cells to be measured in codes of any use. In three groups a
column it has few, and many such tables, each cut at other places and of other columns, tell together what
none of them does: in which small part of the whole table many of their cells meet (tile coding). They are to
a declared target what votes are in Tab-PE, asked as plain tables.

Privacy: `measure`, of public cuts: they follow from noisy columns and the run's own generator.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from synth.domain import Domain
from synth.measure.questions import Marginal

TABLES = 40
"""How many are asked. Half as many and twice as many do about as well."""

WIDTH = 1 / 2
"""The part of all records in a group; those at both ends have less. A third finds as much in few columns, and
less in many."""

MOST_CELLS = 1_000
"""A table takes up columns, in a random order, as long as it has no more cells."""


def tilings(
    domain: Domain,
    names: Sequence[str],
    columns: Mapping[str, NDArray[np.float64]],
    *,
    target: str,
    ordered: Mapping[str, int],
    rng: np.random.Generator,
) -> list[Marginal]:
    """Tables of the target, in its own codes, with some of the columns `names`, each in groups that hold
    about equally many records, those at the ends fewer; none if there are fewer than two columns. `columns`:
    float64[codes], likely counts."""
    found = []
    for _ in range(TABLES):
        cells, groups = domain.size([target]), dict[str, tuple[int, ...]]()
        for name in rng.permutation(sorted(names)).tolist():
            group_of = _cut(columns[name], is_ordered=name in ordered, rng=rng)
            if cells * (max(group_of) + 1) <= MOST_CELLS:
                cells *= max(group_of) + 1
                groups[name] = group_of
        if len(groups) > 1:
            found.append(Marginal(domain.clique((target, *groups))).within(groups))
    return found


def _cut(counts: NDArray[np.float64], *, is_ordered: bool, rng: np.random.Generator) -> tuple[int, ...]:
    """Groups of neighbouring codes, or of codes in a random order, by cuts at equal distances in the records
    from a random one on."""
    likely = np.maximum(counts, 1e-9)
    places = np.arange(len(counts)) if is_ordered else rng.permutation(len(counts))
    ends = np.cumsum(likely[places]) / likely.sum()
    middle = np.empty(len(counts))
    middle[places] = ends - likely[places] / likely.sum() / 2
    first = np.searchsorted((np.arange(round(1 / WIDTH)) + rng.random()) * WIDTH, middle)
    return tuple(np.unique(first, return_inverse=True)[1].tolist())

"""Tables of a target with many columns at once, in groups that are cut elsewhere every time.

A table of five columns or more has too many cells to be measured in codes of any use. In three groups a
column it has few, and many such tables, each cut at other places and of other columns, tell together what
none of them does: in which small part of the whole table many of their cells meet: tile coding (Albus
1975, "A new approach to manipulator control"; Sutton and Barto 2018, "Reinforcement learning", section
9.5.4), with cuts drawn at random instead of shifted evenly, since columns are many and tables few. They are
to a declared target what votes are in Tab-PE, asked as plain tables.

Privacy: `measure`, of public cuts: they follow from noisy columns and the run's own generator.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from synth.core.domain import Clique, Domain
from synth.private.queries import Marginal

TABLES = 40
"""How many are drawn, and asked unless they are alike. Half as many and twice as many do about as well."""

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
    about equally many records, those at the ends fewer. `columns`: float64[codes], likely counts.

    Each has a column that another one has in other groups, which is what makes them tilings
    (`Evidence.tilings`); none where there are no two such tables, as where all columns have two codes.
    """
    found = dict[tuple[Clique, tuple[tuple[str, tuple[int, ...]], ...]], Marginal]()
    cuts: dict[str, set[tuple[int, ...]]] = defaultdict(set)
    for _ in range(TABLES):
        cells, groups, others = domain.size([target]), dict[str, tuple[int, ...]](), list[str]()
        for name in rng.permutation(sorted(names)).tolist():
            group_of = _cut(columns[name], is_ordered=name in ordered, rng=rng)
            size = max(group_of) + 1
            if size > 1 and cells * size <= MOST_CELLS:
                cells *= size
                others.append(name)
                if size < len(group_of):
                    groups[name] = group_of
        if len(others) > 1:
            asked = Marginal(domain.clique((target, *others))).within(groups)
            found[asked.clique, tuple(sorted(groups.items()))] = asked
            for name, group_of in groups.items():
                cuts[name].add(group_of)
    return [q for q in found.values() if any(len(cuts[name]) > 1 for name in q.groups)]


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

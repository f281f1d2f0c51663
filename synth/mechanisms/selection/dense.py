"""Which pairs to measure at once, and which of them as one wider table: DenseMarg of PrivSyn.

Source: Zhang et al., PrivSyn (USENIX Security 2021), its choice and combination of marginals. Everything here
works on noisy scores and public sizes.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from synth.core.domain import Clique, Domain
from synth.mechanisms.selection.allocation import POWER

MOST_SHARED = 2
"""Columns that a wider table may have in common with those before it."""


def dense_pairs(
    domain: Domain,
    weights: Mapping[Clique, float],
    lacking: NDArray[np.float64],
    *,
    sigma: float,
) -> list[Clique]:
    """Return the pairs that reduce the error when measured, in the order they are added.

    Shapes: `lacking: float64[len(weights)]`, how far each pair is off, in counts, if it is not measured;
    `sigma`: the noise that the whole price would buy. Tables r share a price best in proportion to
    (w_r n_r)^(2/3) (`allocation.shares`), and are then off by sqrt(2/pi) sigma A^(3/2) together, A the sum of
    those parts; a pair is added as long as the sum over measured and other pairs falls.
    """
    parts = np.array([(w * domain.size(r)) ** POWER for r, w in weights.items()])
    gains = np.array(list(weights.values())) * lacking
    noise, whole = math.sqrt(2 / math.pi) * sigma, 0.0
    pairs, left, chosen = list(weights), np.ones(len(parts), dtype=bool), list[Clique]()
    while left.any():
        improvement = gains - noise * ((whole + parts) ** 1.5 - whole**1.5)
        best = int(np.argmax(np.where(left, improvement, -np.inf)))
        if improvement[best] <= 0:
            break
        left[best] = False
        whole += float(parts[best])
        chosen.append(pairs[best])
    return chosen


def combined(domain: Domain, pairs: Sequence[Clique], *, cells: int) -> list[Clique]:
    """The pairs, some of them in wider tables: sets of columns that are all joined to each other.

    A table has at most so many cells and, but for two, columns that no wider table before it has; the
    largest sets come first, then those of the fewest cells. Sets are grown from every pair by the column of
    the fewest codes; all of them, as in the paper, would be more than anybody can list.
    """
    near: dict[str, set[str]] = {name: set() for pair in pairs for name in pair}
    for a, b in pairs:
        near[a].add(b)
        near[b].add(a)
    found = dict.fromkeys(_grown(domain, pair, near, cells) for pair in pairs)
    tables, covered = list[Clique](), set[str]()
    for r in sorted(found, key=lambda r: (-len(r), domain.size(r), domain.axes(r))):
        if len(r) > 2 and len(covered.intersection(r)) <= MOST_SHARED:
            tables.append(r)
            covered.update(r)
    return [*tables, *_outside(pairs, tables)]


def _grown(domain: Domain, pair: Clique, near: Mapping[str, set[str]], cells: int) -> Clique:
    joined = set(pair)
    while common := set.intersection(*(near[name] for name in joined)):
        smallest = min(common, key=lambda name: (domain.size((name,)), domain.axis(name)))
        if domain.size([*joined, smallest]) > cells:
            break
        joined.add(smallest)
    return domain.clique(joined)


def _outside(pairs: Iterable[Clique], tables: Sequence[Clique]) -> list[Clique]:
    return [pair for pair in pairs if not any(set(pair) <= set(r) for r in tables)]

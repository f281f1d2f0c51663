"""Select pairs to measure at once, and combine some of them into wider tables (DenseMarg of PrivSyn).

Source: Zhang et al., PrivSyn (USENIX Security 2021), selection and combination of marginals. Only noisy
scores and public sizes are used.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from synth.core.domain import Clique, Domain
from synth.mechanisms.selection.allocation import POWER

MOST_SHARED = 2
"""Maximum number of columns that a wider table can share with the wider tables before it."""


def dense_pairs(
    domain: Domain,
    weights: Mapping[Clique, float],
    lacking: NDArray[np.float64],
    *,
    sigma: float,
) -> list[Clique]:
    """Return the pairs whose measurement reduces the error, in the order of their selection.

    Shapes: `lacking: float64[len(weights)]`, the error of each pair, in counts, if it is not measured.
    `sigma`: the noise at the total cost.

    The optimal share of each table r is proportional to (w_r n_r)^(2/3) (`allocation.shares`). The total
    error is then sqrt(2/pi) sigma A^(3/2), where A = sum_r (w_r n_r)^(2/3). Pairs are added while the summed
    error of measured and other pairs decreases.
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
    """Return the pairs after combining some of them into wider tables: sets of columns in which all pairs are
    selected.

    A table has at most `cells` cells and shares at most two columns with the wider tables before it. The
    largest sets come first, and among sets of the same size those with the fewest cells. A set starts from a
    pair and repeatedly adds the column with the fewest codes, because listing all sets, as in the paper,
    would take too long.
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

"""Choose pairs to measure at once, and combine some of them into wider tables: DenseMarg of PrivSyn.

Source: Zhang et al., PrivSyn (USENIX Security 2021), its choice and combination of marginals. It uses only
noisy scores and public sizes.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from synth.core.domain import Clique, Domain
from synth.mechanisms.selection.allocation import POWER

MOST_SHARED = 2
"""Maximum number of columns that a wider table can share with earlier ones."""


def dense_pairs(
    domain: Domain,
    weights: Mapping[Clique, float],
    lacking: NDArray[np.float64],
    *,
    sigma: float,
) -> list[Clique]:
    """Return the pairs whose measurement reduces the error, in the order in which they are added.

    Shapes: `lacking: float64[len(weights)]`, the error of each pair, in counts, if it is not measured;
    `sigma`: the noise at the whole cost. The best split of a cost gives each table r a share in proportion to
    (w_r n_r)^(2/3) (`allocation.shares`). The total error is then sqrt(2/pi) sigma A^(3/2), where A is the
    sum of (w_r n_r)^(2/3). A pair is added as long as the sum over measured and other pairs falls.
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
    """Return the pairs, some of them combined into wider tables: sets of columns whose pairs are all chosen.

    A table has at most `cells` cells, and shares at most two columns with earlier wider tables. The largest
    sets come first, then those with the fewest cells. Sets are grown from every pair by adding the column
    with the fewest codes; listing all sets, as in the paper, would take too long.
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

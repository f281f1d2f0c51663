"""Which pairs are measured apart and kept from the fit, so that methods can be compared on them later.

The draw uses only declared facts and facts estimated with budget. A pair is drawn like any other, whether or
not the mechanism measures it too: the two answers have noise of their own, and only the one kept apart was
never fitted to.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from synth.core.domain import Clique, Domain
from synth.mechanisms.selection.workload import Workload

PAIRS = 5
"""So few that each gets a fair price, so many that no one pair decides."""

MOST_CELLS = 10_000
"""A wider pair falls below its own noise and compares nothing; drawn only where all pairs are wider."""


def drawn_pairs(
    domain: Domain, rng: np.random.Generator, *, column_weights: Mapping[str, float] | None = None
) -> tuple[Clique, ...]:
    """At most `PAIRS` pairs of columns that matter, each as likely as any other, in the domain's order.

    With a single column it is that column; where fewer than two columns have a weight, any pair may come.
    """
    narrow = Workload.all_kway(domain, 2, column_weights=column_weights, max_cells=MOST_CELLS).cliques
    pairs = narrow or Workload.all_kway(domain, 2, column_weights=column_weights).cliques
    pairs = pairs or Workload.all_kway(domain, 2).cliques
    places = rng.choice(len(pairs), size=min(PAIRS, len(pairs)), replace=False)
    return tuple(pairs[i] for i in sorted(places.tolist()))

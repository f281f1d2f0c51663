"""Draw the hold-out pairs: measured separately and not used for fitting, so that methods can be compared on
them.

The draw uses only declared facts and facts estimated with budget. A pair is drawn like any other, whether or
not the mechanism measures it too: the two measurements have independent noise, and no model is fitted to the
hold-out one.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from synth.core.domain import Clique, Domain
from synth.mechanisms.selection.workload import Workload

PAIRS = 5
"""Few enough that each gets enough budget, many enough that no single pair decides."""

MOST_CELLS = 10_000
"""Most cells of a pair: a wider one is below its own noise. Wider pairs are drawn only if there are no
others.
"""


def drawn_pairs(
    domain: Domain, rng: np.random.Generator, *, column_weights: Mapping[str, float] | None = None
) -> tuple[Clique, ...]:
    """Return at most `PAIRS` pairs of weighted columns, drawn uniformly, in the domain's order.

    With a single column, return that column. If fewer than two columns have a weight, any pair can be drawn.
    """
    narrow = Workload.all_kway(domain, 2, column_weights=column_weights, max_cells=MOST_CELLS).cliques
    pairs = narrow or Workload.all_kway(domain, 2, column_weights=column_weights).cliques
    pairs = pairs or Workload.all_kway(domain, 2).cliques
    places = rng.choice(len(pairs), size=min(PAIRS, len(pairs)), replace=False)
    return tuple(pairs[i] for i in sorted(places.tolist()))

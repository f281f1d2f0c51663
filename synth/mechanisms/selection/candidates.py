"""Draw candidates by weight, and lower the weight of candidates that prove uninformative (PrivMRF, section
4.4).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, islice

import numpy as np

from synth.core.domain import Clique

MOST_INSIDE = 20_000
"""Maximum number of candidates inside one clique. If there are more, the widest candidates are excluded."""


@dataclass(frozen=True)
class WeightedCandidates:
    """Marginals that have not been measured yet, with positive weights."""

    weights: Mapping[Clique, float]

    def __len__(self) -> int:
        return len(self.weights)

    @staticmethod
    def inside(
        cliques: Iterable[Clique], useful: Callable[[Clique], bool], *, arity: int
    ) -> WeightedCandidates:
        """Return the useful marginals of 2 to `arity` columns that are inside the cliques.

        In a clique with m such marginals, each has the weight |clique|^2 / m. A marginal inside several
        cliques gets the largest of these weights.
        """
        weights: dict[Clique, float] = {}
        for clique in cliques:
            widths = range(2, min(arity, len(clique)) + 1)
            every = (r for k in widths for r in combinations(clique, k) if useful(r))
            inside = list(islice(every, MOST_INSIDE))
            for r in inside:
                weights[r] = max(weights.get(r, 0.0), len(clique) ** 2 / len(inside))
        return WeightedCandidates(weights)

    def without(self, measured: Iterable[Clique]) -> WeightedCandidates:
        """Return the candidates that are not inside a measured marginal."""
        wider = [frozenset(r) for r in measured]
        return WeightedCandidates(
            {r: w for r, w in self.weights.items() if not any(m.issuperset(r) for m in wider)}
        )

    def draw(self, size: int, rng: np.random.Generator) -> tuple[Clique, ...]:
        """Return at most `size` distinct candidates, drawn by weight. `rng` is used only for modelling, not
        for privacy noise.
        """
        cliques, weights = list(self.weights), np.array(list(self.weights.values()))
        size = min(size, len(cliques))
        drawn = rng.choice(len(cliques), size=size, replace=False, p=weights / weights.sum())
        return tuple(cliques[i] for i in drawn)

    def halved(self, cliques: Sequence[Clique]) -> WeightedCandidates:
        """Return the candidates after halving the weights of the given ones."""
        return WeightedCandidates({**self.weights, **{r: self.weights[r] / 2 for r in cliques}})

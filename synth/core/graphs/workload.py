"""The workload: weighted cliques that should be accurate, and the candidates derived from them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations
from math import prod

from synth.core.domain import Clique, Domain, closure

WEIGHT_STEPS = 1024
"""The largest integer weight of a candidate."""


@dataclass(frozen=True)
class Workload:
    """Weighted cliques W = {(s, c_s)} (McKenna et al. 2022, Def. 2). Weights are non-negative."""

    cliques: tuple[Clique, ...]
    weights: tuple[float, ...]

    def __post_init__(self) -> None:
        if len(self.cliques) != len(self.weights) or any(w < 0 for w in self.weights):
            raise ValueError("a workload needs one non-negative weight per clique")

    @staticmethod
    def all_kway(
        domain: Domain,
        k: int = 2,
        *,
        column_weights: Mapping[str, float] | None = None,
    ) -> Workload:
        """Return all k-way marginals, or the marginal of all columns if there are fewer than k. The weight of
        a marginal is the product of the weights of its columns, and weights are scaled to a maximum of 1.
        Cliques of weight zero are excluded.
        """
        weight = {name: (column_weights or {}).get(name, 1.0) for name in domain.names}
        pairs = [
            (clique, prod(weight[name] for name in clique))
            for clique in combinations(domain.names, min(k, len(domain)))
        ]
        return Workload.of(pairs)

    @staticmethod
    def of(pairs: Iterable[tuple[Clique, float]]) -> Workload:
        """Return the workload with these weights, scaled to a maximum of 1. Cliques of weight zero are
        excluded.
        """
        kept = [(clique, weight) for clique, weight in pairs if weight > 0]
        top = max((weight for _, weight in kept), default=1.0)
        return Workload(tuple(c for c, _ in kept), tuple(w / top for _, w in kept))

    def candidates(self) -> dict[Clique, float]:
        """Return the downward closure W+ with the weights w_r = sum_s c_s |r & s| (AIM, Eq. 1), as
        floating-point numbers.

        The weights are summed by column: |r & s| counts the columns of r that are in s, so w_r = sum_{i in r}
        sum_{s with i} c_s.
        """
        held: dict[str, float] = {}
        for clique, weight in zip(self.cliques, self.weights, strict=True):
            for name in clique:
                held[name] = held.get(name, 0.0) + weight
        return {r: sum(held[name] for name in r) for r in closure(self.cliques)}

    def integer_candidates(self) -> dict[Clique, int]:
        """Return the candidates with weights rounded to integers from 1 to WEIGHT_STEPS, so that fixed-point
        scores are exact.
        """
        weights = self.candidates()
        top = max(weights.values(), default=1.0)
        return {r: max(1, round(w / top * WEIGHT_STEPS)) for r, w in weights.items() if w > 0}

"""Split a budget over several marginals."""

from __future__ import annotations

from collections.abc import Mapping

from synth.core.domain import Clique, Domain

POWER = 2 / 3
"""The best cost of equally weighted marginals is proportional to this power of their cells (`shares`)."""


def shares(domain: Domain, weights: Mapping[Clique, float]) -> dict[Clique, float]:
    """Return each marginal's share of a common cost, in proportion to (w_r n_r)^(2/3); the shares sum to 1.

    A marginal of n cells at cost rho has an expected L1 error proportional to n / sqrt(rho). This split
    minimises the sum of w_r n_r / sqrt(rho_r) for a given sum of rho_r (Lagrange; the rule of PrivSyn and
    ABSyn, with weights). Raises: ValueError for a weight of zero or less, because such a marginal should not
    be measured.
    """
    if any(weight <= 0 for weight in weights.values()):
        raise ValueError("every measured marginal needs a weight above zero")
    parts = {r: (weight * domain.size(r)) ** POWER for r, weight in weights.items()}
    total = sum(parts.values())
    return {r: part / total for r, part in parts.items()}

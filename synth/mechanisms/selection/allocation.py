"""Split a budget over several marginals."""

from __future__ import annotations

from collections.abc import Mapping

from synth.core.domain import Clique, Domain

POWER = 2 / 3
"""Exponent of the optimal cost: equally weighted marginals with n cells should cost proportionally to
n^(2/3).
"""


def shares(domain: Domain, weights: Mapping[Clique, float]) -> dict[Clique, float]:
    """Return the share of a total cost for each marginal r, in proportion to (w_r n_r)^(2/3). The shares sum
    to 1.

    A marginal of n cells at cost rho has an expected L1 error proportional to n / sqrt(rho). This split
    minimises sum_r w_r n_r / sqrt(rho_r) for a fixed sum of rho_r, by the method of Lagrange multipliers. It
    is the rule of PrivSyn and ABSyn, with weights.

    Raises: ValueError if a weight is zero or negative, because such a marginal should not be measured.
    """
    if any(weight <= 0 for weight in weights.values()):
        raise ValueError("every measured marginal needs a weight above zero")
    parts = {r: (weight * domain.size(r)) ** POWER for r, weight in weights.items()}
    total = sum(parts.values())
    return {r: part / total for r, part in parts.items()}

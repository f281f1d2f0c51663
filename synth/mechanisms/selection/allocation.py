"""Split a budget over several marginals."""

from __future__ import annotations

from collections.abc import Mapping

from synth.core.domain import Clique, Domain

POWER = 2 / 3
"""Marginals that count alike are priced best in proportion to this power of their cells (`shares`)."""


def shares(domain: Domain, weights: Mapping[Clique, float]) -> dict[Clique, float]:
    """The part of a common price that each marginal gets, in proportion to (w_r n_r)^(2/3); they sum to 1.

    A marginal of n cells at price rho has an expected L1 error proportional to n / sqrt(rho), and this split
    makes the sum of w_r n_r / sqrt(rho_r) smallest for a given sum of rho_r (Lagrange; the rule of PrivSyn
    and ABSyn, with weights). ValueError for a weight of zero or below: such a marginal should not be asked.
    """
    if any(weight <= 0 for weight in weights.values()):
        raise ValueError("every marginal that is measured needs a weight above zero")
    parts = {r: (weight * domain.size(r)) ** POWER for r, weight in weights.items()}
    total = sum(parts.values())
    return {r: part / total for r, part in parts.items()}

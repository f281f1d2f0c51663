"""A reference implementation: the full table of a small model, cell by cell, by definition."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from synth.core.domain import Clique, Domain

LogFactor = tuple[Clique, NDArray[np.float64]]
"""A clique with its columns in any order, and its log-factor with the axes in that order."""


def log_joint(domain: Domain, factors: Iterable[LogFactor]) -> NDArray[np.float64]:
    """Return the sum of the log-factors in every cell. Shapes: float64[domain.sizes], minus infinity in
    impossible cells.
    """
    joint = np.zeros(domain.sizes)
    for clique, table in factors:
        order = sorted(range(len(clique)), key=lambda i: domain.axis(clique[i]))
        shape = [size if name in clique else 1 for name, size in zip(domain.names, domain.sizes, strict=True)]
        joint = joint + np.transpose(table, order).reshape(shape)
    return joint


def log_partition(domain: Domain, factors: Iterable[LogFactor]) -> float:
    """Return the log of the sum over all cells of the product of the factors."""
    joint = log_joint(domain, factors)
    peak = joint.max()
    return float(peak + np.log(np.exp(joint - peak).sum()))


def distribution(domain: Domain, factors: Iterable[LogFactor]) -> NDArray[np.float64]:
    """Return the probability of every cell. Shapes: float64[domain.sizes], summing to 1."""
    joint = log_joint(domain, factors)
    table = np.exp(joint - joint.max())
    result: NDArray[np.float64] = table / table.sum()
    return result


def project(domain: Domain, table: NDArray[np.float64], clique: Clique) -> NDArray[np.float64]:
    """Return a marginal of a full table. Shapes: float64[shape(clique)], with axes in the clique's order."""
    kept = domain.axes(clique)
    summed = table.sum(axis=tuple(i for i in range(len(domain)) if i not in kept))
    ascending = sorted(kept)
    return np.transpose(summed, [ascending.index(i) for i in kept])

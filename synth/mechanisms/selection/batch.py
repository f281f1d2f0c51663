"""Select all pairs before any of them is measured, by greedy descent on the expected error (ABSyn, Alg. 3).

A selection has two kinds of error: the noise of the measured pairs, and the missing dependence of the other
pairs. The noise of each measurement increases with the number of pairs that share the budget. Pairs are added
while the sum of both errors decreases.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from synth.core.domain import Clique
from synth.mechanisms.selection.allocation import shares
from synth.mechanisms.selection.correlation import Correlations

Triangulation = Callable[[Sequence[Clique]], Sequence[Clique] | None]
"""A function from pairs to the maximal cliques of their triangulated graph; None if one is too large."""


def select_batch(
    correlations: Correlations,
    triangulation: Triangulation,
    *,
    sigma: float,
    weights: NDArray[np.float64],
) -> dict[Clique, float]:
    """Select pairs, and return the budget share of each.

    `sigma`: the noise, in counts, of a measurement that uses the whole budget. `weights`: float64[pairs], the
    weight of each pair's error.

    When a pair is selected, all pairs inside the same clique of the triangulated graph are selected too, so
    that the intersections of cliques are measured. Pairs with a clipped score of zero are not tried. A pair
    is evaluated again only if its last known gain could still be the largest, because gains rarely increase.
    Before the search ends, all pairs are evaluated once more. Columns that are in no selected pair follow the
    pairs as single columns.
    """
    expected = _Expected(correlations, unit=math.sqrt(2 / math.pi) * sigma, weights=weights)
    chosen = np.zeros(len(correlations.pairs), dtype=np.bool_)
    gains = {int(i): math.inf for i in np.flatnonzero(correlations.counts > 0)}
    while True:
        least, best, skipped = expected.error(chosen), (0.0, chosen), False
        for i in sorted(gains, key=gains.__getitem__, reverse=True):
            if gains[i] <= best[0]:
                skipped = True
                break
            option = _with(correlations, triangulation, chosen, i)
            gains[i] = -math.inf if option is None else least - expected.error(option)
            if option is not None and gains[i] > best[0]:
                best = gains[i], option
        if best[0] > 0:
            chosen = best[1]
            gains = {i: gain for i, gain in gains.items() if not chosen[i]}
        elif skipped:
            gains = dict.fromkeys(gains, math.inf)
        else:
            return expected.shares(chosen)


def _with(
    correlations: Correlations, triangulation: Triangulation, chosen: NDArray[np.bool_], pair: int
) -> NDArray[np.bool_] | None:
    """Return the selection with one more pair and the pairs that it implies, or None if a clique would become
    too large. Shapes: bool[pairs].
    """
    members = [correlations.pairs[i] for i in np.flatnonzero(chosen)]
    cliques = triangulation([*members, correlations.pairs[pair]])
    return None if cliques is None else _inside(correlations, cliques)


class _Expected:
    """The expected error of any selection of pairs at a given total cost. `unit` is the error of one cell at
    this cost.
    """

    def __init__(self, correlations: Correlations, *, unit: float, weights: NDArray[np.float64]) -> None:
        self._correlations, self._unit, self._weights = correlations, unit, weights

    def shares(self, chosen: NDArray[np.bool_]) -> dict[Clique, float]:
        """Return the cost share of each selected pair, and of each column that is in none of them."""
        domain = self._correlations.domain
        covered = set(self._correlations.ends[chosen].ravel().tolist())
        wanted: dict[Clique, float] = {
            self._correlations.pairs[i]: float(self._weights[i]) for i in np.flatnonzero(chosen)
        }
        wanted |= {(name,): 1.0 for i, name in enumerate(domain.names) if i not in covered}
        return shares(domain, wanted)

    def error(self, chosen: NDArray[np.bool_]) -> float:
        """Return the noise of the chosen pairs plus the error of the others (Eq. 9), in counts."""
        domain, pairs = self._correlations.domain, int(chosen.sum())
        parts = list(self.shares(chosen).items())[:pairs]
        noise = np.full(len(chosen), np.inf)
        noise[chosen] = [self._unit * domain.size(r) / math.sqrt(part) for r, part in parts]
        errors = self._correlations.missing(noise) + np.where(chosen, noise, 0.0)
        return float(self._weights @ errors)


def _inside(correlations: Correlations, cliques: Sequence[Clique]) -> NDArray[np.bool_]:
    """Return for each pair whether it is inside one of the cliques. Shapes: bool[pairs]."""
    members = np.zeros((len(cliques), len(correlations.domain)), dtype=np.bool_)
    for row, clique in zip(members, cliques, strict=True):
        row[list(correlations.domain.axes(clique))] = True
    a, b = correlations.ends.T
    return np.asarray((members[:, a] & members[:, b]).sum(axis=0) > 0)

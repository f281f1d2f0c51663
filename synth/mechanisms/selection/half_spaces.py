"""Draw candidate half-spaces, bounded by random planes through likely records, with public randomness."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from synth.core.codebook import Codebook
from synth.core.domain import Domain
from synth.core.measurements.half_spaces import LARGEST_STEP, HalfSpaces
from synth.core.measurements.nearest import Places, points_of

STEP = 40
"""Standard deviation of the random steps that define a direction."""

SAMPLED = 4_000
"""Number of records drawn from noisy columns. Thresholds are placed between the sums of these records."""

INNER = (0.1, 0.9)
"""Quantiles between which thresholds are drawn. With other thresholds, nearly all records would be on one
side.
"""


def declared_places(codebook: Codebook, even: Sequence[Places]) -> tuple[Places, ...]:
    """Return places with the same distances as the midpoints of the declared bins. Without bins, or in
    coarser codes, the places are the codes themselves.
    """
    grouped = {grouping.column for grouping in codebook.groupings}
    found = []
    for axis, places in zip(codebook.axes, even, strict=True):
        edges = np.array(axis.edges, dtype=np.float64)
        if not places or len(edges) < 3 or axis.name in grouped:
            found.append(places)
            continue
        middles = (edges[1:] + edges[:-1]) / 2
        line = (middles - middles[0]) / (middles[-1] - middles[0]) * places[axis.cells - 1]
        found.append((*np.rint(line).astype(int).tolist(), *places[axis.cells :]))
    return tuple(found)


def drawn_half_spaces(
    domain: Domain,
    columns: Mapping[str, NDArray[np.float64]],
    *,
    places: Sequence[Places],
    label: str,
    many: int,
    order: int,
    rng: np.random.Generator,
) -> HalfSpaces:
    """Return `many` half-spaces with normally distributed steps in `order` columns each, or in all columns
    except the label if `order` is 0. Thresholds are halfway between the sums of independent records with
    these column counts. Neither uses any budget.

    Raises: ValueError if the label is the only column.
    """
    own = tuple(() if name == label else p for name, p in zip(domain.names, places, strict=True))
    summed = [i for i, name in enumerate(domain.names) if name != label]
    if not summed:
        raise ValueError("half-spaces need at least one column besides the label")
    widths = [points_of(own[i], domain.sizes[i]).shape[1] for i in summed]
    steps = np.rint(STEP * rng.standard_normal((many, sum(widths)))).astype(np.int64)
    steps = np.clip(steps, -LARGEST_STEP, LARGEST_STEP)
    through = rng.random((many, len(summed))).argsort(axis=1) < (order or len(summed))
    steps *= np.repeat(through, widths, axis=1)
    blank = HalfSpaces(domain.names, own, tuple(map(tuple, steps.tolist())), (0,) * many, label)
    sums = np.zeros((SAMPLED, many), dtype=np.int64)
    for i, added in zip(summed, blank.weights(domain.sizes), strict=True):
        chances = np.maximum(columns[domain.names[i]], 0.0)
        chances = chances / chances.sum() if chances.sum() > 0 else np.full(len(chances), 1 / len(chances))
        sums += added[rng.choice(len(chances), SAMPLED, p=chances)]
    sums.sort(axis=0)
    at = (SAMPLED * rng.uniform(*INNER, many)).astype(int)
    own_sums = sums[at, np.arange(many)]
    next_ones = [
        sums[np.searchsorted(sums[:, k], s, side="right").clip(max=SAMPLED - 1), k]
        for k, s in enumerate(own_sums)
    ]
    thresholds = tuple(((own_sums + np.array(next_ones)) // 2).tolist())
    return HalfSpaces(domain.names, own, blank.directions, thresholds, label)

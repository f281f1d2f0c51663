"""Exact mean embeddings of a mixture of products, as a function of the mixture's shares.

A component draws its columns independently, and the phase of a record is a sum over columns. Therefore, the
mean of exp(2 pi i phase) over the records of a component is a product over columns. The factor of column j is
the mean of exp(2 pi i frequency_j code) under the column's shares. The embedding of a mixture is thus a
polynomial in its shares, like its tables, and no record has to be drawn.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from synth.core.evidence import Evidence
from synth.core.measurements.noisy import NoisyNumbers
from synth.models.mixture.mixture_blocks import Blocks
from synth.models.targets import Targets

EMBEDDING = "embedding"
"""Name of the query that measures an embedding (`private.queries`)."""

Floats = NDArray[np.float32]


@dataclass(frozen=True, eq=False, kw_only=True)
class MeanEmbedding:
    """A noisy mean embedding. The codes of all columns, D in total, are numbered as in `Targets.firsts`.

    Shapes: `factors[j]`: the codes of a column and float32[2, codes, f_j], the cosines and sines of its codes
    at the f_j frequencies that are not 0 for this column. `places`: intp[most columns of a frequency, F], the
    positions of the factors whose product is the value of each frequency, among all f_1 + f_2 + .. factors;
    the position after the last factor stands for the constant 1. `label`: the codes of the label, or None
    without a label. `means`, `weights`: float32[label's codes or 1, F, 2], per record. The weight is as in
    `Weighed`, and 0 if a product would contain two columns of the same structural zero. `sigma`: the noise,
    in counts, that a cell of a pair would have if the same privacy cost were spent equally on all pairs of
    the columns.
    """

    factors: tuple[tuple[slice, Floats], ...]
    places: NDArray[np.intp]
    label: slice | None
    means: Floats
    weights: Floats
    sigma: float

    @classmethod
    def of(cls, answer: NoisyNumbers, targets: Targets, blocks: Blocks) -> MeanEmbedding:
        """Convert a measurement of `private.queries.Embedding`."""
        requested, coarsening, domain = answer.requested, targets.coarsening, targets.domain
        names, turn, label = requested["clique"], requested["turn"], requested["label"]
        frequencies = np.array(requested["frequencies"], dtype=np.int64)
        factors: list[tuple[slice, Floats]] = []
        used: list[list[int]] = [[] for _ in frequencies]
        homes: list[list[int]] = [[blocks.home[domain.axis(label)]] if label else [] for _ in frequencies]
        found = 0
        for name, steps in zip(names, frequencies.T, strict=True):
            turning = np.flatnonzero(steps)
            axis, size = domain.axis(name), coarsening.domain.size([name])
            group_of = np.asarray(requested.get("groups", {}).get(name, range(size)))
            angles = group_of[:, None] * steps[turning] % turn * (2 * np.pi / turn)
            waves = np.stack([np.cos(angles), np.sin(angles)])
            shares = np.stack([coarsening.spread(row, (name,)) for row in np.eye(domain.sizes[axis])])
            factors.append((targets.span(axis), (shares @ waves).astype(np.float32)))
            for at, frequency in enumerate(turning, found):
                used[frequency].append(at)
                homes[frequency].append(blocks.home[axis])
            found += len(turning)
        most = max(1, *map(len, used))
        places = np.array([row + [found] * (most - len(row)) for row in used], dtype=np.intp).T
        is_product = np.array([len(set(h)) == len(h) for h in homes])
        weights = np.where(is_product[:, None], targets.total / answer.sigma**2, 0.0)
        return cls(
            factors=tuple(factors),
            places=places,
            label=targets.span(domain.axis(label)) if label else None,
            means=(answer.numbers / targets.total).astype(np.float32),
            sigma=answer.sigma * math.sqrt(max(1, math.comb(len(names), 2)) / len(frequencies)),
            weights=np.broadcast_to(weights, answer.values.shape).astype(np.float32),
        )


def embeddings_of(evidence: Evidence, targets: Targets, blocks: Blocks) -> Iterator[MeanEmbedding]:
    """Return all mean embeddings among the measurements."""
    for answer in evidence.numbers:
        if answer.requested.get("ask") == EMBEDDING:
            yield MeanEmbedding.of(answer, targets, blocks)

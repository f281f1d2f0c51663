"""What a noisy mean embedding says of a mixture of products, exactly and without drawing a record.

The mean of exp(2 pi i phase) over the records of one component is a product over the columns, since a
component draws every column by itself and a row's phase is a sum over them: for column j the mean of
exp(2 pi i frequency_j code) by its shares. So the embedding of a mixture is a polynomial of its shares, as
its tables are.
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
"""The kind of question (`private.queries`) that is answered by one."""

Floats = NDArray[np.float32]


@dataclass(frozen=True, eq=False, kw_only=True)
class MeanEmbedding:
    """A noisy mean embedding, in the numbering of all codes, D of them (`Targets.firsts`).

    Shapes: `factors[j]`: the codes of a column and float32[2, codes, f_j], the cosines and sines of its codes
    at the f_j frequencies that are not 0 there. `places`: intp[most columns of a frequency, F], which of all
    these f_1 + f_2 + .. factors make the product of each frequency; beyond the last one stands for 1.
    `label`: the codes of the label, None without one. `means`, `weights`: float32[label's codes or 1, F, 2],
    per record; the weight is that of `Weighed`, 0 where columns that zeros tie together would meet in a
    product. `sigma`: the noise in counts that a cell of a pair would have if the price had gone to all pairs
    of the columns alike.
    """

    factors: tuple[tuple[slice, Floats], ...]
    places: NDArray[np.intp]
    label: slice | None
    means: Floats
    weights: Floats
    sigma: float

    @classmethod
    def of(cls, answer: NoisyNumbers, targets: Targets, blocks: Blocks) -> MeanEmbedding:
        """What an answer to `private.queries.Embedding` says."""
        asked, coarsening, domain = answer.asked, targets.coarsening, targets.domain
        names, turn, label = asked["clique"], asked["turn"], asked["label"]
        frequencies = np.array(asked["frequencies"], dtype=np.int64)
        factors: list[tuple[slice, Floats]] = []
        used: list[list[int]] = [[] for _ in frequencies]
        homes: list[list[int]] = [[blocks.home[domain.axis(label)]] if label else [] for _ in frequencies]
        found = 0
        for name, steps in zip(names, frequencies.T, strict=True):
            turning = np.flatnonzero(steps)
            axis, size = domain.axis(name), coarsening.domain.size([name])
            group_of = np.asarray(asked.get("groups", {}).get(name, range(size)))
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
    """All mean embeddings among the answers."""
    for answer in evidence.numbers:
        if answer.asked.get("ask") == EMBEDDING:
            yield MeanEmbedding.of(answer, targets, blocks)

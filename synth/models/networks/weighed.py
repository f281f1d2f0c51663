"""Noisy shares and their weights in one numbering of all codes, which are the targets of networks and relaxed
rows.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from synth.core.domain import Clique
from synth.models.mixture.mixture_blocks import Blocks
from synth.models.targets import Targets

Floats = NDArray[np.float32]


class Weighed:
    """Noisy shares and their weights in the form of `NetworkTask`. Pairs inside one block are linear in the
    output, like columns. All other pairs are products.
    """

    def __init__(self, targets: Targets, blocks: Blocks) -> None:
        self.targets, self.blocks = targets, blocks
        codes, parts = int(targets.firsts[-1]), []
        self._rows: dict[tuple[int, ...], slice] = {(i,): targets.span(i) for i in range(len(targets.domain))}
        end = codes
        for pair in targets.pairs:
            if (inner := blocks.inner(*pair)) is not None:
                size = math.prod(targets.domain.sizes[i] for i in pair)
                self._rows[pair] = slice(end, end + size)
                end += size
                part = np.zeros((blocks.size, size), dtype=np.float32)
                part[np.arange(inner[0].start, inner[0].stop), inner[1]] = 1.0
                parts.append(part)
        is_plain = blocks.size == codes and all(len(block.columns) == 1 for block in blocks.blocks)
        own = blocks.cells(np.eye(codes, dtype=np.float32))
        self.spread = None if is_plain else np.concatenate([own, *parts], axis=1).astype(np.float32)
        self.linear, self.linear_weights = (np.zeros(end, dtype=np.float32) for _ in range(2))
        self.pairs, self.pair_weights = (np.zeros((codes, codes), dtype=np.float32) for _ in range(2))

    @property
    def task_fields(self) -> dict[str, Any]:
        """Return the fields of a `NetworkTask` that contain these shares and weights."""
        names = ("spread", "linear", "linear_weights", "pairs", "pair_weights")
        heads = tuple(len(block.cells) for block in self.blocks.blocks)
        return {"heads": heads, **{name: getattr(self, name) for name in names}}

    def add(self, axes: tuple[int, ...], share: NDArray[np.float64], weight: float) -> None:
        """Add a measurement to the weighted mean of a column or of a pair. The weights are summed."""
        if axes in self._rows:
            _add(self.linear, self.linear_weights, (self._rows[axes],), share.reshape(-1), weight)
            return
        one, other = (self.targets.span(i) for i in axes)
        _add(self.pairs, self.pair_weights, (one, other), share, weight)
        _add(self.pairs, self.pair_weights, (other, one), share.T, weight)

    def add_by_precision(self, newest: Clique | None = None) -> None:
        """Add all columns and pairs. With their weights per record, the loss is the likelihood of the noise.
        `newest` gets d times its weight.
        """
        targets = self.targets
        total, names = targets.total, targets.domain.names
        for i, sigma in enumerate(targets.sigmas):
            if math.isfinite(sigma):
                self.add((i,), targets.columns[i] / total, total / sigma**2)
        for (i, j), table in targets.pairs.items():
            boost = len(names) if (names[i], names[j]) == newest else 1
            self.add((i, j), table.counts / total, boost * total / table.sigma**2)


def _add(
    means: Floats, weights: Floats, block: tuple[slice, ...], share: NDArray[np.float64], weight: float
) -> None:
    before = weights[block]
    means[block] = (before * means[block] + weight * share) / (before + weight)
    weights[block] += weight

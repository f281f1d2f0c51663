"""Predict one column of a row from its other columns, with public integer weights.

With integers, a prediction depends only on the row and the weights, and not on the machine or the order of a
sum.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from synth.core.domain import Clique, Domain

LARGEST_WEIGHT = 1 << 30
"""Maximum absolute weight. With it, the sum of the weights of 2^32 columns fits into 64 bits."""

ROWS_AT_A_TIME = 1 << 16


@dataclass(frozen=True, eq=False, kw_only=True)
class Classifier:
    """A linear classifier. It predicts the label with the largest sum of weights, or the first such label in
    a tie.

    `clique` contains the label and the columns that predict it, in domain order. Shapes: `offsets:
    int64[labels]`; `weights[i]: int64[codes, labels]` for column i of the clique without the label.
    """

    label: str
    clique: Clique
    offsets: NDArray[np.int64]
    weights: tuple[NDArray[np.int64], ...]

    def fits(self, domain: Domain) -> bool:
        """Whether the columns, shapes and weights are valid for a classifier in this domain."""
        if (
            self.label not in self.clique
            or len(self.clique) < 2
            or any(name not in domain for name in self.clique)
        ):
            return False
        labels = domain.size((self.label,))
        shapes = [(domain.size((name,)), labels) for name in self.clique if name != self.label]
        tables = [self.offsets, *self.weights]
        return [table.shape for table in tables] == [(labels,), *shapes] and all(
            table.dtype == np.int64 and abs(int(extreme)) <= LARGEST_WEIGHT
            for table in tables
            for extreme in (table.min(), table.max())
        )

    def predicted(self, features: Sequence[NDArray[np.integer[Any]]]) -> NDArray[np.int64]:
        """Return the predicted code of the label.

        Shapes: `features[i]: int[rows]`, the codes of column i of the clique without the label; int64[rows].
        """
        total = np.tile(self.offsets, (len(features[0]), 1))
        for column, weights in zip(features, self.weights, strict=True):
            total += weights[column]
        return np.asarray(np.argmax(total, axis=1), dtype=np.int64)

    def hits(self, columns: Sequence[NDArray[np.integer[Any]]], guess: int) -> NDArray[np.int64]:
        """Count the rows whose label is predicted correctly, and the rows whose label is `guess`.

        Rows with a code outside the domain are in neither count. Shapes: `columns[i]: int[rows]`, the codes
        of column i of the clique; int64[2].
        """
        at = self.clique.index(self.label)
        sizes = np.array([len(weights) for weights in self.weights])
        sizes = np.insert(sizes, at, len(self.offsets))
        counts = np.zeros(2, dtype=np.int64)
        for start in range(0, len(columns[0]), ROWS_AT_A_TIME):
            codes = np.stack([column[start : start + ROWS_AT_A_TIME] for column in columns])
            codes = codes[:, (codes < sizes[:, None]).all(axis=0)]
            truth, features = codes[at], np.delete(codes, at, axis=0)
            counts += [(self.predicted(list(features)) == truth).sum(), (truth == guess).sum()]
        return counts

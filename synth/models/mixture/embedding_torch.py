"""Mean embeddings and half-space measurements of a mixture of products in torch. This module is imported only
for fits that use torch.
"""

from __future__ import annotations

import numpy as np
import torch

from synth.models.mixture.embedding import MeanEmbedding
from synth.models.mixture.half_spaces import LEAST_SOFTNESS, Planes


class ExpectedWaves:
    """The sum of the embeddings of rows of shares (`models.mixture.embedding`)."""

    def __init__(self, embedding: MeanEmbedding, device: str) -> None:
        self._factors = [
            (span, torch.as_tensor(np.ascontiguousarray(waves.transpose(0, 2, 1)), device=device))
            for span, waves in embedding.factors
        ]
        self._places = [torch.as_tensor(row, device=device) for row in embedding.places]
        self._label = embedding.label

    def __call__(self, codes: torch.Tensor) -> torch.Tensor:
        """Return a vector in the memory order of `MeanEmbedding.means`. Shapes: `codes` [rows, D], in which
        every column of a row is a distribution.
        """
        turned = codes.T
        ones = codes.new_ones(1, len(codes))
        cosines = torch.cat([*(waves[0] @ turned[span] for span, waves in self._factors), ones])
        sines = torch.cat([*(waves[1] @ turned[span] for span, waves in self._factors), 0 * ones])
        real, imaginary = (w.index_select(0, self._places[0]) for w in (cosines, sines))
        for places in self._places[1:]:
            cosine, sine = (w.index_select(0, places) for w in (cosines, sines))
            real, imaginary = real * cosine - imaginary * sine, real * sine + imaginary * cosine
        weights = ones if self._label is None else turned[self._label]
        return torch.stack([weights @ real.T, weights @ imaginary.T], dim=2).ravel()


class ExpectedSides:
    """The sum of the half-space measurements of rows of shares (`models.mixture.half_spaces`)."""

    def __init__(self, planes: Planes, device: str) -> None:
        self._weights, self._squares, self._thresholds = (
            torch.as_tensor(array, device=device)
            for array in (planes.weights, planes.squares, planes.thresholds)
        )
        self._columns, self._label = planes.columns, planes.label
        self.softness = LEAST_SOFTNESS

    def __call__(self, codes: torch.Tensor) -> torch.Tensor:
        """Return a vector in the memory order of `MeasuredSides.means`.

        Shapes: `codes` [rows, D], in which every column of a row is a distribution.
        """
        variance = codes @ self._squares
        for span in self._columns:
            variance = variance - (codes[:, span] @ self._weights[span]).square()
        deviation = (variance.clamp(min=0) + self.softness**2).sqrt()
        sides = torch.erf((codes @ self._weights - self._thresholds) / (2**0.5 * deviation))
        return sides.sum(dim=0) if self._label is None else (codes[:, self._label].T @ sides).ravel()

"""Mean embeddings of a mixture of products in torch. Imported only for fits that use torch."""

from __future__ import annotations

import numpy as np
import torch

from synth.models.mixture.embedding import MeanEmbedding


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
        """Return a vector in the memory order of `MeanEmbedding.means`. Shapes: `codes` [rows, D], where
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

"""The sides of half-spaces in torch. Imported where a mixture is fitted by torch alone."""

from __future__ import annotations

import torch

from synth.models.mixture.half_spaces import LEAST_SOFTNESS, Planes


class ExpectedSides:
    """Of rows of shares, the sum of their sides (`generate.half_spaces`)."""

    def __init__(self, planes: Planes, device: str) -> None:
        self._weights, self._squares, self._thresholds = (
            torch.as_tensor(array, device=device)
            for array in (planes.weights, planes.squares, planes.thresholds)
        )
        self._columns, self._label = planes.columns, planes.label
        self.softness = LEAST_SOFTNESS

    def __call__(self, codes: torch.Tensor) -> torch.Tensor:
        """Shapes: `codes` [rows, D], every column of a row a distribution; returns a vector, in the order in
        which `ToldSides.means` lies in memory."""
        variance = codes @ self._squares
        for span in self._columns:
            variance = variance - (codes[:, span] @ self._weights[span]).square()
        deviation = (variance.clamp(min=0) + self.softness**2).sqrt()
        sides = torch.erf((codes @ self._weights - self._thresholds) / (2**0.5 * deviation))
        return sides.sum(dim=0) if self._label is None else (codes[:, self._label].T @ sides).ravel()

"""Records of three columns, of which the first two are nearly on a line."""

import numpy as np
import torch

from synth.core.domain import Domain
from synth.models.targets import Pair

DOMAIN = Domain(("a", "b", "c"), (6, 4, 5))
PAIRS: list[Pair] = [(0, 1), (0, 2), (1, 2)]


def rows(n: int = 5000) -> np.ndarray:
    rng = np.random.default_rng(3)
    a = np.clip(rng.normal(3, 1.3, n), 0, 5.99)
    return np.stack([a, a * 0.6, rng.integers(0, 5, n)], axis=1).astype(np.int64)


def table(pair: Pair, codes: np.ndarray | None = None) -> np.ndarray:
    codes = rows() if codes is None else codes
    counts = np.zeros([DOMAIN.sizes[i] for i in pair], dtype=np.int64)
    np.add.at(counts, tuple(codes[:, i] for i in pair), 1)
    return counts


def shares() -> dict[Pair, np.ndarray]:
    return {pair: table(pair) / 5000 for pair in PAIRS}


def by_sorting(z: torch.Tensor, places: torch.Tensor, mass: torch.Tensor) -> torch.Tensor:
    """Return each particle's position minus that of the cell that contains its rank, along one direction."""
    order, rising = z.argsort(), places.argsort()
    middle = (torch.arange(len(z), dtype=torch.float64) + 0.5) / len(z)
    cell = torch.searchsorted(mass[rising].cumsum(0), middle).clamp(max=len(mass) - 1)
    return z - torch.empty_like(z).scatter_(0, order, places[rising][cell])

"""Signed tables become distributions."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from synth.core.domain import Domain
from synth.models.particles.signed_tables import ProjectionOptions, projected
from synth.models.targets import Pair
from tests.models.particles import literal

CPU = torch.device("cpu")
DOMAIN = Domain(("a", "b", "c"), (6, 4, 5))
PAIRS: list[Pair] = [(0, 1), (0, 2), (1, 2)]


def rows(n: int = 5000) -> np.ndarray:
    rng = np.random.default_rng(3)
    a = np.clip(rng.normal(3, 1.3, n), 0, 5.99)
    return np.stack([a, a * 0.6, rng.integers(0, 5, n)], axis=1).astype(np.int64)


def table(pair: Pair, codes: np.ndarray | None = None, domain: Domain = DOMAIN) -> np.ndarray:
    codes = rows() if codes is None else codes
    counts = np.zeros([domain.sizes[i] for i in pair], dtype=np.int64)
    np.add.at(counts, tuple(codes[:, i] for i in pair), 1)
    return counts


def shares() -> dict[Pair, np.ndarray]:
    return {pair: table(pair) / 5000 for pair in PAIRS}


def test_the_projection_finds_what_the_published_search_finds() -> None:
    rng = np.random.default_rng(0)
    u = np.outer([0.5, 0.3, 0.15, 0.05], [0.6, 0.3, 0.1])
    v = u + rng.normal(0, 0.03, u.shape)
    distance = {}
    slow = literal.projection(v, torch.Generator().manual_seed(0), iterations=60)
    for name, options in (
        ("fixed", ProjectionOptions()),
        ("random", ProjectionOptions(iterations=150, directions=50, is_fixed=False)),
    ):
        found = projected(
            {(0, 1): v},
            {},
            options=options,
            rng=torch.Generator().manual_seed(0),
            device=CPU,
            heard=lambda part: None,
        )[0, 1]
        assert found.min() >= 0 and found.sum() == pytest.approx(1)
        distance[name] = found
    fan = literal.directions_of(500, torch.Generator().manual_seed(9))
    exact = torch.as_tensor(v.ravel(), dtype=torch.float32)

    def apart(table: np.ndarray) -> float:
        w = torch.as_tensor(table.ravel(), dtype=torch.float32)
        return float(literal.signed_distance(w, exact, literal.grid_of(v.shape), fan))

    clipped = np.maximum(v, 0) / np.maximum(v, 0).sum()
    for found in distance.values():
        assert apart(found) < 1.05 * apart(slow) and apart(found) < apart(clipped)


def test_no_forbidden_cell_gets_mass_in_the_projection() -> None:
    allowed = np.ones((6, 4), dtype=bool)
    allowed[0, 3] = allowed[5, 0] = False
    noisy = {(0, 1): shares()[0, 1] + 0.01}
    options = ProjectionOptions(iterations=30)
    rng = torch.Generator().manual_seed(0)
    found = projected(noisy, {(0, 1): allowed}, options=options, rng=rng, device=CPU, heard=lambda part: None)
    assert (found[0, 1][~allowed] == 0).all()

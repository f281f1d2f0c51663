"""Signed tables become distributions."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from synth.models.particles import signed_tables
from synth.models.targets import Pair
from tests.models.particles import literal
from tests.models.particles.examples import shares


def projected(table: np.ndarray, allowed: np.ndarray) -> np.ndarray:
    pair: Pair = (0, 1)
    rng, device = torch.Generator().manual_seed(0), torch.device("cpu")
    found = signed_tables.projected(
        {pair: table}, {pair: allowed}, rng=rng, device=device, heard=lambda part: None
    )
    return found[pair]


def test_the_projection_finds_what_the_published_search_finds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(signed_tables, "ITERATIONS", 150)
    monkeypatch.setattr(signed_tables, "DIRECTIONS", 50)
    u = np.outer([0.5, 0.3, 0.15, 0.05], [0.6, 0.3, 0.1])
    v = u + np.random.default_rng(0).normal(0, 0.03, u.shape)
    slow = literal.projection(v, torch.Generator().manual_seed(0), iterations=60)
    found = projected(v, np.ones(v.shape, dtype=bool))
    assert found.min() >= 0 and found.sum() == pytest.approx(1)
    fan = literal.directions_of(500, torch.Generator().manual_seed(9))
    exact = torch.as_tensor(v.ravel(), dtype=torch.float32)

    def apart(table: np.ndarray) -> float:
        w = torch.as_tensor(table.ravel(), dtype=torch.float32)
        return float(literal.signed_distance(w, exact, literal.grid_of(v.shape), fan))

    clipped = np.maximum(v, 0) / np.maximum(v, 0).sum()
    assert apart(found) < 1.05 * apart(slow) and apart(found) < apart(clipped)


def test_no_forbidden_cell_gets_mass_in_the_projection(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(signed_tables, "ITERATIONS", 30)
    allowed = np.ones((6, 4), dtype=bool)
    allowed[0, 3] = allowed[5, 0] = False
    assert (projected(shares()[0, 1] + 0.01, allowed)[~allowed] == 0).all()

"""The published loop over tables, by itself."""

from __future__ import annotations

import numpy as np
import torch

from synth.bench import literal_particles as literal


def test_every_cell_gets_its_particles_and_they_come_nearer_to_them() -> None:
    u = np.array([[0.5, 0.1], [0.1, 0.3]])
    wanted = literal.quantised(u, 300, np.random.default_rng(0))
    assert len(wanted) == 300
    rng = torch.Generator().manual_seed(0)
    x = torch.rand(300, 2, generator=rng)
    fan = literal.directions_of(50, rng)
    _, before = literal.pair_gradient(x, wanted, fan)
    _, after = literal.pair_gradient(literal.descend(x, {(0, 1): wanted}, rng, epochs=100), wanted, fan)
    assert after < 0.3 * before


def test_a_pace_is_extrapolated_from_what_was_timed() -> None:
    literal.PARTICLES, whole = 500, literal.PARTICLES
    try:
        pace = literal.pace({(0, 1): np.full((2, 2), 0.25)}, 2, epochs=1, iterations=1)
    finally:
        literal.PARTICLES = whole
    assert pace.whole == pace.epoch * literal.EPOCHS + pace.projection

"""Particles become codes."""

from __future__ import annotations

import numpy as np

from synth.models.particles.particle_fit import nearest_centres


def test_a_particle_on_the_edge_is_in_the_last_cell() -> None:
    x = np.array([[0.0, 0.999, 1.0], [0.24, 0.26, 1.0]], dtype=np.float32)
    np.testing.assert_array_equal(nearest_centres(x, (3, 4)), [[0, 0], [2, 1], [2, 3]])

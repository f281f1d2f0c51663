"""The closest table of non-negative counts."""

import numpy as np
import pytest

from synth.models.estimates.simplex import project_onto_simplex


def test_the_projection_is_nearer_than_any_other_point_of_the_simplex() -> None:
    rng = np.random.default_rng(1)
    for _ in range(50):
        noisy = rng.normal(0, 40, 7)
        found = project_onto_simplex(noisy, 30.0)
        assert found.min() >= 0 and found.sum() == pytest.approx(30.0)
        others = rng.dirichlet(np.full(7, 0.3), 200) * 30.0
        assert ((found - noisy) ** 2).sum() <= ((others - noisy) ** 2).sum(axis=1).min() + 1e-9


def test_one_cell_takes_all_and_no_cell_is_refused() -> None:
    assert project_onto_simplex(np.array([-5.0]), 8.0).tolist() == [8.0]
    with pytest.raises(ValueError, match="at least one cell"):
        project_onto_simplex(np.empty(0), 8.0)

import numpy as np
import pytest

from synth.models.estimates.expected_distance import expected_distance


def test_a_clear_table_is_off_by_its_noise_and_a_hidden_one_by_what_it_holds() -> None:
    rng = np.random.default_rng(0)
    draws = np.abs(rng.normal(0, 3.0, (20_000, 8))).sum(axis=1)
    clear = expected_distance(np.full(8, 100.0), 3.0)
    assert abs(draws.mean() - clear) < 5 * draws.std() / np.sqrt(len(draws))
    assert expected_distance(np.array([1.0, 2.0, 0.0]), 100.0) == pytest.approx(3.0)

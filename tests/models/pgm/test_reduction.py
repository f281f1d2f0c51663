"""Planned sums."""

from itertools import product

import numpy as np
import pytest

from synth.models.pgm.reduction import reduction


@pytest.mark.parametrize("shape", [(), (4,), (2, 3), (5, 1, 4), (2, 3, 4, 5), (3, 2, 30, 2, 40)])
def test_every_choice_of_axes_is_numpys_sum(shape: tuple[int, ...]) -> None:
    table = np.random.default_rng(0).random(shape)
    for keep in product((False, True), repeat=len(shape)):
        expected = table.sum(axis=tuple(i for i, kept in enumerate(keep) if not kept))
        found = reduction(shape, keep)(table)
        assert found.shape == expected.shape
        assert np.allclose(found, expected, rtol=1e-13)


def test_exact_zeros_stay_exact() -> None:
    table = np.random.default_rng(1).random((7, 6, 90))
    table[:, 2] = 0.0
    table[..., 5] = 0.0
    assert not reduction((7, 6, 90), (False, True, False))(table)[2]
    assert not reduction((7, 6, 90), (True, False, True))(table)[:, 5].any()

import numpy as np
import pytest

from synth.core.domain import Domain
from synth.core.table import CodeTable
from synth.evaluate.covariance import covariance_error

DOMAIN = Domain(("a", "b"), (2, 4))


def test_the_error_is_relative_to_the_real_matrix_on_scaled_codes() -> None:
    a, b = np.array([0, 1] * 50), np.array([0, 3] * 50)
    real = CodeTable(DOMAIN, np.stack([a, b], axis=1))
    flipped = CodeTable(DOMAIN, np.stack([a, 3 - b], axis=1))
    # centres 1/4, 3/4 and 1/8, 7/8: variances 1/16 and 9/64, covariance 3/32 turned to -3/32
    norm = np.sqrt(1 / 16**2 + 81 / 64**2 + 2 * (3 / 32) ** 2)
    assert covariance_error(real, real) == 0.0
    assert covariance_error(real, flipped) == pytest.approx(np.sqrt(2) * 6 / 32 / norm)


def test_what_cannot_be_compared_is_refused() -> None:
    flat = CodeTable(DOMAIN, np.zeros((5, 2), dtype=int))
    empty = CodeTable(DOMAIN, np.empty((0, 2), dtype=int))
    other = CodeTable(Domain(("a", "b"), (2, 5)), flat.codes)
    for real, synthetic in ((flat, flat), (flat, empty), (other, flat)):
        with pytest.raises(ValueError):
            covariance_error(real, synthetic)

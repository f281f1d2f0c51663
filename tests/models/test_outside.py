import numpy as np
import pytest

from synth.models import outside
from synth.models.outside import outside_tables, ridged

MODEL = np.array([[50.0, 30.0], [15.0, 5.0]])


@pytest.mark.parametrize("chunk", [1, 8, 1 << 16])
def test_tables_are_corrected_as_if_alone_and_keep_their_margins(
    monkeypatch: pytest.MonkeyPatch, chunk: int
) -> None:
    monkeypatch.setattr(outside, "CHUNK", chunk)
    wide = np.array([[40.0, 10.0, 30.0], [5.0, 10.0, 5.0]])
    expected, sigmas = [MODEL, wide, 2 * MODEL, MODEL], [3.0, 1.0, 9.0, 50.0]
    noisy = [np.array([[70.0, 10.0], [2.0, 18.0]]), 80 - wide, MODEL, MODEL.T]
    found = outside_tables(expected, noisy, sigmas, ridge=0.5, total=100.0)
    for one in zip(expected, noisy, sigmas, found, strict=True):
        (alone,) = outside_tables(*([x] for x in one[:3]), ridge=0.5, total=100.0)
        np.testing.assert_allclose(one[3], alone, rtol=1e-5)
        for axis in (0, 1):
            np.testing.assert_allclose(one[3].sum(axis=axis), one[0].sum(axis=axis), rtol=1e-6)


def test_little_noise_is_believed_and_much_noise_is_not() -> None:
    noisy = np.array([[65.0, 15.0], [0.0, 20.0]])
    np.testing.assert_allclose(ridged(MODEL, noisy, 1e-3), noisy, atol=0.1)
    np.testing.assert_allclose(ridged(MODEL, noisy, 1e5), MODEL, atol=0.1)


def test_a_large_cell_far_above_the_model_is_found_from_the_right() -> None:
    """From zero, the first step of Newton's method would be to exp(9,999)."""
    found = ridged(np.array([1.0, 9999.0]), np.array([10_000.0, 0.0]), 1.0)
    assert found[0] > 9000 and np.isfinite(found).all()


def test_what_the_model_holds_impossible_stays_so() -> None:
    model = np.array([[0.0, 30.0], [15.0, 5.0]])
    assert ridged(model, np.full((2, 2), 40.0), 2.0)[0, 0] == 0.0

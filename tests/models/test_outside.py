import numpy as np

from synth.models.outside import outside_table

MODEL = np.array([[50.0, 30.0], [15.0, 5.0]])


def test_margins_stay_those_of_the_model() -> None:
    found = outside_table(MODEL, np.array([[70.0, 10.0], [2.0, 18.0]]), 3.0)
    np.testing.assert_allclose(found.sum(axis=0), MODEL.sum(axis=0), rtol=1e-6)
    np.testing.assert_allclose(found.sum(axis=1), MODEL.sum(axis=1), rtol=1e-6)


def test_little_noise_is_believed_and_much_noise_is_not() -> None:
    noisy = np.array([[65.0, 15.0], [0.0, 20.0]])
    np.testing.assert_allclose(outside_table(MODEL, noisy, 1e-3), noisy, atol=0.1)
    np.testing.assert_allclose(outside_table(MODEL, noisy, 1e5), MODEL, atol=0.1)


def test_a_large_cell_far_above_the_model_is_found_from_the_right() -> None:
    """From zero, the first step of Newton's method would be to exp(9,999)."""
    model = np.array([[1.0, 9999.0], [9999.0, 1.0]])
    noisy = np.array([[10_000.0, 0.0], [0.0, 10_000.0]])
    found = outside_table(model, noisy, 1.0)
    assert found[0, 0] > 9000 and np.isfinite(found).all()


def test_what_the_model_holds_impossible_stays_so() -> None:
    model = np.array([[0.0, 30.0], [15.0, 5.0]])
    assert outside_table(model, np.full((2, 2), 40.0), 2.0)[0, 0] == 0.0

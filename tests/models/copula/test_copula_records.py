import numpy as np

from synth.models.copula.copula_records import copula_codes
from synth.models.copula.correlations import Correlations


def test_columns_are_exact_and_codes_follow_the_latent_variables() -> None:
    columns = [np.array([10.0, 30.0, 60.0]), np.array([50.0, 50.0, 0.0])]
    matrix = np.array([[1.0, 0.8], [0.8, 1.0]])
    orders = np.arange(3), np.array([1, 0, 2])
    correlations = Correlations(matrix=matrix, sigmas=np.full((2, 2), np.inf), orders=orders)
    codes = copula_codes(correlations, columns, 2000, np.random.default_rng(0))
    for i, counts in enumerate(columns):
        have = np.bincount(codes[:, i], minlength=3)
        assert np.abs(have - counts * 20).max() <= 1
    assert np.corrcoef(codes[:, 0], codes[:, 1] == 0)[0, 1] > 0.4, "code 0 of the second column lies above 1"
    assert copula_codes(correlations, columns, 0, np.random.default_rng(0)).shape == (0, 2)

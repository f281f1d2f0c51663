import math
from fractions import Fraction

import numpy as np
import pytest

from synth.core.measurements.noisy import Choice, Measurement, NoisyNumbers, NoisyScores
from synth.private.scores import L1Gap
from tests.models.examples import measurement


def test_a_measurement_holds_integers_by_type() -> None:
    with pytest.raises(TypeError):
        Measurement(clique=("a",), counts=np.zeros(2), variance=Fraction(1), units=1)  # type: ignore[arg-type]
    with pytest.raises(ValueError):
        measurement(("a",), np.zeros((2, 2), np.int64))


def test_noisy_numbers_are_integers_in_fixed_point() -> None:
    stated = {"requested": {"ask": "sum"}, "variance": Fraction(64), "units": 1}
    answer = NoisyNumbers(values=np.array([12, -4]), scale=8, **stated)  # type: ignore[arg-type]
    assert answer.numbers.tolist() == [1.5, -0.5] and answer.sigma == 1.0
    with pytest.raises(TypeError):
        NoisyNumbers(values=np.array([0.5]), **stated)  # type: ignore[arg-type]
    with pytest.raises(ValueError):
        answer.values[0] = 0


def test_sigma_and_rho_come_from_the_exact_record() -> None:
    m = measurement(("a",), np.zeros(2, np.int64), Fraction(9, 4), units=5 * 10**11)
    assert m.sigma == 1.5 and m.rho == pytest.approx(0.5, rel=1e-15)
    with pytest.raises(ValueError):
        m.counts[0] = 1


def test_a_coarse_measurement_sums_fine_tables_to_its_own_cells() -> None:
    coarse = measurement(("a", "b"), np.zeros((2, 2), np.int64), groups={"b": (0, 1, 0)})
    fine = np.array([[1.0, 2.0, 4.0], [8.0, 16.0, 32.0]])
    assert coarse.coarsen(fine).tolist() == [[5.0, 2.0], [40.0, 16.0]]
    plain = measurement(("a",), np.zeros(2, np.int64))
    assert plain.coarsen(fine[0, :2]).tolist() == [1.0, 2.0]


def test_a_choice_keeps_the_winners_estimate_when_it_forgets() -> None:
    score = L1Gap((("a",), ("b",)), (np.ones(2), np.ones(3)), (1, 1), (0.0, 0.0))
    choice = Choice(score=score, index=1, units=1, epsilon=0.1, swing=2, part="m", step=0)
    lighter = choice.forget([("a",), ("b",)])
    assert lighter.clique == ("b",)
    assert [e.size for e in lighter.score.estimates] == [0, 3]  # type: ignore[attr-defined]


def test_likely_scores_lose_the_part_of_their_spread_that_is_noise() -> None:
    """The variance of the values is 500. Noise of variance 125 removes a quarter of each distance from the
    mean, and noise of variance 500 or more removes all of it.
    """
    values = np.array([70.0, 90.0, 110.0, 130.0])

    def likely(sigma: float) -> list[float]:
        score = L1Gap((), (), (), ())
        answer = NoisyScores(
            score=score, values=values, variance=Fraction(sigma) ** 2, units=1, part="m", step=0
        )
        return answer.likely.tolist()

    assert likely(0.0) == values.tolist()
    assert likely(math.sqrt(125)) == pytest.approx([77.5, 92.5, 107.5, 122.5])
    assert likely(math.sqrt(500)) == pytest.approx([100.0] * 4) == likely(1e6)

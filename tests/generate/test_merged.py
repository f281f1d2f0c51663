from __future__ import annotations

from fractions import Fraction

import numpy as np

from synth.generate.coarse import merged
from synth.generate.pgm import Estimate

AB, B = ("a", "b"), ("b",)


def estimate(clique: tuple[str, ...], count: float, variance: int) -> Estimate:
    return Estimate(clique, np.full((2,) * len(clique), count), Fraction(variance))


def test_answers_about_the_same_are_averaged_by_precision_in_their_order() -> None:
    one, other = merged([estimate(AB, 10.0, 4), estimate(B, 7.0, 9), estimate(AB, 40.0, 2)])
    assert (one.clique, one.variance) == (AB, Fraction(4, 3))
    np.testing.assert_allclose(one.counts, 30.0)
    assert (other.clique, other.variance) == (B, Fraction(9))
    np.testing.assert_allclose(other.counts, 7.0)

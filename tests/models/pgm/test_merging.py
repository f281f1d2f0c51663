"""Merged measurements, and structural zeros as factors."""

from fractions import Fraction

import numpy as np
import pytest

from synth.core.domain import Domain
from synth.core.measurements.noisy import Measurement
from synth.core.zeros import Zero
from synth.models.pgm.merging import Estimate, in_layout, merge, merged, zero_factors
from tests.models.examples import measurement

DOMAIN = Domain(("a", "b"), (3, 2))  # laid out as (b, a)


def measured(clique: tuple[str, ...], counts: object, variance: int | Fraction) -> Measurement:
    return measurement(clique, counts, variance)


def test_repeats_are_weighted_by_the_inverse_variance() -> None:
    first, second = measured(("b",), [10, 20], 4), measured(("b",), [40, 20], 16)
    (merged,) = merge(DOMAIN, [first, second])
    assert merged.counts == pytest.approx([16, 20])  # (10/4 + 40/16) / (1/4 + 1/16)
    assert merged.sigma == pytest.approx((1 / (1 / 4 + 1 / 16)) ** 0.5)


def test_tables_are_turned_into_the_layout_whatever_order_they_came_in() -> None:
    table = np.arange(6).reshape(3, 2)
    (merged,) = merge(DOMAIN, [measured(("a", "b"), table, 1), measured(("b", "a"), table.T, 1)])
    assert merged.clique == ("a", "b") and np.allclose(merged.counts, table.T)
    assert in_layout(DOMAIN, ("a", "b")) == (1, 0) and in_layout(DOMAIN, ("b", "a")) == (0, 1)


def test_what_does_not_fit_is_refused() -> None:
    with pytest.raises(ValueError, match="another shape"):
        merge(DOMAIN, [measured(("b",), [1, 2, 3], 1)])
    with pytest.raises(ValueError, match="positive"):
        merge(DOMAIN, [measured(("b",), [1, 2], 0)])
    with pytest.raises(ValueError, match="another shape"):
        zero_factors(DOMAIN, [Zero(("a",), np.zeros(2, dtype=bool))])


def test_zeros_of_one_clique_are_joined() -> None:
    first, second = np.zeros((3, 2), dtype=bool), np.zeros((2, 3), dtype=bool)
    first[2, 0] = second[1, 0] = True
    factors = zero_factors(DOMAIN, [Zero(("a", "b"), first), Zero(("b", "a"), second)])
    expected = np.zeros((2, 3))
    expected[0, 2] = expected[1, 0] = -np.inf
    assert list(factors) == [("a", "b")] and np.array_equal(factors["a", "b"], expected)


def test_an_estimate_is_merged_like_an_answer_and_brings_its_ridge() -> None:
    estimate = Estimate(("b",), np.array([10.5, 20.0]), Fraction(4), ridge=3.0)
    (merged,) = merge(DOMAIN, [estimate, measured(("b",), [40, 20], 4)])
    assert merged.counts == pytest.approx([25.25, 20]) and merged.ridge == pytest.approx(2.0)
    (alone,) = merge(DOMAIN, [measured(("b",), [40, 20], 4)])
    assert alone.ridge == 1.0


def test_answers_about_the_same_are_averaged_by_precision_in_their_order() -> None:
    requested = [
        Estimate(clique, np.full((2,) * len(clique), count), Fraction(variance))
        for clique, count, variance in ((("a", "b"), 10.0, 4), (("b",), 7.0, 9), (("a", "b"), 40.0, 2))
    ]
    one, other = merged(requested)
    assert (one.clique, one.variance) == (("a", "b"), Fraction(4, 3))
    np.testing.assert_allclose(one.counts, 30.0)
    assert (other.clique, other.variance) == (("b",), Fraction(9))
    np.testing.assert_allclose(other.counts, 7.0)

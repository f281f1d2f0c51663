"""Test interactions: contrasts are coordinates of the part of a table that its margins do not determine."""

from fractions import Fraction
from functools import reduce
from itertools import combinations
from math import prod

import numpy as np
import pytest

from synth.core.measurements.interactions import (
    contrasted,
    contrasts,
    interaction,
    part_of_price,
    squared_lengths,
)

SHAPES = [(2,), (5,), (2, 2), (2, 3), (4, 2, 3)]


def counts(shape: tuple[int, ...]) -> np.ndarray:
    return np.random.default_rng(0).integers(0, 1000, shape)


@pytest.mark.parametrize("size", [2, 3, 7])
def test_rows_are_orthogonal_and_kill_constants(size: int) -> None:
    own = contrasts(size)
    assert own.shape == (size - 1, size) and not own.sum(axis=1).any()
    np.testing.assert_array_equal(own @ own.T, np.diag(squared_lengths((size,))))


@pytest.mark.parametrize("shape", SHAPES)
def test_a_table_is_the_sum_of_all_interactions_inside_it(shape: tuple[int, ...]) -> None:
    table, axes = counts(shape), range(len(shape))
    whole = np.full(shape, table.sum() / table.size)
    for inside in (c for many in axes for c in combinations(axes, many + 1)):
        inner = table.sum(axis=tuple(axis for axis in axes if axis not in inside), keepdims=True)
        own = tuple(size for size in inner.shape if size > 1)
        effect = interaction(contrasted(inner.reshape(own)), own)
        whole += effect.reshape(inner.shape) * (effect.size / table.size)
    np.testing.assert_allclose(whole, table, atol=1e-9)


@pytest.mark.parametrize("shape", SHAPES)
def test_every_record_has_the_same_length_in_contrasts_over_lengths(shape: tuple[int, ...]) -> None:
    assert part_of_price(shape) == prod(Fraction(size - 1, size) for size in shape)
    for cell in range(prod(shape)):
        record = np.zeros(prod(shape), dtype=np.int64)
        record[cell] = 1
        numbers = contrasted(record.reshape(shape))
        squares = zip(numbers.ravel().tolist(), squared_lengths(shape).ravel().tolist(), strict=True)
        assert sum(Fraction(n * n, length) for n, length in squares) == part_of_price(shape)


@pytest.mark.parametrize("shape", SHAPES)
def test_noise_of_an_interaction_is_the_same_in_every_direction(shape: tuple[int, ...]) -> None:
    """The covariance is the projection that removes means."""
    free = tuple(size - 1 for size in shape)
    covariance = np.zeros((prod(shape), prod(shape)))
    for place in np.ndindex(free):
        numbers = np.zeros(free, dtype=np.int64)
        numbers[place] = 1
        moved = interaction(numbers, shape).ravel()
        covariance += squared_lengths(shape)[place] * np.outer(moved, moved)
    projection = reduce(np.kron, [np.eye(size) - 1 / size for size in shape])
    np.testing.assert_allclose(covariance, projection, atol=1e-12)
    assert np.diag(covariance)[0] == pytest.approx(float(part_of_price(shape)))

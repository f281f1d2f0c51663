"""Small factors are added before they are multiplied, without any other effect."""

import math
from collections.abc import Sequence
from itertools import combinations

import numpy as np
import pytest

from synth.core.domain import Domain
from synth.models.pgm import bundles
from synth.models.pgm.bundles import Bundles
from synth.models.pgm.tree import JunctionTree


def whole(sizes: Sequence[int]) -> JunctionTree:
    """Return a tree with one clique of all columns."""
    names = tuple(f"c{i:02d}" for i in range(len(sizes)))
    return JunctionTree.of(Domain(names, tuple(sizes)), [(1 << len(sizes)) - 1])


def pairs(columns: int) -> list[int]:
    return [1 << a | 1 << b for a, b in combinations(range(columns), 2)]


def cells(tree: JunctionTree, masks: Sequence[int]) -> list[int]:
    return [math.prod(tree.shape(mask)) for mask in masks]


def test_many_pairs_of_few_cells_share_few_tables() -> None:
    tree, factors = whole([2] * 16), [*(1 << i for i in range(16)), *pairs(16)]
    found = Bundles.of(tree, factors, [0] * len(factors), len(factors))
    assert found.measured == len(found.masks) <= 8
    assert max(cells(tree, found.masks)) <= bundles.MOST_CELLS
    assert all(any(f & ~mask == 0 for mask in found.masks) for f in factors)


def test_large_tables_stay_alone() -> None:
    tree, factors = whole([40, 30, 50]), [0b011, 0b110, 0b101, 0b001]
    found = Bundles.of(tree, factors, [0] * 4, 4)
    assert found.masks == tuple(factors) and found.adding is None and found.summing is None
    vector = np.arange(5.0)
    assert found.add(vector) is vector and found.sum(vector) is vector


def test_one_call_saved_is_not_worth_a_matrix_over_large_tables() -> None:
    tree, small = whole([90, 80, 2, 3]), [0b1100, 0b0100]
    assert Bundles.of(tree, small, [0] * 2, 2).masks == (0b1100,)
    mixed = [*small, 0b0011]
    assert Bundles.of(tree, mixed, [0] * 3, 3).masks == tuple(mixed)


def test_factors_with_different_homes_are_not_mixed() -> None:
    tree = JunctionTree.of(Domain(("a", "b", "c"), (2, 2, 2)), [0b011, 0b110])
    found = Bundles.of(tree, [0b001, 0b011, 0b010, 0b110, 0b100], [0, 0, 0, 1, 1], 5)
    assert found.masks == (0b011, 0b110)


@pytest.mark.parametrize("seed", range(8))
def test_logarithms_are_added_and_marginals_summed(seed: int) -> None:
    rng = np.random.default_rng(seed)
    tree = whole(rng.integers(1, 5, 7).tolist())
    every_column, shape_of_all = 0b1111111, tree.shape(0b1111111)
    every = [*pairs(7), *(1 << i for i in range(7)), 0b111, 0b1110000]
    factors = [every[i] for i in rng.permutation(len(every))]
    measured = len(factors) - 3
    found = Bundles.of(tree, factors, [0] * len(factors), measured)
    assert found.adding is not None and len(found.masks) < len(factors)
    assert found.masks[found.measured :] == tuple(factors[measured:])
    logs = [rng.normal(size=tree.shape(mask)) for mask in factors]
    logs[-1][rng.random(logs[-1].shape) < 0.3] = -math.inf
    flat = np.concatenate([table.reshape(-1) for table in logs])
    added = np.split(found.add(flat), np.cumsum(cells(tree, found.masks)))[:-1]

    def over_all(mask: int, table: np.ndarray) -> np.ndarray:
        shape = [
            n if mask >> i & 1 else 1 for i, n in zip(tree.layout(every_column), shape_of_all, strict=True)
        ]
        return np.broadcast_to(table.reshape(shape), shape_of_all)

    bundled = sum(over_all(mask, table) for mask, table in zip(found.masks, added, strict=True))
    assert np.allclose(bundled, sum(over_all(mask, t) for mask, t in zip(factors, logs, strict=True)))

    joint = rng.dirichlet(np.ones(math.prod(shape_of_all))).reshape(shape_of_all)

    def marginal(mask: int) -> np.ndarray:
        lost = tuple(axis for axis, i in enumerate(tree.layout(every_column)) if not mask >> i & 1)
        return joint.sum(axis=lost).reshape(-1)

    sums = found.sum(np.concatenate([marginal(mask) for mask in found.masks[: found.measured]]))
    # several bundles may hold a factor's columns, but only one of them holds the factor
    assert np.allclose(sums, np.concatenate([marginal(mask) for mask in factors[:measured]]))

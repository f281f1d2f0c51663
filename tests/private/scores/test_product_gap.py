"""The gap to a product of columns is that to its table, and is kept in as few numbers as its columns have."""

import numpy as np
import pytest

from synth.core.domain import Domain
from synth.private.scores import L1Gap, ProductGap, Products

NAMES, SIZES = ("a", "b", "c", "d"), (3, 2, 4, 5)
DOMAIN = Domain(NAMES, SIZES)


def example(rng: np.random.Generator) -> tuple[ProductGap, list[tuple[int, ...]]]:
    """Pairs and a triple, with weights and penalties (`tests/contracts/test_every_score.py`)."""
    cliques = (("a", "b"), ("a", "d"), ("b", "c"), ("b", "c", "d"))
    columns = {name: rng.random(size) * 10 for name, size in zip(NAMES, SIZES, strict=True)}
    score = ProductGap(
        cliques,
        Products.of(cliques, columns, float(rng.random() * 20)),
        tuple(int(w) for w in rng.integers(0, 1024, size=4)),
        tuple(rng.random(4) * 5),
    )
    return score, [DOMAIN.shape(r) for r in cliques]


def as_tables(score: ProductGap) -> L1Gap:
    return L1Gap(score.cliques, tuple(score.estimates), score.weights, score.penalties)


@pytest.mark.parametrize("seed", range(5))
def test_its_values_and_bounds_are_those_of_the_tables(seed: int) -> None:
    rng = np.random.default_rng(seed)
    score, shapes = example(rng)
    tables = as_tables(score)
    for i, shape in enumerate(shapes):
        counts = rng.integers(0, 100, shape)
        assert score.value(i, counts) == tables.value(i, counts)
        a, *others = (score.estimates.columns[name] for name in score.cliques[i])
        expected = a
        for other in others:
            expected = np.multiply.outer(expected, other / score.estimates.total)
        assert np.allclose(score.estimates[i], expected)
    assert (score.sensitivity(3), score.swing(3)) == (tables.sensitivity(3), tables.swing(3))
    assert score.fits(DOMAIN) and tables.fits(DOMAIN)
    assert score.applies_to(DOMAIN, score.cliques) == tables.applies_to(DOMAIN, score.cliques)
    assert not score.applies_to(DOMAIN.with_sizes({"b": 7}), score.cliques)


def test_a_value_that_64_bits_do_not_hold_is_no_small_one() -> None:
    columns = {"a": np.array([1.0, 1.0]), "b": np.array([1.0, 1.0])}
    score = ProductGap((("a", "b"),), Products((("a", "b"),), columns, 2.0), (1 << 20,), (0.0,))
    with pytest.raises(OverflowError):
        score.by_gaps(np.array([1 << 44]))


@pytest.mark.parametrize("number", [np.inf, np.nan, 1e18])
def test_numbers_that_fixed_point_does_not_hold_are_no_question(number: float) -> None:
    score, _ = example(np.random.default_rng(0))
    bad = np.array([number, 1.0])
    columns = Products(score.cliques, {**score.estimates.columns, "b": bad}, score.estimates.total)
    assert not ProductGap(score.cliques, columns, (1,) * 4, (0.0,) * 4).fits(DOMAIN)
    total = Products(score.cliques, score.estimates.columns, number)
    assert not ProductGap(score.cliques, total, (1,) * 4, (0.0,) * 4).fits(DOMAIN)


def test_estimates_of_other_cliques_are_no_question() -> None:
    score, _ = example(np.random.default_rng(0))
    others = Products((("c", "d"), *score.cliques[1:]), score.estimates.columns, score.estimates.total)
    assert not ProductGap(score.cliques, others, (1,) * 4, (0.0,) * 4).fits(DOMAIN)
    assert not score.fits(DOMAIN.with_sizes({"c": 3})) and not score.fits(DOMAIN.project(("a", "b", "c")))


def test_a_clique_of_a_column_without_counts_is_no_question() -> None:
    score, _ = example(np.random.default_rng(0))
    columns = {name: counts for name, counts in score.estimates.columns.items() if name != "d"}
    bare = Products(score.cliques, columns, score.estimates.total)
    assert not ProductGap(score.cliques, bare, score.weights, score.penalties).fits(DOMAIN)

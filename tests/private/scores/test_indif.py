import numpy as np
import pytest

from synth.private.scores import SCALE, InDif

INDIF = InDif((("a", "b"), ("b", "c")))


def example(rng: np.random.Generator) -> tuple[InDif, list[tuple[int, ...]]]:
    """Pairs of columns of any sizes (`tests/contracts/test_every_score.py`)."""
    score = InDif(cliques=tuple((f"a{i}", f"b{i}") for i in range(4)))
    return score, [tuple(int(n) for n in rng.integers(1, 6, size=2)) for _ in score.cliques]


def test_one_record_moves_an_indif_by_nearly_four_and_pairs_apart_by_twice_that() -> None:
    alike = np.array([[10**6, 0], [0, 0]])
    moved = alike + np.array([[0, 0], [0, 1]])
    step = INDIF.value(0, moved) - INDIF.value(0, alike)
    assert 3.99 * SCALE < step <= INDIF.sensitivity(1) == 4 * SCALE
    assert INDIF.swing(1) == 8 * SCALE and INDIF.sensitivity(3) == 12 * SCALE


def test_an_indif_is_exact_where_products_of_counts_no_longer_fit_64_bits() -> None:
    counts = np.diag([2**33, 2**33])
    assert INDIF.value(0, counts) == 2**34 * SCALE
    assert INDIF.value(0, np.diag([2**30 - 1, 2**30])) == INDIF.value(0, np.diag([2**30, 2**30 - 1]))


def test_an_indif_is_asked_of_pairs_only() -> None:
    with pytest.raises(ValueError, match="pairs"):
        InDif((("a", "b"), ("a",)))


def test_an_indif_is_the_distance_to_independence_in_counts() -> None:
    counts = np.array([[30, 10, 5], [0, 25, 30]])
    n = counts.sum()
    expected = np.abs(counts - np.outer(counts.sum(axis=1), counts.sum(axis=0)) / n).sum()
    assert INDIF.value(0, counts) == int(np.floor(expected * SCALE))
    assert INDIF.value(0, np.outer([2, 3], [4, 5, 6])) == 0
    assert INDIF.value(0, np.zeros((2, 3), dtype=np.int64)) == 0

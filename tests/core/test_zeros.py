import numpy as np
import pytest

from synth.core.domain import Domain
from synth.core.zeros import Zero, allowed_cells, allowed_count

DOMAIN = Domain(("a", "b", "c"), (2, 3, 2))


def test_zeros_inside_a_clique_forbid_and_others_do_not() -> None:
    ab = np.zeros((2, 3), dtype=bool)
    ab[1, 2] = True
    c = np.array([False, True])
    zeros = (Zero(("a", "b"), ab), Zero(("c",), c))
    allowed = allowed_cells(DOMAIN, ("a", "b", "c"), zeros)
    expected = np.array([[[not (ab[i, j] or c[k]) for k in range(2)] for j in range(3)] for i in range(2)])
    assert (allowed == expected).all()
    assert allowed_cells(DOMAIN, ("a",), zeros).all()


def test_the_count_of_allowed_cells_is_that_of_the_table() -> None:
    rng = np.random.default_rng(0)
    cliques = [("a",), ("c",), ("b", "a"), ("a", "b", "c"), ("b", "c"), ("a", "c")]
    for _ in range(50):
        zeros = [Zero(r, rng.random(DOMAIN.shape(r)) < 0.4) for r in cliques if rng.random() < 0.4]
        for r in [(), ("a",), ("a", "b"), ("a", "c"), ("a", "b", "c")]:
            assert allowed_count(DOMAIN, r, zeros) == allowed_cells(DOMAIN, r, zeros).sum()


def test_no_table_is_made_of_columns_that_no_zero_ties() -> None:
    domain = Domain(("a", "b", "c", "d"), (10**6, 10**6, 2, 3))
    never = np.zeros(10**6, dtype=bool)
    never[-1] = True
    zeros = (Zero(("a",), never), Zero(("c", "d"), np.eye(2, 3, dtype=bool)))
    assert allowed_count(domain, ("a", "b", "c", "d"), zeros) == (10**6 - 1) * 10**6 * 4


def test_a_zero_needs_booleans_of_the_right_rank() -> None:
    with pytest.raises(ValueError):
        Zero(("a",), np.zeros(2))  # type: ignore[arg-type]
    with pytest.raises(ValueError):
        Zero(("a",), np.zeros((2, 3), dtype=bool))

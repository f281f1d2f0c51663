import numpy as np
import pytest

from synth.domain import Domain
from synth.zeros import Zero, allowed_cells

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


def test_a_zero_written_in_another_order_means_the_same_cells() -> None:
    ba = np.zeros((3, 2), dtype=bool)
    ba[2, 1] = True
    allowed = allowed_cells(DOMAIN, ("a", "b"), (Zero(("b", "a"), ba),))
    assert not allowed[1, 2] and allowed.sum() == 5


def test_a_zero_needs_booleans_of_the_right_rank() -> None:
    with pytest.raises(ValueError):
        Zero(("a",), np.zeros(2))  # type: ignore[arg-type]
    with pytest.raises(ValueError):
        Zero(("a",), np.zeros((2, 3), dtype=bool))

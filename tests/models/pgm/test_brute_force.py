"""The brute-force reference compared with values computed by hand."""

import math

import numpy as np
import pytest

from synth.core.domain import Domain
from tests.models.pgm import brute_force

DOMAIN = Domain(("a", "b", "c"), (2, 3, 2))


def test_a_model_small_enough_for_paper() -> None:
    factors = [(("a",), np.log([1.0, 3.0])), (("c", "a"), np.log([[1.0, 1.0], [1.0, 2.0]]))]
    # weights summed over b (3 values): a=0: (1+1)*1*3 = 6, a=1: (1+2)*3*3 = 27
    assert brute_force.log_partition(DOMAIN, factors) == pytest.approx(math.log(33))
    table = brute_force.distribution(DOMAIN, factors)
    assert brute_force.project(DOMAIN, table, ("a",)) == pytest.approx([6 / 33, 27 / 33])
    assert brute_force.project(DOMAIN, table, ("c", "a")) == pytest.approx(np.array([[3, 9], [3, 18]]) / 33)


def test_impossible_cells_have_no_probability() -> None:
    table = brute_force.distribution(DOMAIN, [(("b",), np.array([0.0, -math.inf, 5.0]))])
    assert table[:, 1].sum() == 0.0 and table.sum() == pytest.approx(1.0)

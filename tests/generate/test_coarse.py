from fractions import Fraction

import numpy as np
import pytest

from synth.answers import Measurement
from synth.axis import Grouping
from synth.domain import Domain
from synth.generate.coarse import Coarsening, common_groups
from synth.zeros import Zero

DOMAIN = Domain(("a", "b"), (4, 2))
COARSENING = Coarsening(DOMAIN, (Grouping(column="a", group_of=(0, 0, 1, 2), weights=(3.0, 1.0, 0.0, 5.0)),))


def test_spreading_a_table_undoes_summing_it() -> None:
    assert COARSENING.coarse.sizes == (3, 2)
    coarse = np.array([[8.0, 4.0], [1.0, 0.0], [2.0, 3.0]])
    fine = COARSENING.spread(coarse, ("a", "b"))
    assert fine.tolist() == [[6.0, 3.0], [2.0, 1.0], [1.0, 0.0], [2.0, 3.0]]
    np.testing.assert_allclose(COARSENING.sum(fine, ("a", "b")), coarse)
    np.testing.assert_allclose(COARSENING.spread(coarse.T, ("b", "a")), fine.T)


def test_records_come_back_within_their_groups_in_proportion() -> None:
    codes = np.stack([np.repeat([0, 1, 2], [400, 5, 5]), np.zeros(410, dtype=np.int64)], axis=1)
    fine = COARSENING.refine(codes, np.random.default_rng(0))
    assert (np.asarray((0, 0, 1, 2))[fine[:, 0]] == codes[:, 0]).all()
    assert abs((fine[:, 0] == 0).sum() - 300) <= 1


def test_a_code_of_negative_weight_gets_nothing_and_a_group_without_weight_is_even() -> None:
    grouping = Grouping(column="a", group_of=(0, 0, 1, 1), weights=(-3.0, 1.0, -2.0, 0.0))
    fine = Coarsening(DOMAIN, (grouping,)).spread(np.array([8.0, 6.0]), ("a",))
    assert fine.tolist() == [0.0, 8.0, 3.0, 3.0]


def test_zeros_are_carried_over_exactly_or_refused() -> None:
    forbidden = np.zeros((4, 2), dtype=bool)
    forbidden[:2, 0] = forbidden[3, 1] = True
    (zero,) = COARSENING.zeros([Zero(("a", "b"), forbidden)])
    assert zero.forbidden.tolist() == [[True, False], [False, False], [False, True]]
    forbidden[0, 0] = False
    with pytest.raises(ValueError, match="tells apart"):
        COARSENING.zeros([Zero(("a", "b"), forbidden)])


def test_the_order_of_codes_carries_over_to_groups() -> None:
    assert COARSENING.ordered({"a": 4, "b": 2}) == {"a": 3, "b": 2}
    assert COARSENING.ordered({"a": 3}) == {"a": 2}
    assert COARSENING.ordered({}) == {}


def asked(group_of: tuple[int, ...]) -> Measurement:
    counts = np.zeros(max(group_of) + 1, dtype=np.int64)
    return Measurement(clique=("a",), counts=counts, variance=Fraction(1), units=1, groups={"a": group_of})


def test_two_ways_to_group_one_column_are_refused() -> None:
    assert common_groups([asked((0, 0)), asked((0, 0))]) == {"a": (0, 0)}
    with pytest.raises(ValueError):
        common_groups([asked((0, 0)), asked((0, 1))])

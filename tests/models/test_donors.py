"""Test that records get codes that meet a condition, from records of the model that are similar."""

import numpy as np

from synth.core.domain import Domain
from synth.core.zeros import Zero
from synth.models.donors import Condition, replaced

DOMAIN = Domain(("a", "b", "c"), (4, 4, 2))
ORDERED = Condition(columns=(0, 1), holds=lambda codes: codes[:, 0] < codes[:, 1])


def test_only_records_that_violate_the_condition_change_and_follow_the_rest_of_the_record() -> None:
    rng = np.random.default_rng(0)
    c = rng.integers(0, 2, 2_000)
    codes = np.stack([2 * c, 2 * c + 1, c], axis=1)  # a and b depend on c
    wrong = rng.random(2_000) < 0.3
    codes[wrong, :2] = codes[wrong, 1::-1]
    found = replaced(codes, DOMAIN, ORDERED, zeros=(), fresh=None, rng=rng)
    assert ORDERED.holds(found).all()
    assert (found[~wrong] == codes[~wrong]).all() and (found[:, 2] == c).all()
    assert (found[:, 0] == 2 * c).all(), "of 64 donors, one has the same c"


def test_zeros_hold_and_few_records_are_completed_from_the_model() -> None:
    forbidden = np.zeros((4, 2), dtype=np.bool_)
    forbidden[0, 1] = True
    codes, asked = np.array([[3, 0, 1], [2, 2, 1]]), list[int]()

    def fresh(rows: int) -> np.ndarray:
        asked.append(rows)
        return np.tile([[0, 1, 0], [0, 1, 1], [1, 3, 0]], (rows, 1))

    rng = np.random.default_rng(0)
    zeros = [Zero(("a", "c"), forbidden)]
    found = replaced(codes, DOMAIN, ORDERED, zeros=zeros, fresh=fresh, rng=rng)
    assert asked and ORDERED.holds(found).all() and not forbidden[found[:, 0], found[:, 2]].any()


def test_without_any_record_that_meets_the_condition_nothing_changes() -> None:
    codes = np.array([[3, 0, 1], [2, 2, 1]])
    found = replaced(codes, DOMAIN, ORDERED, zeros=(), fresh=None, rng=np.random.default_rng(0))
    assert (found == codes).all()

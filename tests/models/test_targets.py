"""Noisy measurements as columns and pairs."""

import numpy as np
import pytest

from synth.core.domain import Domain
from synth.core.evidence import Evidence
from synth.core.measurements.noisy import Measurement
from synth.core.zeros import Zero
from synth.models.targets import targets_of
from tests.models.examples import evidence_of, measurement

DOMAIN = Domain(("a", "b", "c"), (2, 3, 4))


def measured(clique: tuple[str, ...], counts: np.ndarray, sigma: int = 1, **more: object) -> Measurement:
    return measurement(clique, counts, sigma**2, **more)  # type: ignore[arg-type]


def evidence(*answers: Measurement, zeros: tuple[Zero, ...] = ()) -> Evidence:
    return evidence_of(DOMAIN, answers, 120, zeros=zeros)


def test_answers_about_a_pair_are_averaged_by_precision() -> None:
    one = measured(("a", "b"), np.full((2, 3), 10), sigma=1)
    other = measured(("a", "b"), np.full((2, 3), 20), sigma=2)
    targets = targets_of(evidence(one, other))
    table = targets.pairs[0, 1]
    np.testing.assert_allclose(table.counts, 12)
    assert table.sigma == pytest.approx(0.8**0.5) and targets.typical_sigma == table.sigma


def test_three_columns_tell_each_pair_by_their_sums() -> None:
    counts = np.arange(24).reshape(2, 3, 4)
    targets = targets_of(evidence(measured(("a", "b", "c"), counts)))
    assert set(targets.pairs) == {(0, 1), (0, 2), (1, 2)}
    np.testing.assert_array_equal(targets.pairs[0, 2].counts, counts.sum(axis=1))
    assert targets.pairs[0, 2].sigma == pytest.approx(3**0.5)


def test_a_column_is_what_it_and_its_pairs_say() -> None:
    targets = targets_of(
        evidence(measured(("a",), np.array([80, 40])), measured(("a", "b"), np.full((2, 3), 20)))
    )
    np.testing.assert_allclose(targets.columns[0], [75, 45])
    assert targets.sigmas[0] == pytest.approx((1 + 1 / 3) ** -0.5)
    np.testing.assert_allclose(targets.columns[2], 30)
    assert targets.sigmas[2] == np.inf
    np.testing.assert_allclose(targets.shares[targets.span(1)], 1 / 3)


def test_coarse_codes_are_the_codes_of_the_targets_and_zeros_hold_in_them() -> None:
    forbidden = np.zeros(4, dtype=bool)
    forbidden[3] = True
    targets = targets_of(
        evidence(
            measured(("c",), np.array([30, 30, 60, 7])),
            measured(("b", "c"), np.full((3, 3), 13), groups={"c": (0, 0, 1, 2)}),
            zeros=(Zero(("c",), forbidden),),
        )
    )
    assert targets.domain.sizes == (2, 3, 3)
    assert targets.columns[2][2] == 0 and targets.columns[2].sum() == pytest.approx(120)

"""The model of independent columns."""

from collections.abc import Sequence

import numpy as np
import pytest

from synth.core.domain import Domain
from synth.core.measurements.noisy import Measurement
from synth.core.model import Model
from synth.core.zeros import Zero
from synth.models.independent import IndependentColumns, ProductModel
from tests.models.examples import evidence_of, measurement

DOMAIN = Domain(("a", "b", "c"), (2, 3, 4))


def measured(clique: tuple[str, ...], counts: object, variance: int = 4) -> Measurement:
    return measurement(clique, counts, variance)


def fit(
    domain: Domain, measurements: list[Measurement], *, total: float, zeros: Sequence[Zero] = ()
) -> Model:
    return IndependentColumns().fit(evidence_of(domain, measurements, total, zeros=zeros))


def test_tables_are_outer_products_and_unmeasured_columns_uniform() -> None:
    model = fit(DOMAIN, [measured(("a",), [30, 70]), measured(("b",), [50, 55, -5])], total=100.0)
    assert isinstance(model, Model) and isinstance(model, ProductModel)
    assert np.allclose(model.project(("b",)), [47.5, 52.5, 0])
    assert np.allclose(model.project(("c", "a")), np.outer([25] * 4, [0.3, 0.7]))
    assert model.project(()) == pytest.approx(100.0)
    assert [t.shape for t in model.project_many([("a",), ("a", "b")])] == [(2,), (2, 3)]


def test_wider_tables_tell_their_columns_with_the_noise_of_their_sums() -> None:
    pair = measured(("a", "b"), [[10, 10, 10], [20, 20, 30]], variance=4)  # each a: variance 12
    alone = measured(("a",), [40, 60], variance=6)
    model = fit(DOMAIN, [pair, alone], total=100.0)
    assert np.allclose(
        model.project(("a",)), (np.array([30, 70]) / 12 + np.array([40, 60]) / 6) / (1 / 12 + 1 / 6)
    )


def test_records_follow_the_columns_within_one() -> None:
    model = fit(DOMAIN, [measured(("b",), [20, 30, 50])], total=100.0)
    rows = model.sample(1000, np.random.default_rng(0))
    assert rows.shape == (1000, 3) and rows.dtype == np.int64
    assert np.abs(np.bincount(rows[:, 1]) - [200, 300, 500]).max() <= 1
    joint = np.bincount(rows[:, 0] * 4 + rows[:, 2], minlength=8)
    assert np.abs(joint - 125).max() < 6.5 * np.sqrt(125)
    assert model.sample(0, np.random.default_rng(0)).shape == (0, 3)


def test_zeros_of_one_column_are_kept() -> None:
    zero = Zero(("b",), np.array([True, False, False]))
    model = fit(DOMAIN, [measured(("b",), [90, 5, 5])], zeros=[zero], total=100.0)
    assert np.allclose(model.project(("b",)), [0, 50, 50])
    with pytest.raises(ValueError, match="no possible value"):
        fit(DOMAIN, [], zeros=[Zero(("a",), np.array([True, True]))], total=1.0)


def test_zeros_between_columns_hold_too() -> None:
    forbidden = np.zeros((2, 3), dtype=bool)
    forbidden[0, 2] = True
    model = fit(DOMAIN, [measured(("a",), [50, 50])], zeros=[Zero(("a", "b"), forbidden)], total=100.0)
    assert model.project(("a", "b"))[0, 2] == 0
    rows = model.sample(500, np.random.default_rng(1))
    assert not ((rows[:, 0] == 0) & (rows[:, 1] == 2)).any()


def test_coarse_columns_of_an_answer_are_left_out_and_the_others_used() -> None:
    coarse = measurement(("a", "c"), [[10, 20], [30, 40]], 4, groups={"c": (0, 0, 1, 1)})
    model = fit(DOMAIN, [coarse], total=100.0)
    assert np.allclose(model.project(("a",)), [30, 70]) and np.allclose(model.project(("c",)), 25)

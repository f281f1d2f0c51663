"""Measurements in coarser codes are combined in one graphical model and converted back."""

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import pytest

from synth.core.domain import Domain
from synth.core.measurements.noisy import Measurement
from synth.core.model import Model
from synth.core.zeros import Zero
from synth.models import pgm
from synth.models.graphical import GraphicalModel
from tests.models.examples import evidence_of, measurement

DOMAIN = Domain(("a", "b"), (4, 2))
TABLE = np.array([[400, 100], [10, 40], [20, 80], [0, 350]])
GROUPS = (0, 1, 1, 2)


def measured(clique: tuple[str, ...], counts: np.ndarray, **groups: tuple[int, ...]) -> Measurement:
    return measurement(clique, counts, Fraction(1, 100), groups=groups)


COARSE = np.stack([TABLE[0], TABLE[1] + TABLE[2], TABLE[3]])
ANSWERS = [
    measured(("a",), TABLE.sum(axis=1)),
    measured(("b",), TABLE.sum(axis=0)),
    measured(("a", "b"), COARSE, a=GROUPS),
]


def fit(
    domain: Domain, measurements: list[Measurement], *, total: float, zeros: Sequence[Zero] = ()
) -> Model:
    return GraphicalModel().fit(evidence_of(domain, measurements, total, zeros=zeros))


def test_it_is_the_plain_model_where_nothing_is_coarse() -> None:
    plain = [m for m in ANSWERS if not m.groups]
    found, expected = (f(DOMAIN, plain, total=1000.0) for f in (fit, pgm.fit))
    np.testing.assert_array_equal(found.project(("a", "b")), expected.project(("a", "b")))


def test_groups_keep_their_relations_and_codes_their_counts() -> None:
    model = fit(DOMAIN, ANSWERS, total=1000.0)
    assert isinstance(model, Model) and model.domain == DOMAIN
    assert (model.total, model.converged, tuple(model.cliques)) == (1000.0, True, (("a", "b"),))
    found = model.project(("a", "b"))
    np.testing.assert_allclose(np.stack([found[0], found[1] + found[2], found[3]]), COARSE, atol=3)
    np.testing.assert_allclose(found.sum(axis=1), TABLE.sum(axis=1), atol=3)
    assert found[1, 0] / found[1, 1] == pytest.approx(found[2, 0] / found[2, 1])


def test_records_are_those_of_the_groups_drawn_apart() -> None:
    codes = fit(DOMAIN, ANSWERS, total=1000.0).sample(10_000, np.random.default_rng(0))
    counts = np.bincount(codes[:, 0], minlength=4) / 10
    np.testing.assert_allclose(counts, TABLE.sum(axis=1), atol=4)
    assert codes.min() == 0 and codes[:, 1].max() == 1


def test_zeros_hold_and_may_not_cut_a_group() -> None:
    model = fit(DOMAIN, ANSWERS, total=1000.0, zeros=[Zero(("a", "b"), TABLE == 0)])
    assert model.project(("a", "b"))[3, 0] == 0
    with pytest.raises(ValueError, match="distinguishes"):
        fit(DOMAIN, ANSWERS, total=1000.0, zeros=[Zero(("a", "b"), TABLE == 10)])

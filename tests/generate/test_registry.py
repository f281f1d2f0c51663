"""Every generator of the registry makes a model of the same answers."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from synth.answers import Measurement
from synth.codebook import Codebook
from synth.domain import Domain
from synth.evidence import Evidence
from synth.generate.registry import GENERATORS
from synth.model import Model
from synth.zeros import Zero

DOMAIN = Domain(("a", "b"), (2, 3))
TABLE = np.array([[90, 5, 5], [0, 40, 60]])


def measured(clique: tuple[str, ...], counts: np.ndarray, **more: object) -> Measurement:
    return Measurement(clique=clique, counts=counts, variance=Fraction(1), units=1, **more)  # type: ignore[arg-type]


EVIDENCE = Evidence(
    codebook=Codebook.plain(DOMAIN, zeros=[Zero(("a", "b"), TABLE == 0)]),
    answers=(
        measured(("a",), TABLE.sum(axis=1)),
        measured(("b",), TABLE.sum(axis=0)),
        measured(("a", "b"), TABLE),
    ),
    total=200.0,
)


@pytest.mark.parametrize("name", GENERATORS)
def test_a_generator_is_explained_and_makes_a_model_with_the_columns_and_zeros_told(name: str) -> None:
    generator = GENERATORS[name]
    assert generator.name == name and generator.title and generator.summary.endswith(".")
    model = generator.fit(EVIDENCE)
    assert isinstance(model, Model) and model.total == 200
    np.testing.assert_allclose(model.project(("b",)), TABLE.sum(axis=0), atol=3)
    assert model.project(("a", "b"))[1, 0] == 0


@pytest.mark.parametrize("name", [name for name, g in GENERATORS.items() if g.relates])
def test_what_keeps_relations_keeps_them(name: str) -> None:
    assert np.abs(GENERATORS[name].fit(EVIDENCE).project(("a", "b")) - TABLE).sum() < 6

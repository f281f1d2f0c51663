from dataclasses import FrozenInstanceError, fields

import pytest

from synth.models.base import Generator
from synth.models.graphical import GraphicalModel


def test_a_generator_is_frozen_options_and_what_does_not_need_a_start_is_as_exact_as_ever() -> None:
    with pytest.raises(FrozenInstanceError):
        GraphicalModel().ridge = 1.0  # type: ignore[misc]
    with pytest.raises(TypeError):
        Generator()  # type: ignore[abstract]
    exact, rough = GraphicalModel(ridge=0.7), GraphicalModel(ridge=0.7).rough()
    assert rough.tolerance > exact.tolerance and rough.ridge == exact.ridge
    assert {f.name for f in fields(Generator)} == set()

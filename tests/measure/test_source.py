"""Three implementers keep the protocol honest."""

import inspect

import pytest

from synth.measure.exact import Exact
from synth.measure.room import PrivateSource
from synth.measure.score import L1Gap
from synth.measure.source import Choice, Source


@pytest.mark.parametrize("implementer", [PrivateSource, Exact])
def test_every_source_answers_the_same_questions_with_the_same_signatures(implementer: type) -> None:
    for name, member in vars(Source).items():
        if name.startswith("_"):
            continue
        own = getattr(implementer, name)
        if isinstance(member, property):
            assert isinstance(own, property)
        else:
            assert inspect.signature(own).parameters == inspect.signature(member).parameters, name


def test_a_choice_keeps_the_winners_estimate_when_it_forgets() -> None:
    import numpy as np

    score = L1Gap((("a",), ("b",)), (np.ones(2), np.ones(3)), (1, 1), (0.0, 0.0))
    choice = Choice(score=score, index=1, units=1, epsilon=0.1, swing=2, part="m", step=0)
    lighter = choice.forget([("a",), ("b",)])
    assert lighter.clique == ("b",)
    assert [e.size for e in lighter.score.estimates] == [0, 3]  # type: ignore[attr-defined]

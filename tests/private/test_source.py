"""Three implementers keep the protocol honest."""

import inspect

import pytest

from synth.private.exact import Exact
from synth.private.session import PrivateSource
from synth.private.source import Source


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

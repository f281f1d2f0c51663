"""Refusals, expected by their code."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from synth.core.errors import Code, Refusal


@contextmanager
def refused(code: Code) -> Iterator[pytest.ExceptionInfo[Refusal]]:
    """The block ends with a refusal of this code."""
    with pytest.raises(Refusal) as caught:
        yield caught
    assert caught.value.code is code

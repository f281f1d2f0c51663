"""The cursor goes on by what was read, and stays where nothing was."""

from __future__ import annotations

import pytest

from synth.core.errors import Mistake
from synth.core.schema import Schema
from synth.rules.reader import Reader


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        ("age is 9 to 3", "cannot be used: 9 to 3 has its larger end first."),
        ("age is 3.5", "holds whole numbers and 3.5 is not one"),
        ("age is 40 to 50", "it is declared from 0 to 30"),
        ("marital is widow", "'widow' is not a value of 'marital'; did you mean 'widowed'?"),
        ("id is 3", "is about 'id', which is dropped"),
    ],
)
def test_what_cannot_be_meant_is_a_sentence(schema: Schema, typed: str, told: str) -> None:
    with pytest.raises(Mistake) as caught:
        Reader(typed, schema).conditions()
    assert told in str(caught.value)

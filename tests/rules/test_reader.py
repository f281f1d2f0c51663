"""The cursor goes on by what was read, and stays where nothing was."""

from __future__ import annotations

import pytest

from synth.core.errors import Mistake
from synth.core.schema import Schema
from synth.rules.reader import Reader
from synth.rules.terms import Condition, Range


def test_conditions_are_read_one_after_the_other_and_tell_what_they_named(schema: Schema) -> None:
    reader = Reader("Age is 0 to 14 and marital is widowed then", schema)
    assert reader.conditions() == [
        Condition("age", ranges=(Range(0, 14),)),
        Condition("marital", values=("widowed",)),
    ]
    assert reader.text[reader.at :] == " then"
    assert [reader.text[start:end] for start, end, _ in reader.named] == ["Age", "marital"]
    assert [name for _, _, name in reader.named] == ["age", "marital"]
    (place,) = reader.valued
    assert reader.text[place : reader.valued[place][0]] == "widowed"


def test_nothing_is_read_where_the_words_are_others(schema: Schema) -> None:
    reader = Reader("marital is soon", schema)
    column = reader.column()
    at = reader.at
    assert reader.compared(column) is None and reader.take("then") is None and reader.value(column) is None
    assert reader.text[at:].strip() == reader.text[reader.at :].strip() == "soon"


def test_columns_are_compared_only_where_that_is_asked_for(schema: Schema) -> None:
    (compared,) = Reader("age is at most years", schema).conditions(comparing=True)
    assert (compared.left, compared.right) == ("age", "years")  # type: ignore[attr-defined]
    with pytest.raises(Mistake, match="only after 'then'"):
        Reader("age is at most years", schema).conditions()


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

import numpy as np
import pytest

from synth.axis import Grouping
from synth.domain import Domain
from synth.errors import Refusal
from synth.measure.replay import Entry, replay
from synth.schema import Column, Kind, Schema, Unit

DOMAIN = Domain(("a",), (3,))
SCHEMA = Schema(
    name="t", population="p", unit=Unit(max_rows=1), columns=(Column(name="a", kind=Kind.CATEGORY),)
)
TAPE = [
    Entry(
        part="mechanism",
        question={"ask": "measure", "clique": ["a"]},
        units=10**11,
        answer=np.array([5, -1, 2], dtype="<i8").tobytes(),
    ),
    Entry(part="preprocess", question={"ask": "measure", "clique": ["a"]}, units=1, answer=b""),
]


def test_the_same_question_gets_the_stored_answer_without_a_table() -> None:
    source = replay(TAPE, DOMAIN, part="mechanism", schema=SCHEMA)
    assert source.rho_left == pytest.approx(0.1)
    measured = source.measure(("a",), rho=0.1)
    assert measured.counts.tolist() == [5, -1, 2] and measured.variance == 5
    assert source.rho_left == 0.0


def test_any_other_question_or_price_is_refused() -> None:
    for rho in (0.2, 0.01):
        with pytest.raises(Refusal):
            replay(TAPE, DOMAIN, part="mechanism", schema=SCHEMA).measure(("a",), rho=rho)
    source = replay(TAPE, DOMAIN, part="mechanism", schema=SCHEMA)
    source.measure(("a",), rho=0.1)
    with pytest.raises(Refusal):
        source.measure(("a",), rho=0.1)


def test_a_coarser_view_replays_too() -> None:
    entry = Entry(
        part="mechanism",
        question={"ask": "measure", "clique": ["a"], "groups": {"a": [0, 0, 1]}},
        units=10**11,
        answer=np.array([4, 2], dtype="<i8").tobytes(),
    )
    grouping = Grouping(column="a", group_of=(0, 0, 1), weights=(1.0,) * 3)
    source = replay([entry], DOMAIN, part="mechanism", schema=SCHEMA)
    assert source.coarsened([grouping]).measure(("a",), rho=0.1).counts.tolist() == [4, 2]
    assert source.rho_left == 0.0


def test_a_gaussian_transcript_is_replayed_as_one() -> None:
    question = {"ask": "measure", "clique": ["a"], "law": "gaussian"}
    answer = np.array([5, -1, 2], dtype="<i8").tobytes()
    entry = Entry(part="mechanism", question=question, units=10**11, answer=answer)
    source = replay([entry], DOMAIN, part="mechanism", schema=SCHEMA)
    assert source.measure(("a",), rho=0.1).is_rounded
    plain = replay(TAPE, DOMAIN, part="mechanism", schema=SCHEMA)
    assert not plain.measure(("a",), rho=0.1).is_rounded

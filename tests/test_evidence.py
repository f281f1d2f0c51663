from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from synth.answers import Choice, Measurement, NoisyNumbers, NoisyScores
from synth.codebook import Codebook
from synth.domain import Domain
from synth.evidence import COMPARISON, Evidence
from synth.measure.score import InDif
from synth.zeros import Zero

DOMAIN = Domain(("a", "b"), (2, 3))
ZERO = Zero(("a",), np.array([False, True]))


def measured(step: int, part: str = "mechanism") -> Measurement:
    return Measurement(
        clique=("a",), counts=np.array([3, 4]), variance=Fraction(1), units=2, step=step, part=part
    )


@dataclass(frozen=True)
class Moment:
    """A kind of answer that this program does not know yet."""

    part: str = "mechanism"
    step: int = 9
    units: int = 1


def test_each_reader_finds_its_kind_of_answer_in_the_order_asked() -> None:
    score = InDif((("a", "b"),))
    told = {"units": 1, "part": "mechanism"}
    choice = Choice(score=score, index=0, epsilon=1.0, swing=1, step=1, **told)
    scores = NoisyScores(score=score, values=np.zeros(1), sigma=1.0, step=2, **told)
    sums = NoisyNumbers(asked={"ask": "sum"}, values=np.array([7]), variance=Fraction(1), step=4, **told)
    first, second, apart = measured(0), measured(3), measured(0, COMPARISON)
    codebook = Codebook.plain(DOMAIN, zeros=[ZERO], ordered={"b": 3})
    evidence = Evidence(codebook=codebook, answers=(first, choice, scores, second, sums, Moment()), total=7.0)
    whole = evidence.joined([apart])
    assert whole.measurements == evidence.measurements == (first, second)
    assert whole.choices == (choice,) and whole.scores == (scores,)
    assert whole.numbers == (sums,)
    assert whole.held_back == (apart,) and evidence.held_back == ()
    assert sum(answer.units for answer in whole.answers) == 10
    assert (whole.domain, whole.zeros, whole.ordered, whole.total) == (DOMAIN, (ZERO,), {"b": 3}, 7.0)

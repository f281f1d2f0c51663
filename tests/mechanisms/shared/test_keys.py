"""A key covers all inputs of a fit, and nothing else."""

from dataclasses import replace
from fractions import Fraction
from typing import Any, cast

import numpy as np
import pytest

import synth.mechanisms.shared.keys as keys
from synth.core.accounting import GAUSSIAN
from synth.core.codebook import Codebook
from synth.core.domain import Domain
from synth.core.evidence import Evidence
from synth.core.measurements.noisy import Answer, Choice, Measurement, NoisyNumbers, NoisyScores
from synth.core.zeros import Zero
from synth.mechanisms.shared.keys import key_of
from synth.models.networks.network import NetworkGenerator
from synth.private.scores import L1Gap

DOMAIN = Domain(("a", "b"), (2, 3))
PAIR = Measurement(
    clique=("a", "b"), counts=np.arange(6).reshape(2, 3), variance=Fraction(9), units=5, step=1
)
COLUMN = Measurement(clique=("b",), counts=np.arange(3), variance=Fraction(4), units=7, step=2)
VOTES = NoisyNumbers(requested={"ask": "votes"}, values=np.arange(4), variance=Fraction(2), units=3, step=3)
SCORE = L1Gap((("a",), ("b",)), (np.array([1.0, 0.0]), np.zeros(3)), (1, 1), (0.0, 0.0))
CHOICE = Choice(score=SCORE, index=1, units=2, epsilon=0.5, swing=4, part="mechanism", step=4)
SCORES = NoisyScores(
    score=SCORE, values=np.array([1.0, 2.0]), variance=Fraction(9), units=2, part="mechanism", step=5
)
ANSWERS = (PAIR, COLUMN, VOTES, CHOICE, SCORES)
ZERO = Zero(("a",), np.array([False, True]))


def stated(*answers: Answer, total: float = 10.0, domain: Domain = DOMAIN, **more: Any) -> Evidence:
    codebook = Codebook.plain(domain, **more)
    return Evidence(codebook=codebook, answers=answers or ANSWERS, total=total)


def key(evidence: Evidence | None = None, **changed: Any) -> str:
    usual: dict[str, Any] = {"generator": NetworkGenerator(), "seed": 3, "device": "cpu", "start": ""}
    return key_of(evidence=stated() if evidence is None else evidence, **usual | changed)


def swapped(old: Answer, **changed: Any) -> Evidence:
    return stated(*(replace(cast(Any, a), **changed) if a is old else a for a in ANSWERS))


def test_the_same_fit_has_the_same_key_in_every_process() -> None:
    again = replace(PAIR, counts=np.asfortranarray(PAIR.counts.copy()))
    assert key() == key() == key(stated(again, *ANSWERS[1:]))
    assert len(key()) == 64 and set(key()) <= set("0123456789abcdef")


def test_whatever_a_fit_follows_from_changes_its_key(monkeypatch: pytest.MonkeyPatch) -> None:
    other = PAIR.counts.copy()
    other[1, 2] += 1
    found = [
        key(),
        key(seed=4),
        key(device="cuda"),
        key(start=key()),
        key(generator=NetworkGenerator().rough()),
        key(generator=NetworkGenerator(steps=299)),
        key(stated(total=10.000000001)),
        key(stated(zeros=(ZERO,))),
        key(stated(zeros=(Zero(("a",), np.array([True, False])),))),
        key(stated(ordered={"b": 3})),
        key(stated(*ANSWERS, domain=Domain(("a", "c"), (2, 3)))),
        key(stated(*ANSWERS, domain=Domain(("a", "b"), (2, 4)))),
        key(stated(*ANSWERS[:-1])),
        key(stated(*reversed(ANSWERS))),
        key(swapped(PAIR, counts=other)),
        key(swapped(PAIR, counts=PAIR.counts.reshape(3, 2))),
        key(swapped(PAIR, variance=Fraction(10))),
        key(swapped(PAIR, units=6)),
        key(swapped(PAIR, step=9)),
        key(swapped(PAIR, part="comparison")),
        key(swapped(PAIR, clique=("b", "a"))),
        key(swapped(PAIR, groups={"b": (0, 0, 1)})),
        key(swapped(PAIR, law=GAUSSIAN)),
        key(swapped(VOTES, requested={"ask": "sides"})),
        key(swapped(VOTES, values=np.arange(4) + 1)),
        key(swapped(VOTES, scale=2)),
        key(swapped(CHOICE, index=0)),
        key(swapped(SCORES, values=np.array([1.0, 2.5]))),
        key(swapped(SCORES, variance=Fraction(10))),
    ]
    monkeypatch.setattr(keys, "__version__", "another")
    found.append(key())
    assert len(set(found)) == len(found)


def test_an_answer_of_a_new_kind_has_no_key() -> None:
    class Gossip:
        part, step, units = "mechanism", 0, 1

    with pytest.raises(TypeError, match="Gossip"):
        key(stated(Gossip()))

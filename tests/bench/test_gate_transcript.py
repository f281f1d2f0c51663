from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from synth.bench.gate_transcript import (
    CHOICE,
    GUMBEL,
    LAPLACE,
    NORMAL,
    Draw,
    Transcript,
    is_as_drawn,
    spread,
    transcript_of,
)

HERE, THERE = np.array([3.0, 5.0, 0.0]), np.array([3.0, 4.0, 0.0])


@pytest.mark.parametrize(
    ("kind", "loss"),
    [(NORMAL, 1 / (2 * 2.0**2)), (LAPLACE, (1 / 2) ** 2 / 2), (GUMBEL, (1 / 2) ** 2 / 8)],
)
def test_a_row_less_costs_what_the_textbook_says(kind: str, loss: float) -> None:
    a, b = (Draw(kind=kind, exact=exact, scale=2.0) for exact in (HERE, THERE))
    assert a.loss(b) == pytest.approx(loss) and a.loss(a) == 0


def test_a_choice_costs_the_range_of_its_log_weights() -> None:
    a, b = (Draw(kind=CHOICE, exact=np.log(p)) for p in ([0.5, 0.25, 0.25], [0.25, 0.5, 0.25]))
    assert a.loss(b) == pytest.approx((2 * math.log(2)) ** 2 / 8)


def run(scale: float, *, drawn: float) -> Transcript:
    noise = np.random.default_rng(5).normal(0, drawn, 400)
    exact = np.arange(400.0)
    return Transcript(draws=(Draw(kind=NORMAL, exact=exact, scale=scale, told=exact + noise),), made=b"")


def test_noise_of_half_the_spread_is_seen_and_that_of_the_right_one_is_not() -> None:
    assert is_as_drawn([run(7.0, drawn=7.0)])
    assert not is_as_drawn([run(7.0, drawn=3.5)]) and not is_as_drawn([run(7.0, drawn=14.0)])
    assert spread([run(7.0, drawn=3.5)]) == pytest.approx(0.5, rel=0.1)


TAPE: dict[str, Any] = {
    "draws": [
        {"kind": "normal", "size": [2], "scale": 3.0},
        {"kind": "normal", "size": [2], "scale": 3.0, "exact": [1.0, 2.0], "told": [0.0, 4.0]},
        {"kind": "choice", "size": [2], "weights": [0.25, 0.75], "told": 1},
    ],
    "declared": {"1": 1.5},
    "broken": {"at": 3, "then": {"kind": "choice", "size": [2]}, "now": None},
}


def test_a_tape_tells_what_was_heard_and_what_was_not() -> None:
    told = transcript_of(TAPE, b"x")
    assert [draw.kind for draw in told.draws] == [NORMAL, CHOICE] and told.unheard == 1
    assert told.misdeclared == (3.0, 1.5)
    assert told.broken == "draw 4 was a choice draw over 2 numbers and became none"

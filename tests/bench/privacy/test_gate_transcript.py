from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from synth.bench.privacy.gate_transcript import (
    CHOICE,
    GUMBEL,
    LAPLACE,
    NORMAL,
    Draw,
    Transcript,
    misdrawn,
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


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("kind", [NORMAL, LAPLACE, GUMBEL])
def test_noise_of_scale_0_has_no_bound(kind: str) -> None:
    a, b = (Draw(kind=kind, exact=exact, scale=0.0, told=exact) for exact in (HERE, THERE))
    assert a.loss(b) == math.inf and a.loss(a) == 0
    assert not misdrawn([Transcript(draws=(a,), made=b"")])


def test_a_choice_costs_the_range_of_its_log_weights() -> None:
    a, b = (Draw(kind=CHOICE, exact=np.log(p)) for p in ([0.5, 0.25, 0.25], [0.25, 0.5, 0.25]))
    assert a.loss(b) == pytest.approx((2 * math.log(2)) ** 2 / 8)


@pytest.mark.parametrize(
    ("here", "there", "loss"),
    [
        ([1.0, 0.0], [0.0, 1.0], math.inf),
        ([1.0, 0.0], [0.5, 0.5], math.inf),
        ([0.5, 0.5, 0.0], [0.5, 0.5, 1e-14], 0.0),
        ([1.0, 1e-13], [0.5, 0.5], (math.log(0.5e13) + math.log(2)) ** 2 / 8),
    ],
)
@pytest.mark.filterwarnings("error")
def test_what_one_table_never_chooses_costs_what_it_is_worth_on_the_other(
    here: list[float], there: list[float], loss: float
) -> None:
    a, b = (transcript_of(tape_of_choice(p), b"").draws[0] for p in (here, there))
    assert a.loss(b) == pytest.approx(loss) and b.loss(a) == pytest.approx(loss) and a.loss(a) == 0


def tape_of_choice(weights: list[float]) -> dict[str, Any]:
    draw = {"kind": "choice", "size": [len(weights)], "weights": weights, "told": 0}
    return {"draws": [draw], "declared": {}, "broken": None}


def run(scale: float, *, drawn: float) -> Transcript:
    noise = np.random.default_rng(5).normal(0, drawn, 400)
    exact = np.arange(400.0)
    return Transcript(draws=(Draw(kind=NORMAL, exact=exact, scale=scale, told=exact + noise),), made=b"")


def test_noise_of_half_the_spread_is_seen_and_that_of_the_right_one_is_not() -> None:
    assert not misdrawn([run(7.0, drawn=7.0)])
    assert misdrawn([run(7.0, drawn=14.0)])
    assert misdrawn([run(7.0, drawn=3.5)])[0].spread == pytest.approx(0.5, rel=0.1)


def noisy(*drawn: NDArray[np.float64], scale: float = 7.0) -> Transcript:
    """A run with these draws of noise, of this scale as it says."""
    made = [Draw(kind=NORMAL, exact=np.full(len(x), 9.0), scale=scale, told=9.0 + x) for x in drawn]
    return Transcript(draws=tuple(made), made=b"")


def whole(size: int, *, seed: int, scale: float = 7.0) -> NDArray[np.float64]:
    return np.rint(np.random.default_rng(seed).normal(0, scale, size))


def test_a_small_table_without_noise_is_seen_among_noisy_ones() -> None:
    runs = [noisy(np.zeros(3), whole(400, seed=i)) for i in range(5)]
    odd = misdrawn(runs)
    assert [str(one) for one in odd] == [
        "The noise of draw 1, over 3 numbers in 5 runs, is nothing but zeros."
    ]
    assert not misdrawn(runs[:1]), "three integers are all zero once in 5,000 runs"
    assert misdrawn([noisy(np.zeros(8), whole(400, seed=1))]), "eight are not"


def test_a_draw_with_too_much_noise_is_seen_by_itself() -> None:
    (odd,) = misdrawn([noisy(whole(6, seed=1, scale=40.0), whole(4000, seed=2))])
    assert "The noise of draw 1, over 6 numbers, has" in str(odd)


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

import math

import numpy as np
import pytest
from numpy.typing import NDArray

from synth.bench.privacy.gate_draws import CHOICE, LAPLACE, NORMAL, Draw, Transcript, odd_noise

HERE, THERE = np.array([3.0, 5.0, 0.0]), np.array([3.0, 4.0, 0.0])


@pytest.mark.parametrize(
    ("kind", "scale", "loss"),
    [
        (NORMAL, 2.0, 1 / (2 * 2.0**2)),
        (LAPLACE, 2.0, (1 / 2) ** 2 / 2),
        ("gumbel", 2.0, math.inf),
        (NORMAL, 0.0, math.inf),
    ],
)
def test_a_row_less_costs_what_the_textbook_says(kind: str, scale: float, loss: float) -> None:
    a, b = (Draw(kind=kind, exact=exact, scale=scale) for exact in (HERE, THERE))
    assert a.loss(b) == pytest.approx(loss) and a.loss(a) == 0


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    ("here", "there", "loss"),
    [
        ([0.5, 0.25, 0.25], [0.25, 0.5, 0.25], (2 * math.log(2)) ** 2 / 8),
        ([1.0, 0.0], [0.5, 0.5], math.inf),
        ([0.5, 0.5, 0.0], [0.5, 0.5, 1e-14], 0.0),
        ([1.0, 1e-13], [0.5, 0.5], (math.log(0.5e13) + math.log(2)) ** 2 / 8),
    ],
)
def test_a_choice_costs_its_range_of_log_weights(here: list[float], there: list[float], loss: float) -> None:
    with np.errstate(divide="ignore"):
        a, b = (Draw(kind=CHOICE, exact=np.log(p)) for p in (here, there))
    assert a.loss(b) == pytest.approx(loss) == b.loss(a) and a.loss(a) == 0


def run(*noises: NDArray[np.float64], scale: float = 7.0) -> Transcript:
    """A run with these draws of noise, of this scale as it says."""
    made = [Draw(kind=NORMAL, exact=np.full(len(x), 9.0), scale=scale, noisy=9.0 + x) for x in noises]
    return Transcript(draws=tuple(made), made=b"")


def whole(size: int, seed: int, *, scale: float = 7.0) -> NDArray[np.float64]:
    return np.rint(np.random.default_rng(seed).normal(0, scale, size))


@pytest.mark.parametrize("scale", [3.5, 14.0])
def test_noise_of_another_spread_is_reported_and_that_of_the_right_one_is_not(scale: float) -> None:
    right, other = (run(whole(3, 1), whole(400, 2, scale=drawn)) for drawn in (7.0, scale))
    assert not list(odd_noise([right]))
    (odd,) = odd_noise([other])
    assert odd.startswith("The noise of draw 2 has") and "times the spread" in odd


def test_a_small_draw_without_noise_is_reported_among_noisy_ones() -> None:
    runs = [run(np.zeros(3), whole(400, seed)) for seed in range(5)]
    assert "The noise of draw 1 has 0 times" in next(odd_noise(runs))


def test_noise_that_all_runs_share_is_reported() -> None:
    runs = [run(whole(36, seed), whole(5, 99)) for seed in range(5)]
    assert list(odd_noise(runs)) == ["The noise of draw 2 is the same in all 5 runs."]

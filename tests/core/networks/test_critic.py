"""Test the critic of a GAN: gradients by differences, generated records by the seed, and lessons."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from synth.core.networks.critic import Critic
from synth.core.networks.forger import Forger

SIZES, BASE = (3, 2, 4), ((5, 3, 2), (1, 1), (4, 3, 2, 1))


def critic(**more: Any) -> Critic:
    made_by = Forger(SIZES, BASE, 2, 3).start(np.random.default_rng(0)).astype("<f4").tobytes()
    stated = {"hidden": 5, "latent": 2, "width": 3, "made": 40, "lessons": 3, "lesson": 0.01, "seed": 7}
    return Critic(SIZES, BASE, **stated | more, made_by=made_by)


NET = critic()
WEIGHTS = (0.5 * np.random.default_rng(1).standard_normal(NET.parameters)).astype(np.float32)


def judged(at: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """Return D, computed with plain sums. Shapes: `at` float64[parameters]."""
    first, last = np.split(at, [NET.shapes[0][0] * 5])
    first, last = first.reshape(10, 5), last.reshape(6, 1)
    seen = np.maximum(first[codes[:, 0]] + first[3 + codes[:, 1]] + first[5 + codes[:, 2]] + first[-1], 0)
    stated: np.ndarray = (seen @ last[:-1] + last[-1])[:, 0]
    return stated


def test_rows_pull_it_up_and_made_records_down(monkeypatch: pytest.MonkeyPatch) -> None:
    """Test the gradients of log(1 + exp(-D)) and log(1 + exp(D)), up to their step size."""
    monkeypatch.setattr(
        "synth.core.networks.layers.multiples",
        lambda values, _, most: np.clip(values.astype(float), -most, most),
    )
    codes = np.random.default_rng(2).integers(0, SIZES, (6, 3))
    made = np.concatenate([*NET.forger.records(NET.making, 40, np.random.default_rng([7, 0]))])
    matrices, at = NET.matrices(WEIGHTS), WEIGHTS.astype(float)
    for records, sign, slopes in ((codes, -1, NET.slopes(matrices, codes)), (made, 1, NET.against(matrices))):
        inputs, deltas = slopes
        gradient = np.concatenate([(a.T @ d).ravel() for a, d in zip(inputs, deltas, strict=True)])
        for i in range(0, NET.parameters, 3):
            step = np.zeros(NET.parameters)
            step[i] = 1e-5
            losses = [np.logaddexp(0, sign * judged(at + s * step, records)).sum() for s in (1, -1)]
            assert gradient[i] == pytest.approx((losses[0] - losses[1]) / 2e-5, abs=1e-6)


def test_an_answer_is_another_generator_with_the_next_seed_and_the_same_each_time() -> None:
    answered = NET.answered(WEIGHTS)
    assert answered == NET.answered(WEIGHTS) and answered.seed == 8
    assert answered.made_by != NET.made_by and len(answered.made_by) == len(NET.made_by)
    assert replace(answered, seed=7, made_by=NET.made_by) == NET
    matrices = NET.matrices(WEIGHTS)
    assert not np.array_equal(NET.against(matrices)[0][0], answered.against(matrices)[0][0])
    assert replace(NET, lessons=0).answered(WEIGHTS).made_by == NET.made_by


@pytest.mark.parametrize(
    "wrong",
    [
        {"hidden": 0},
        {"hidden": 1 << 20},
        {"hidden": 2.0},
        {"made": 0},
        {"lessons": -1},
        {"lesson": float("nan")},
        {"seed": -1},
        {"latent": 3},
    ],
)
def test_numbers_of_no_critic_are_none(wrong: dict[str, Any]) -> None:
    assert not critic(**wrong).is_sound and NET.is_sound and not NET.bare().is_sound

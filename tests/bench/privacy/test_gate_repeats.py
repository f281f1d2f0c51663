"""Noise that was drawn before is told, and small integer noise that happens to be the same is not."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from synth.bench.privacy.gate_repeats import repeats
from synth.bench.privacy.gate_transcript import LAPLACE, NORMAL, Draw, Transcript

Noise = NDArray[np.float64]
AGAIN = ["The noise of draw 2 is that of draw 1 once more, up to its scale."]


def noise(size: int, seed: int) -> Noise:
    return np.random.default_rng(seed).normal(0, 1, size)


def drawn(*told: tuple[Noise, float], kind: str = NORMAL) -> Transcript:
    """A run with draws of this noise over its scale, and this scale."""
    draws = [Draw(kind=kind, exact=np.full(z.size, 9.0), scale=s, told=9.0 + s * z) for z, s in told]
    return Transcript(draws=tuple(draws), made=b"")


def rounded(run: Transcript) -> Transcript:
    draws = [Draw(kind=d.kind, exact=d.exact, scale=d.scale, told=np.rint(d.told)) for d in run.draws]
    return Transcript(draws=tuple(draws), made=b"")


def test_independent_noise_is_no_repeat() -> None:
    runs = [drawn((noise(36, 2 * i), 4.0), (noise(1, 2 * i + 1), 4.0)) for i in range(5)]
    assert not list(repeats(runs)) and not list(repeats(list(map(rounded, runs))))
    assert not list(repeats([]))


@pytest.mark.parametrize("kind", [NORMAL, LAPLACE])
def test_noise_that_all_runs_share_is_told(kind: str) -> None:
    runs = [drawn((noise(3, i), 4.0), (noise(2, 99), 4.0 + i), kind=kind) for i in range(5)]
    assert list(repeats(runs)) == ["The noise of draw 2 is the same in all 5 runs."]


@pytest.mark.parametrize(("sign", "later"), [(1, 36), (-1, 36), (1, 5)])
def test_noise_that_is_stretched_turned_or_cut_is_the_same(sign: int, later: int) -> None:
    runs = [drawn((noise(36, i), 4.0), (sign * noise(36, i)[:later], 7.0)) for i in range(3)]
    assert list(repeats(runs)) == AGAIN and list(repeats(runs[:1])) == AGAIN


def test_integers_are_the_same_up_to_their_rounding() -> None:
    runs = [rounded(drawn((noise(36, i), 4.0), (noise(36, i), 7.0))) for i in range(3)]
    assert list(repeats(runs)) == AGAIN

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from synth.bench import gate_ours
from synth.bench.gate import of_ours
from synth.bench.gate_tables import SIZES, base
from synth.measure import noise
from synth.measure.questions import Sides
from synth.measure.questions import base as questions
from synth.mechanisms import MECHANISMS
from synth.mechanisms.rap import RAP


def test_a_method_is_heard_draw_by_draw_and_replayed_without_a_table() -> None:
    run = gate_ours.recorded("mst", base(), SIZES, epsilon=1.0, delta=1e-5)
    again = run.on(base())
    assert again.made == run.transcript.made and sum(run.transcript.losses(again)) == 0
    assert [draw.kind for draw in again.draws].count("choice") == len(SIZES) - 1


def test_ours_passes() -> None:
    verdict = of_ours("grove", epsilon=1.0, delta=1e-5)
    assert verdict.passes and 0.9 * verdict.declared < verdict.spent <= verdict.declared


def test_the_canary_of_half_the_noise_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = noise.noise_of

    def halved(*args: Any, **named: Any) -> Any:
        return np.asarray(drawn(*args, **named), dtype=np.int64) // 2

    monkeypatch.setattr(questions, "noise_of", halved)
    verdict = of_ours("grove", epsilon=1.0, delta=1e-5)
    assert not verdict.passes and "times the spread of the scale" in verdict.findings[0]


def test_the_canary_of_half_the_sensitivity_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    variance = questions.GaussianQuestion.variance
    monkeypatch.setattr(questions.GaussianQuestion, "variance", lambda *asked: variance(*asked) / 4)
    verdict = of_ours("grove", epsilon=1.0, delta=1e-5)
    assert not verdict.passes and 3.5 < verdict.overspent <= 4.0


@dataclass(frozen=True, kw_only=True)
class HalfSpacesMostly(RAP):
    epochs: int = 1
    half_spaces: float = 0.9
    pool: int = 6


def test_half_the_noise_on_half_spaces_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """Noise as if a row moved every side by a half: four times the price is spent on them."""
    monkeypatch.setitem(MECHANISMS, "rap", HalfSpacesMostly)
    assert of_ours("rap", epsilon=1.0, delta=1e-5).passes
    honest = Sides.l2_squared
    monkeypatch.setattr(Sides, "l2_squared", lambda *asked: honest(*asked) // 4)
    verdict = of_ours("rap", epsilon=1.0, delta=1e-5)
    assert not verdict.passes and verdict.overspent > 2

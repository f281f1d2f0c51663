from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from synth.bench.privacy import gate_ours
from synth.bench.privacy.gate import of_ours
from synth.bench.privacy.gate_tables import ROWS, SIZES
from synth.private import noise
from synth.private.queries import base as questions

pytestmark = pytest.mark.long


def test_a_method_is_heard_draw_by_draw_and_replayed_without_a_table() -> None:
    run = gate_ours.recorded("mst+compress", epsilon=1.0, delta=1e-5)
    again = run.on(ROWS)
    assert again.made == run.transcript.made and run.transcript.loss(again) == 0
    assert [draw.kind for draw in again.draws].count("choice") == len(SIZES) - 1


def test_ours_passes() -> None:
    verdict = of_ours("grove")
    assert verdict.passes and 0.9 * verdict.declared < verdict.spent <= verdict.declared


@pytest.mark.parametrize("fault", ["half the noise", "no noise on few numbers", "noise that all runs share"])
def test_wrong_noise_is_caught(monkeypatch: pytest.MonkeyPatch, fault: str) -> None:
    drawn = noise.noise_of

    def wrong(law: Any, variance: Any, size: int, **named: Any) -> Any:
        right = np.asarray(drawn(law, variance, size, **named), dtype=np.int64)
        if fault == "noise that all runs share":
            return np.rint(np.random.default_rng(7).normal(0, float(variance) ** 0.5, size)).astype(np.int64)
        return right // 2 if fault == "half the noise" else right * (size > 3)

    monkeypatch.setattr(questions, "noise_of", wrong)
    (finding, *_) = of_ours("gaussian").findings
    assert ("is the same in all 5 runs" if "share" in fault else "times the spread of the scale") in finding


def test_half_the_sensitivity_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    variance = questions.GaussianQuery.variance
    monkeypatch.setattr(questions.GaussianQuery, "variance", lambda *asked: variance(*asked) / 4)
    verdict = of_ours("grove")
    assert not verdict.passes and 3.5 < verdict.spent / verdict.declared <= 4.0


def test_the_exact_count_of_a_common_code_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted in the table that is made, of which no draw tells."""
    honest = gate_ours.transcript_of

    def leaking(method: str, source: Any, rows: Any) -> Any:
        told = honest(method, source, rows)
        object.__setattr__(told, "made", told.made + bytes([(rows[:, 1] == 0).sum() % 251]))
        return told

    monkeypatch.setattr(gate_ours, "transcript_of", leaking)
    (finding,) = of_ours("independent").findings
    assert "something besides the noisy measurements" in finding

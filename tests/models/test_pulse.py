import pytest

from synth.core.progress import Progress
from synth.models import pulse
from synth.models.pulse import Pulse


@pytest.mark.parametrize("seconds, words", [(-1.0, 1), (3600.0, 0)])
def test_the_loss_is_told_in_time(seconds: float, words: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pulse, "PULSE_SECONDS", seconds)
    heard = list[Progress]()
    Pulse("fitting", 5, heard.append).on_step(2, 0.25)
    assert [(p.done, p.steps, p.loss) for p in heard] == [(0.4, 2, 0.25)] * words
    assert {p.fact for p in heard} <= {"fitting: loss 0.25 on the noisy measurements, step 2"}


def test_a_fact_is_told_at_once() -> None:
    heard: list[Progress] = []
    Pulse("fitting", 5, heard.append).note("out of memory")
    assert [p.fact for p in heard] == ["out of memory"]

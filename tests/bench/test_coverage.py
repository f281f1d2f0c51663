"""The count of intervals that hold: right for the product, far too low for noise stated by half."""

import math
from pathlib import Path

import pytest

from synth.bench.coverage import main, measure
from synth.bench.trials.trial import Part, Trial
from synth.release.verdict import figures

TRIAL = Trial(part=Part.MECHANISM, table="titanic", method="independent", epsilon=3.0, delta=1e-9)


def test_intervals_hold_and_those_of_half_noise_do_not(town: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """120 verdicts of six tables: by chance beyond these limits less than once in 10,000 runs."""
    found = measure(TRIAL, many=120)
    assert found["pairs"] > 0.89 and found["together"] > 0.84 and found["limits"] > 0.89
    assert all(found[f"mean_{name}"] > 0.84 for name in ("columns", "pairs", "triples", "ranges"))
    assert 0 < found["points"] < 20 and found["ratio"] >= 1.0
    monkeypatch.setattr(figures, "hypot", lambda *sds: math.hypot(*sds) / 2)
    wrong = measure(TRIAL, many=120)
    assert wrong["pairs"] < 0.8 and wrong["together"] < 0.6


def test_the_command_prints_and_continues(
    town: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["--sets", "titanic", "--methods", "independent", "--epsilons", "3", "--out", str(tmp_path / "o")]
    for releases in ("1", "2"):
        main([*words, "--releases", releases])
    said = capsys.readouterr().out.splitlines()
    assert ["1 releases" in said[0], "2 releases" in said[1], len(said)] == [True, True, 2]

"""The preset that counts how often the intervals of the analyst's kit hold."""

from pathlib import Path

import pytest

from synth.bench import inference
from synth.bench.report.intervals import Held, figures
from synth.cli import main


def test_a_stopped_benchmark_goes_on_and_drops_a_line_that_was_cut_off(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(inference, "POPULATION", 5_000)
    monkeypatch.setattr(inference, "ROWS", 500)
    words = ["bench", "--preset", "inference", "--sets", "invented", "--methods", "mst"]
    words += ["--epsilons", "3", "--out", str(tmp_path)]
    assert main([*words, "--repeats", "1"]) == 0
    (file,) = tmp_path.glob("*.jsonl")
    text = file.read_text()
    file.write_text(text + text[:50])
    assert main([*words, "--repeats", "2"]) == 0
    lines = file.read_text().splitlines()
    assert len(lines) == 2 and lines[0] == text.strip() and lines[1].startswith("[1,")
    assert "| invented | mst | 3 | 2 | " in capsys.readouterr().out


def test_figures_leave_out_refusals_and_count_bounds_apart() -> None:
    held = [
        Held(kind="k", question=0, status="interval", records=True, population=True, width=2.0, naive=True),
        Held(kind="k", question=0, status="interval", records=True, population=False, width=4.0, naive=False),
        Held(kind="k", question=1, status="bound", records=False, naive=False),
        Held(kind="k", question=2, status="refused", naive=False),
    ]
    found = figures(held)
    assert (found["answered"], found["records"], found["population"]) == (0.5, 1.0, 0.5)
    assert (found["width"], found["naive"], found["bounds"]) == (3.0, 0.5, 0.0)
    assert found["worst"] is None
    many = figures(held[:2] * 30)
    assert many["worst"] == 0.5 and many["questions"] == 2

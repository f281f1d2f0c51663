from __future__ import annotations

import argparse
import csv
import json
from pathlib import Path

import pytest

from synth.bench.run import add_arguments, measure, run
from synth.errors import MarginaliaError, Mistake


def town(at: Path) -> Path:
    (at / "titanic").mkdir(parents=True)
    rows = "".join(f"{i % 2},{(i // 2) % 3},{i % 2}\n" for i in range(600))
    (at / "titanic" / "titanic.csv").write_text("Sex,Pclass,Survived\n" + rows)
    sizes = {"Survived": 2, "Pclass": 3, "Sex": 2}
    (at / "titanic" / "titanic-domain.json").write_text(json.dumps(sizes))
    return at


def asked(*words: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("--json", action="store_true")
    add_arguments(parser)
    return parser.parse_args(words)


def test_a_quick_benchmark_prints_a_table_and_writes_its_figures(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("MARGINALIA_DATA", str(town(tmp_path)))
    out = tmp_path / "out"
    assert run(asked("--preset", "quick", "--no-command", "--epsilons", "8", "--out", str(out))) == 0
    said = capsys.readouterr().out
    assert "bootstrap" in said and "product" in said and "aim" in said
    rows = list(csv.DictReader((out / "results.csv").read_text().splitlines()))
    assert {"tvd2", "tvd3", "seconds", "covered"} <= {r["figure"] for r in rows if r["method"] == "aim"}
    product = next(float(r["value"]) for r in rows if (r["method"], r["figure"]) == ("product", "tvd2"))
    aim = next(float(r["value"]) for r in rows if (r["method"], r["figure"]) == ("aim", "tvd2"))
    assert aim < product / 2
    assert "numpy" in json.loads((out / "machine.json").read_text())


def test_what_was_measured_is_kept_when_a_later_run_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MARGINALIA_DATA", str(town(tmp_path)))
    out = tmp_path / "out"
    with pytest.raises(MarginaliaError, match="titanic"):
        run(asked("--preset", "quick", "--methods", "magic", "--no-command", "--out", str(out)))
    rows = list(csv.DictReader((out / "results.csv").read_text().splitlines()))
    assert {r["method"] for r in rows} == {"bootstrap", "product"}


@pytest.mark.parametrize("numbers", [{"epsilons": [0.0]}, {"repeats": 0}, {"epsilons": []}])
def test_numbers_that_measure_nothing_are_mistakes(numbers: dict[str, list[float]]) -> None:
    usual = {"sets": ["titanic"], "epsilons": [1.0], "methods": ["aim"], "repeats": 1, "delta": 1e-9}
    with pytest.raises(Mistake):
        list(measure(**(usual | numbers)))  # type: ignore[arg-type]

from __future__ import annotations

import argparse
import csv
import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from synth.bench.run import NotAllMeasured, add_arguments, preset_of, run
from synth.bench.trials.machine import THREADS
from synth.bench.trials.trial import Part
from synth.core.errors import Mistake
from synth.evaluate import learners

pytestmark = pytest.mark.long


@pytest.fixture(autouse=True)
def town(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A small town's public data; cores and threads as they were afterwards."""
    at = tmp_path / "titanic"
    at.mkdir()
    rows = "".join(f"{i % 2},{(i // 2) % 3},{i % 2}\n" for i in range(600))
    (at / "titanic.csv").write_text("Sex,Pclass,Survived\n" + rows)
    (at / "titanic-domain.json").write_text(json.dumps({"Survived": 2, "Pclass": 3, "Sex": 2}))
    monkeypatch.setenv("MARGINALIA_DATA", str(tmp_path))
    for name in THREADS:
        monkeypatch.setenv(name, "1")
    cores = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else set()
    yield
    if cores:
        os.sched_setaffinity(0, cores)


def asked(out: Path, *words: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("--json", action="store_true")
    add_arguments(parser)
    usual = ["--sets", "titanic", "--peers", "--epsilons", "8", "--out", str(out)]
    return parser.parse_args([*usual, *words])


def rows_of(out: Path) -> list[dict[str, str]]:
    return list(csv.DictReader((out / "results.csv").read_text().splitlines()))


def test_a_benchmark_prints_a_table_and_writes_figures_and_report(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    assert run(asked(out, "--methods", "aim", "--repeats", "1")) == 0
    said = capsys.readouterr().out
    assert "bootstrap" in said and "product" in said and "aim" in said
    rows = rows_of(out)
    assert {"tvd2", "tvd3", "seconds", "covered"} <= {r["figure"] for r in rows if r["method"] == "aim"}
    product = next(float(r["value"]) for r in rows if (r["method"], r["figure"]) == ("product", "tvd2"))
    aim = next(float(r["value"]) for r in rows if (r["method"], r["figure"]) == ("aim", "tvd2"))
    assert aim < product / 2
    assert "numpy" in json.loads((out / "machine.json").read_text())["sessions"][0]
    assert "<svg" in (out / "report.html").read_text()


def test_taken_up_again_it_measures_only_what_is_missing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    run(asked(out, "--methods", "independent", "--repeats", "1"))
    before = rows_of(out)
    capsys.readouterr()
    run(asked(out, "--methods", "independent", "--repeats", "2"))
    assert "2 of 3 are measured already." in capsys.readouterr().out
    after = rows_of(out)
    assert after[: len(before)] == before
    assert {r["run"] for r in after[len(before) :]} == {"1"}
    assert len(json.loads((out / "machine.json").read_text())["sessions"]) == 2


def test_a_failure_of_ours_is_written_and_told_and_the_rest_is_measured(tmp_path: Path) -> None:
    out = tmp_path / "out"
    with pytest.raises(NotAllMeasured, match="1 runs of ours failed"):
        run(asked(out, "--methods", "aim", "--repeats", "1", "--limit", "0.05"))
    assert {r["method"] for r in rows_of(out)} == {"bootstrap", "product", "aim"}
    assert run(asked(out, "--methods", "aim", "--repeats", "1", "--retry")) == 0
    assert "failed" not in {r["figure"] for r in rows_of(out)}


def test_the_report_is_written_again_from_the_file_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    run(asked(out, "--methods", "independent", "--repeats", "1"))
    first = (out / "report.html").read_text()
    (out / "report.html").unlink()
    capsys.readouterr()
    assert run(asked(out, "--report", str(out), "--markdown")) == 0
    assert (out / "report.html").read_text() == first
    assert "| titanic | `independent` | 8 |" in capsys.readouterr().out


def test_all_metrics_are_measured_where_they_are_asked_for_and_what_is_not_installed_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(learners.PACKAGE, "catboost", "no_such_package")
    out = tmp_path / "out"
    run(asked(out, "--methods", "independent", "--repeats", "1", "--metrics", "all"))
    measured = {r["figure"] for r in rows_of(out)}
    assert {"conjunction", "threshold"} <= measured and "tvd4" not in measured, "there are three columns"
    assert "Not installed: no_such_package" in capsys.readouterr().out


def test_the_whole_command_is_timed_when_asked_for(tmp_path: Path) -> None:
    out = tmp_path / "out"
    run(asked(out, "--methods", "independent", "--repeats", "1", "--command"))
    figures = {r["figure"] for r in rows_of(out) if r["part"] == "command"}
    assert "command_seconds" in figures


def test_scaling_is_a_preset_with_wishes_of_its_own(tmp_path: Path) -> None:
    with pytest.raises(Mistake, match="Scaling needs at least one run"):
        run(asked(tmp_path / "out", "--preset", "scaling", "--repeats", "0"))


def test_a_folder_without_a_benchmark_has_no_report(tmp_path: Path) -> None:
    with pytest.raises(Mistake, match="no benchmark"):
        run(asked(tmp_path, "--report", str(tmp_path)))


@pytest.mark.parametrize("words", [["--epsilons", "0"], ["--repeats", "0"], ["--cores", "0"]])
def test_numbers_that_measure_nothing_are_mistakes(tmp_path: Path, words: list[str]) -> None:
    with pytest.raises(Mistake):
        run(asked(tmp_path / "out", "--methods", "aim", *words))


def test_the_marginals_asked_for_can_be_chosen(tmp_path: Path) -> None:
    """Only what the method is asked for changes; the preset asks for pairs."""
    for words, task in (((), "all-2way"), (("--workload", "3"), "all-3way")):
        tasks = {trial.task for trial in preset_of(asked(tmp_path, *words)).trials()}
        assert tasks == {task}


def test_options_typed_go_to_every_run_of_ours_and_name_it(tmp_path: Path) -> None:
    words = ("--methods", "mixture", "--option", "target=sex", "--generator-option", "swaps=false")
    ours = [t for t in preset_of(asked(tmp_path, *words)).trials() if t.part is Part.MECHANISM]
    assert ours and {t.variant for t in ours} == {"swaps=False target=sex"}
    assert all(t.options == {"target": "sex"} and t.generator_options == {"swaps": False} for t in ours)


def test_whoever_names_methods_of_ours_gets_no_library_that_was_not_named() -> None:
    parser = argparse.ArgumentParser()
    add_arguments(parser)

    def peers(*words: str) -> set[str]:
        trials = preset_of(parser.parse_args(["--sets", "titanic", *words])).trials()
        return {trial.method for trial in trials if trial.part is Part.PEER}

    assert peers() == {"smartnoise-mst", "dpmm-mst"} == peers("--methods")
    assert not peers("--methods", "aim") and not peers("--peers") and not peers("--methods", "--peers")
    assert peers("--methods", "aim", "--peers", "mbi-mst") == {"mbi-mst"}
    said = " ".join(parser.format_help().split())
    assert "--peers alone: none; default: the preset's, and none where --methods names ours" in said

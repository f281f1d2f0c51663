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

pytestmark = pytest.mark.long


@pytest.fixture(autouse=True)
def cores(town: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Restores cores and threads afterwards."""
    for name in THREADS:
        monkeypatch.setenv(name, "1")
    cores = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else set()
    yield
    if cores:
        os.sched_setaffinity(0, cores)


def requested(out: Path, *words: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("--json", action="store_true")
    add_arguments(parser)
    usual = ["--sets", "titanic", "--peers", "--epsilons", "8", "--out", str(out)]
    return parser.parse_args([*usual, *words])


def rows_of(out: Path) -> list[dict[str, str]]:
    return list(csv.DictReader((out / "results.csv").read_text().splitlines()))


def test_a_benchmark_writes_figures_and_report(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out"
    assert run(requested(out, "--methods", "aim", "--repeats", "1")) == 0
    said = capsys.readouterr().out
    assert "bootstrap" in said and "product" in said and "aim" in said
    rows = rows_of(out)
    assert {"tvd2", "tvd3", "seconds", "covered"} <= {r["figure"] for r in rows if r["method"] == "aim"}
    product = next(float(r["value"]) for r in rows if (r["method"], r["figure"]) == ("product", "tvd2"))
    aim = next(float(r["value"]) for r in rows if (r["method"], r["figure"]) == ("aim", "tvd2"))
    assert aim < product / 2
    assert "numpy" in json.loads((out / "machine.json").read_text())["sessions"][0]
    assert "aim" in (out / "report.html").read_text()


def test_resumed_it_measures_only_what_is_missing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out"
    run(requested(out, "--methods", "independent", "--repeats", "1"))
    before = rows_of(out)
    capsys.readouterr()
    run(requested(out, "--methods", "independent", "--repeats", "2"))
    assert "2 of 3 are measured already." in capsys.readouterr().out
    after = rows_of(out)
    assert after[: len(before)] == before
    assert {r["run"] for r in after[len(before) :]} == {"1"}
    assert len(json.loads((out / "machine.json").read_text())["sessions"]) == 2


def test_a_failure_of_ours_is_written_and_told_and_the_rest_is_measured(tmp_path: Path) -> None:
    out = tmp_path / "out"
    with pytest.raises(NotAllMeasured, match="1 of our runs failed"):
        run(requested(out, "--methods", "aim", "--repeats", "1", "--limit", "0.05"))
    assert {r["method"] for r in rows_of(out)} == {"bootstrap", "product", "aim"}
    assert run(requested(out, "--methods", "aim", "--repeats", "1", "--retry")) == 0
    assert "failed" not in {r["figure"] for r in rows_of(out)}


def test_the_report_is_rewritten_from_the_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out"
    run(requested(out, "--methods", "independent", "--repeats", "1"))
    first = (out / "report.html").read_text()
    (out / "report.html").unlink()
    capsys.readouterr()
    assert run(requested(out, "--report", str(out))) == 0
    assert (out / "report.html").read_text() == first
    assert "independent  8" in capsys.readouterr().out


def test_a_folder_without_a_benchmark_has_no_report(tmp_path: Path) -> None:
    with pytest.raises(Mistake, match="no benchmark"):
        run(requested(tmp_path, "--report", str(tmp_path)))


@pytest.mark.parametrize("words", [["--epsilons", "0"], ["--repeats", "0"], ["--cores", "0"]])
def test_numbers_that_measure_nothing_are_mistakes(tmp_path: Path, words: list[str]) -> None:
    with pytest.raises(Mistake):
        run(requested(tmp_path / "out", "--methods", "aim", *words))


def test_options_typed_go_to_every_run_of_ours_and_name_it(tmp_path: Path) -> None:
    words = ["--workload", "3", "--methods", "mixture"]
    words += ["--option", "target=sex", "--generator-option", "swaps=false"]
    ours = [t for t in preset_of(requested(tmp_path, *words)).trials() if t.part is Part.MECHANISM]
    assert ours and {t.task for t in ours} == {"all-3way"}
    assert {t.variant for t in ours} == {"swaps=False target=sex"}
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

import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from synth.cli import main
from synth.core.accounting import limit_for
from synth.core.schema import ProtectedChange
from synth.private.ledger import Ledger
from synth.release.verdict.judgement import Judgement
from tests.dates import more_than_the_day

PRICE = ["--epsilon", "3", "--delta", "1e-9"]


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    ledger = Ledger(tmp_path / "ledger.sqlite")
    protects = ProtectedChange(max_rows=1)
    ledger.open_population("survey-2024", units=limit_for(4, 1e-9), protects=protects, reason="a test")
    return ledger


def line(bundle: Path, out: Path) -> list[str]:
    return ["judge", str(bundle), "--data", str(bundle.parent / "t.csv"), *PRICE, "--out", str(out)]


def test_a_release_is_judged_and_the_document_written(bundle, ledger, tmp_path, capsys):
    out = tmp_path / "accuracy.json"
    assert main([*line(bundle, out), "--target", "status", "--yes"]) == 0
    said = capsys.readouterr().out
    document = json.loads(out.read_text())
    assert Judgement.read(document).verdict.predicted
    assert said == "\n".join(document["sentences"]) + "\n" and "Predicting status: " in said
    assert ledger.balance("survey-2024").spent == document["spent_units"] > 0
    assert str(bundle.parent) not in out.read_text() and more_than_the_day(out) == []
    again = tmp_path / "again.json"
    assert main([*line(bundle, again), "--yes"]) == 3, "the rest does not cover it"
    assert "does not cover this" in capsys.readouterr().err and not again.exists()
    assert len(ledger.runs()) == 1


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (["--data", "no.csv"], "No table found at 'no.csv'"),
        (["--out", "."], "already exists"),
        (["--out", "/dev/null/a.json"], "cannot be written to"),
        (["--epsilon", "0"], "you gave 0.0). 1 is a usual value. No budget was spent."),
        (["--target", "height"], "no column 'height'"),
        ([], "Add --yes"),
    ],
)
def test_a_mistake_is_one_sentence_and_spends_nothing(bundle, ledger, tmp_path, capsys, change, said):
    yes = ["--yes"] if change else []
    assert main([*line(bundle, tmp_path / "a.json"), *change, *yes]) == 2
    err = capsys.readouterr().err
    assert said in err and len(err.splitlines()) == 1
    assert ledger.runs() == () and not (tmp_path / "a.json").exists()


@pytest.mark.parametrize(("typed", "code"), [("survey", 0), ("yes", 5)])
def test_the_cost_and_the_remaining_budget_are_shown_before_it_starts(bundle, ledger, tmp_path, typed, code):
    server, terminal = pty.openpty()
    command = [sys.executable, "-m", "synth", *line(bundle, tmp_path / "a.json")]
    with subprocess.Popen(
        command, stdin=terminal, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as asking:
        os.write(server, f"{typed}\n".encode())
        _, sheet = asking.communicate(timeout=600)
    os.close(server)
    os.close(terminal)
    assert asking.returncode == code, sheet
    for part in ("one person", "survey-2024", "epsilon 3 at delta 1e-9", "mean errors to within", "now,"):
        assert part in sheet
    assert (tmp_path / "a.json").exists() is (code == 0)
    assert (ledger.balance("survey-2024").spent > 0) is (code == 0)


def test_a_result_that_cannot_be_written_is_shown(bundle, ledger, tmp_path, capsys, monkeypatch):
    out = tmp_path / "a.json"
    check = Ledger.close_run

    def taken(self: Ledger, run: str) -> None:
        out.touch()
        check(self, run)

    monkeypatch.setattr(Ledger, "close_run", taken)
    assert main([*line(bundle, out), "--yes"]) == 2
    captured = capsys.readouterr()
    assert "already exists" in captured.err
    assert Judgement.read(json.loads(captured.out)).document["spent_units"] > 0

"""The command `worker`: what can be typed, and that it goes when nothing comes."""

import json
from pathlib import Path

import pytest

from synth.cli import main


def test_it_serves_until_nothing_comes_any_more(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["worker", "--folder", str(tmp_path), "--idle", "0.1", "--name", "w-1"]) == 0
    assert "The worker w-1 takes public tasks from" in capsys.readouterr().err
    assert {p.name for p in tmp_path.iterdir()} == {"open", "taken", "done", "draft"}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--folder", "/nowhere/at/all"], "no folder '/nowhere/at/all'"),
        (["--folder", ".", "--lease", "0.1"], "you asked for 0.1"),
        (["--folder", ".", "--name", "../w"], "'../w' is not a valid name"),
    ],
)
def test_wrong_words(
    words: list[str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["worker", "--json", *words]) == 2
    out = capsys.readouterr()
    assert said in out.err and said in json.loads(out.out)["sentence"]

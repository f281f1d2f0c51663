"""The count of intervals that hold."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from synth.bench import answers


def test_a_question_counts_in_the_values() -> None:
    table = answers.drawn(20_000, np.random.default_rng(1))
    question = answers.Question(kind="share of a group", where={"a": [0]}, among={"c": (0, 15)})
    group = table[table.c <= 15]
    assert question.truth(table, 5_000)[0] == pytest.approx((group.a == 0).mean())
    assert answers.Question(kind="one value", where={"a": [0]}).truth(table, 5_000)[0] == pytest.approx(
        5_000 * (table.a == 0).mean()
    )


def test_runs_are_added_and_counted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(answers, "POPULATION", 20_000)
    out = tmp_path / "answers.csv"
    words = ["--methods", "independent", "--epsilons", "3", "--out", str(out)]
    for runs in ("1", "2", "2"):
        answers.main([*words, "--runs", runs])
    questions = len(list(answers.questions()))
    assert len(out.read_text().splitlines()) == 1 + 2 * questions
    said = capsys.readouterr().out.splitlines()
    assert said[0].startswith("independent, epsilon 3.0, one value: answered 1.00")
    assert "two columns: answered 0.00" in "".join(said) and "bounds 1.000" in "".join(said)

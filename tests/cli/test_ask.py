import json

import pandas as pd
import pytest

from synth.cli import main


def said(capsys, bundle, *words):
    assert main(["ask", str(bundle), *words]) == 0
    return capsys.readouterr().out


def test_questions_are_answered_in_words(bundle, capsys, tmp_path):
    assert "95% interval" in said(capsys, bundle, "count status=single")
    assert said(capsys, bundle, "count", "age>=40", "age<=59") == said(capsys, bundle, "count", "age=40..59")
    assert "90% " in said(capsys, bundle, "share", "status=single", "--among", "age>=20", "--level", "0.9")
    assert said(capsys, bundle, "mean", "age", "--by", "status").count("ean age") > 1
    assert said(capsys, bundle, "total", "age", "--by", "status").count("otal age") > 1
    assert "0.9-quantile of age" in said(capsys, bundle, "quantile", "age", "--at", "0.9")
    groups = ("difference", "status=single", "--less", "status=married")
    assert "ifference between records where status is single and" in said(capsys, bundle, *groups)
    assert "ifference in mean age" in said(capsys, bundle, *groups, "--mean", "age")
    assert "hold together" in said(capsys, bundle, "table", "status")
    assert "Nothing was measured" in said(capsys, bundle, "regression age ~ status")
    logistic = said(capsys, bundle, "logistic status[single] ~ age")
    assert "--means 'logistic status[single] ~ age' measures" in logistic
    drift = said(capsys, bundle, "drift", str(bundle), "--out", str(tmp_path / "drift.csv"))
    assert "No change was found in the records" in drift and "hold together at 95%" in drift
    assert set(pd.read_csv(tmp_path / "drift.csv").changed) == {False}
    place = tmp_path / "rows.csv"
    assert "synthetic rows" in said(
        capsys, bundle, "rows", "status=single", "--rows", "50", "--out", str(place)
    )
    assert set(pd.read_csv(place).status) == {"single"}
    blank = tmp_path / "blank.csv"
    blank.write_text("status,note\nsingle,a\n,b\n")
    filled = tmp_path / "filled.csv"
    assert "blanks filled in 2 rows" in said(capsys, bundle, "impute", str(blank), "--out", str(filled))
    table = pd.read_csv(filled)
    assert table.status[0] == "single" and table.notna().all(axis=None) and list(table.note) == ["a", "b"]


def test_json_has_the_unrounded_figures(bundle, capsys):
    end = json.loads(said(capsys, bundle, "count status=single", "--json"))
    (answer,) = end["answers"]
    assert answer["interval"][0] <= answer["estimate"] <= answer["interval"][1]
    assert {"status", "noise", "sampling", "rests_on", "sentence"} <= answer.keys()


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        (["guess"], "not a kind of question"),
        (["count", "status"], "not a condition"),
        (["count", "status=nobody"], "has no value"),
        (["count", "status<single"], "can use"),
        (["count", "status=single", "status=married"], "two conditions"),
        (["mean"], "Name the column"),
        (["difference", "status=single"], "Name two groups"),
        (["rows"], "--out"),
        (["impute", "nowhere.csv", "--out", "filled.csv"], "Name one CSV file"),
        (["drift"], "Name one later release"),
        (["count", "--level", "1"], "between 0 and 1"),
        (["quantile", "age", "--at", "2"], "between 0 and 1"),
        (["count", "--with", "nowhere"], "no release package at 'nowhere'"),
    ],
)
def test_what_cannot_be_asked_is_named(bundle, capsys, typed, words):
    assert main(["ask", str(bundle), *typed]) == 2
    assert words in capsys.readouterr().err

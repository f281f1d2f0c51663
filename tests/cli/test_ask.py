import json

import pandas as pd
import pytest

from synth.cli import main
from synth.cli.package.ask import _equal, _parts


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


def test_conditions_can_be_before_or_after_options_and_in_quotes(bundle, capsys):
    one = said(capsys, bundle, "quantile", "age", "status=single", "--at", "0.9")
    assert one == said(capsys, bundle, "quantile", "age", "--at", "0.9", "status=single")
    assert one == said(capsys, bundle, "quantile", "age", '"status"="single"', "--at", "0.9")
    assert one == said(capsys, bundle, "quantile age 'status = single'", "--at", "0.9")
    groups = said(capsys, bundle, "mean", "age", "age>=20", "--by", "status")
    assert groups == said(capsys, bundle, "mean", "age", "--by", "status", "age>=20")
    with pytest.raises(SystemExit):
        main(["ask", str(bundle), "count", "status=single", "--nonsense"])
    with pytest.raises(SystemExit):
        main(["verify", str(bundle), "status=single"])


@pytest.mark.parametrize(
    ("word", "found"),
    [
        ("a=b=c", ("a=b", "=", "c")),
        ("a=x", ("a", "=", "x")),
        ('"a=b"="x|y"', ("a=b", "=", '"x|y"')),
        ("low..high>=3", ("low..high", ">=", "3")),
        ("a = x", ("a", "=", "x")),
        ("unknown=1", ("unknown", "=", "1")),
    ],
)
def test_a_column_can_have_signs_in_its_name(word, found):
    assert _parts(word, ["a", "a=b", "low..high"]) == found


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ("10..20", ("10", "20")),
        ("..20", (None, "20")),
        ("a|b", ["a", "b"]),
        ("'a'|\"b c\"", ["a", "b c"]),
        ("1..5 rooms", "1..5 rooms"),
        ('"10..20"', "10..20"),
        ("", None),
    ],
)
def test_a_value_can_be_a_range_a_list_or_quoted(value, found):
    assert _equal(value, ["1..5 rooms", "a", "b"]) == found


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
